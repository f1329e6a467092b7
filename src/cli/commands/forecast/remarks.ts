/** Collects the uncertainties of a forecast, printed after it with the names of a few tasks. */

export type Remark = 'begun' | 'no-size' | 'no-parts';

export interface Remarks {
  readonly add: (remark: Remark, task: string) => void;
  readonly emailMayBeFree: () => void;
  readonly lines: () => readonly string[];
}

const NAMED = 5;

export function createRemarks(): Remarks {
  const found = new Map<Remark, { readonly named: string[]; count: number }>();
  let mayBeFree = false;
  return {
    add: (remark, task) => {
      const known = found.get(remark) ?? { named: [], count: 0 };
      found.set(remark, known);
      known.count += 1;
      if (known.named.length < NAMED) known.named.push(task);
    },
    emailMayBeFree: () => {
      mayBeFree = true;
    },
    lines: () => [
      ...(mayBeFree
        ? ['Only an admin or partner can see whether e-mail costs credits; this forecast counts them.']
        : []),
      ...[...found].map(([remark, { named, count }]) => {
        const more = count > named.length ? ` and ${count - named.length} more` : '';
        return `${count === 1 ? 'Task' : 'Tasks'} ${named.join(', ')}${more}: ${WORDS[remark]}`;
      }),
    ],
  };
}

const WORDS: Readonly<Record<Remark, string>> = {
  begun: 'started, so the balance may already have paid for a part; the forecast counts all of it.',
  'no-size': 'its size is not known and not counted; the balance is an upper bound.',
  'no-parts': 'its message cannot be read; the forecast counts one part, the minimum.',
};
