/** Judges one run by its exit code, by what it prints, and by the records at its end. */
import { type Hand, isWanted, markedRecords, matches, pathOf, type Thing } from './judge.ts';
import type { Job } from './makers.ts';
import type { World } from './world.ts';

export type Fault = readonly [kind: string, what: string];

export interface Ended {
  readonly name: string;
  readonly job: Job;
  /** The machine whose journal it used. */
  readonly machine: string;
  /** `killed`, or `hangs` if it never ended. */
  readonly exit: number | 'killed' | 'hangs';
  readonly stdout: string;
  readonly stderr: string;
  /** True if no fault and no other run disturbed it, and it could see all records. */
  readonly isUndisturbed: boolean;
  /** The doubles that stood when it ended. */
  readonly doubles: readonly (readonly Thing[])[];
  readonly things: readonly Thing[];
  readonly startedAt: number;
}

/** A run must not end with 0 while two of its things are live, or while what it asked for is not there. */
export function faultsOfRun(run: Ended, isLast: boolean, hands: readonly Hand[]): readonly Fault[] {
  const faults: Fault[] = [];
  const fault = (kind: string, what: string): number => faults.push([kind, what]);
  const { name, job, exit, stdout, stderr, doubles, things, isUndisturbed } = run;
  const said = `${stdout}${stderr}`;
  if (exit === 'killed' || exit === 'hangs') return faults;
  if (/This is a bug/.test(stderr)) fault('crash', `${name} exit ${exit}: ${stderr.slice(-600)}`);
  if (isLast && ![0, 2, 5, 11].includes(exit))
    fault('unexpected exit', `${name} exit ${exit}: ${stderr.slice(-600)}`);
  const own = doubles.filter((group) => group.some((each) => job.owns(each.name)));
  const concerned = things.filter(
    (thing) => thing.isLive && (job.owns(thing.name) || job.wants.some((wanted) => matches(thing, wanted))),
  );
  if (isLast && exit === 5 && concerned.length > 0 && !RECORD.test(said) && !TIME.test(said))
    fault('wordless', `${name} exit ${exit} names no record: ${said.slice(-600)}`);
  for (const group of own)
    if (isLast && exit !== 0 && !(exit === 11 ? namesAny : namesOther)(said, group, job))
      fault('wordless', `${name} exit ${exit} does not name ${textOf(group)}: ${said.slice(-600)}`);
  if (exit !== 0 || job.by === 'hand') return faults;
  // Whatever a gateway answers, a run that ends with 0 names a record of its own.
  const named = Number(/\d+/.exec(stdout)?.[0]);
  const isOfKey = job.by === 'key' && job.wants.some(({ kind }) => kind === 'task' || kind === 'rule');
  if (isOfKey && !things.some(({ id, name: title }) => id === named && job.owns(title)))
    fault('other record', `${name} ends with 0 and names ${JSON.stringify(stdout)}, which is not its own`);
  if (!(isLast || isUndisturbed)) return faults;
  for (const group of own) fault('silent', `${name} ends with 0, and ${textOf(group)} are live`);
  for (const wanted of job.wants) {
    if (!['task', 'rule', 'proof'].includes(wanted.kind)) continue;
    const fitting = things.filter((thing) => isWanted(thing, job));
    // A person may pause a rule, and may cancel a task after the run's last look.
    const isEnded = (each: Thing): boolean =>
      hands.some(
        ({ what, thing, at }) =>
          pathOf(thing) === pathOf(each) && (what === 'pause' || (!isLast && at >= run.startedAt)),
      );
    if (!fitting.some((each) => each.isLive || isEnded(each)))
      fault('silent', `${name} ends with 0, and what it asked for is not live`);
    if (job.by === 'key' && !fitting.some((each) => each.id === named))
      fault('silent', `${name} names ${JSON.stringify(stdout)}, which is not what it asked for`);
  }
  return faults;
}

/** Of two messages or folders under one key, the lowest id is the result, and the other is gone or reported. */
export async function faultsOfKey(
  world: World,
  { name, job, exit, stdout, stderr }: Ended,
): Promise<readonly Fault[]> {
  const faults: Fault[] = [];
  const fault = (kind: string, what: string): number => faults.push([kind, what]);
  const [lowest, ...more] = await markedRecords(world, job);
  if (exit !== 0 || job.wants.some(({ kind }) => ['task', 'rule', 'proof'].includes(kind))) return faults;
  if (lowest === undefined || Number(/\d+/.exec(stdout)?.[0]) !== lowest['id'])
    fault('silent', `${name} names ${JSON.stringify(stdout)} instead of ${String(lowest?.['id'])}`);
  for (const { id } of more)
    if (!new RegExp(`\\b${id}\\b`).test(stderr))
      fault('silent', `${name} says nothing of ${String(id)}, which has the same key`);
  return faults;
}

export const textOf = (group: readonly Thing[]): string =>
  group.map(({ kind, id, name }) => `${kind} ${id} (${name})`).join(' and ');
/** A record as messages name it. */
const RECORD = /\b(?:task|folder|email|sms-message|message)s?\s+\d|\bsubscription:\d/;
/** The time has come in which svc makes no task. */
const TIME = /minutes ahead|at once|too soon/;
/** Counts such as `1 to create` and `in 2 minutes` are no ids. */
const isNamed = (text: string, id: number): boolean =>
  new RegExp(
    `(?:[a-z]\\s+|[:,]\\s*|\\()${id}\\b(?! (?:to|up|step|second|minute|hour|day|subscription|credit|request|task))`,
  ).test(text);
/** A plan need not name the task that stays, if the next run resolves the double. */
const namesAny = (text: string, group: readonly Thing[]): boolean =>
  group.some(({ id }) => isNamed(text, id));
/** Reports whether the text names a record of the group that is not the job's own, or two of its own. */
const namesOther = (text: string, group: readonly Thing[], job: Job): boolean =>
  group.some(({ id, name }) => !job.owns(name) && isNamed(text, id)) || namesAll(text, group);
export const namesAll = (text: string, group: readonly Thing[]): boolean =>
  group.filter(({ id }) => isNamed(text, id)).length >= 2;
