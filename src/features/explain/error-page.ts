/** Explains an error of the service by its status and subcode (interface, "Errors"): `svc explain 423/10`. */
import type { Report } from '../../kit/report/report.ts';
import { METHODS } from '../../kit/schema/resource.ts';
import { SvcError } from '../../kit/text/svc-error.ts';
import { joinAnd, joinOr } from '../../kit/text/words.ts';
import { paragraphBlocks } from './by-kind.ts';
import { REFUSALS, type Refusal } from './refusals.ts';

/** A status, and perhaps a subcode, as a person writes them. */
export interface ErrorTopic {
  readonly status: number;
  readonly subcode: number | undefined;
}

/** Returns the error that the words name, such as `423/10`, `423.10` or `423 10`. Returns undefined for other words. */
export function parseErrorTopic(words: readonly string[]): ErrorTopic | undefined {
  const [, status, subcode] = /^([1-5][0-9]{2})(?:[\s/.:-]([0-9]{1,6}))?$/.exec(words.join(' ')) ?? [];
  if (status === undefined) return undefined;
  return { status: Number(status), subcode: subcode === undefined ? undefined : Number(subcode) };
}

/** Throws `SvcError` if the interface has no such error. */
export function errorPage(topic: ErrorTopic): Report {
  return {
    title: `Error ${nameOf(topic.status, topic.subcode)}`,
    sections: [
      ...refusalsOf(topic).map((refusal, _, all) => ({
        title: all.length === 1 ? 'WHAT IT MEANS' : titleOf(refusal).toUpperCase(),
        blocks: paragraphBlocks([
          refusal.when,
          `Message: ${refusal.error.message}`,
          `From: ${senders(refusal)}.`,
        ]),
      })),
      { title: 'SEE ALSO', blocks: [{ kind: 'command', line: 'svc help exit-codes' }] },
    ],
  };
}

/** Returns the same facts for programs. */
export const explainErrorAsData = (topic: ErrorTopic) => ({
  errors: refusalsOf(topic).map(({ error, when, methods = [], on = {} }) => ({
    code: error.status,
    subcode: error.details.subcode ?? null,
    when,
    message: error.message,
    from: [
      ...(methods.length === 0 ? [] : [{ resource: null, methods }]),
      ...Object.entries(on).map(([resource, some]) => ({ resource, methods: some })),
    ],
  })),
});

function refusalsOf({ status, subcode }: ErrorTopic): readonly Refusal[] {
  const all = Object.values(REFUSALS);
  const found = all.filter(
    ({ error }) => error.status === status && (subcode === undefined || error.details.subcode === subcode),
  );
  if (found.length > 0) return found;
  const known = all.filter(({ error }) => error.status === status);
  const others = (known.length > 0 ? known : all).map(({ error }) =>
    nameOf(error.status, error.details.subcode),
  );
  throw new SvcError('usage', `the interface has no error ${nameOf(status, subcode)}`, {
    hint: `it has ${joinAnd([...new Set(others)].sort())}`,
  });
}

const nameOf = (status: number, subcode: number | undefined): string =>
  subcode === undefined ? String(status) : `${status} subcode ${subcode}`;

const titleOf = ({ error }: Refusal): string => nameOf(error.status, error.details.subcode);

/** Returns which requests get the error: `PUT or DELETE of emailMessage and smsMessage`. */
function senders({ methods = [], on = {} }: Refusal): string {
  const words =
    methods.length === METHODS.length ? ['any request'] : methods.length > 0 ? [joinOr(methods)] : [];
  const byMethods = new Map<string, string[]>();
  for (const [resource, some] of Object.entries(on)) {
    const names = byMethods.get(joinOr(some)) ?? [];
    byMethods.set(joinOr(some), [...names, resource]);
  }
  return [...words, ...[...byMethods].map(([some, names]) => `${some} of ${joinAnd(names)}`)].join('; ');
}
