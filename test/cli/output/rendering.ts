import { render } from '../../../src/cli/output/render.ts';
import type { Column, Result, ResultOptions } from '../../../src/cli/output/result.ts';
import type { JsonObject } from '../../../src/service/protocol/envelope.ts';
import { memoryStream } from './memory-stream.ts';

export const attributes: readonly Column[] = [
  { name: 'id', kind: 'number' },
  { name: 'name', kind: 'text' },
  { name: 'paused', kind: 'bool' },
  { name: 'cdate', kind: 'timestamp' },
];

export const rowsOf = (rows: readonly JsonObject[], columns: readonly Column[] = attributes): Result => ({
  kind: 'rows',
  rows,
  columns,
  attributes: columns,
  empty: 'There are no folders.',
});

export const objectOf = (value: JsonObject): Result => ({
  kind: 'object',
  value,
  columns: attributes.slice(0, 2),
  attributes,
});

const quietly: ResultOptions = {
  format: 'table',
  header: true,
  colour: false,
  csvRaw: false,
  zone: async () => 'Europe/London',
  width: undefined,
};

/** Returns the text of both streams after rendering. They are terminals if `tty` says so. */
export async function rendered(
  result: Result,
  rendering: Partial<ResultOptions>,
  tty = false,
  out = memoryStream(tty),
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const err = memoryStream(tty);
  await render(result, { ...quietly, ...rendering }, out, err);
  return { stdout: out.text(), stderr: err.text() };
}
