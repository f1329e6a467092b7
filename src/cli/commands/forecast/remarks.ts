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
        ? ['Whether e-mail costs credits only an admin or partner can read; it is counted.']
        : []),
      ...[...found].map(([remark, { named, count }]) => {
        const more = count > named.length ? ` and ${count - named.length} more` : '';
        return `${count === 1 ? 'Task' : 'Tasks'} ${named.join(', ')}${more}: ${WORDS[remark]}`;
      }),
    ],
  };
}

const WORDS: Readonly<Record<Remark, string>> = {
  begun: 'begun, so that the balance may have paid for some of it already; all of it is counted.',
  'no-size': 'the size is not known, and nothing is counted; the balance is what is left at most.',
  'no-parts': 'the message cannot be read, so its parts are not known; one is counted, which is the least.',
};
