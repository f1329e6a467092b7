/** Collects the next rows in one order from rows that arrive in another order. Keeps as many rows as fit into a limit in octets. */
import type { JsonObject } from '../../protocol/envelope.ts';
import { formatJson } from '../../protocol/json.ts';
import type { Scalar } from '../../schema/field.ts';
import type { Order } from './order.ts';

export interface SortedWindow {
  readonly add: (row: JsonObject) => void;
  /** Returns the kept rows in order. Omits all rows with a value of which a row was dropped. `resume` is the first dropped value. */
  readonly take: () => { readonly rows: readonly JsonObject[]; readonly resume: Scalar | undefined };
}

export function createSortedWindow(order: Order, octets: number): SortedWindow {
  let held: { readonly row: JsonObject; readonly value: Scalar; readonly size: number }[] = [];
  let size = 0;
  /** A row with this value or a later value is dropped. */
  let bound: { readonly value: Scalar } | undefined;

  const cut = (): void => {
    held.sort((a, b) => order.compare(a.value, b.value));
    let sum = 0;
    const over = held.find((each) => {
      sum += each.size;
      return sum > octets;
    });
    if (!over) return;
    bound = { value: over.value };
    held = held.filter(({ value }) => order.compare(value, over.value) < 0);
    size = held.reduce((total, each) => total + each.size, 0);
  };

  return {
    add: (row) => {
      const value = order.valueIn(row);
      if (bound && order.compare(value, bound.value) >= 0) return;
      const rowSize = formatJson(row).length;
      held.push({ row, value, size: rowSize });
      size += rowSize;
      // Cut only at twice the size, so that each sort covers at least as many new rows.
      if (size > 2 * octets) cut();
    },
    take: () => {
      cut();
      return { rows: held.map(({ row }) => row), resume: bound?.value };
    },
  };
}
