/** Finds the guards that a change of a profile's settings lowers: read-only, approvals, required company and budget. */
import {
  type Budget,
  DAILY_BUDGET_SETTINGS,
  type Profile,
  parseSendingHours,
  parseSendingWeekdays,
} from './profile.ts';

/**
 * Returns each guard that `after` lowers, as the setting with its old and its new value: `read-only true → false`. Returns an empty list if
 * the change lowers no guard.
 */
export function findLoweredGuards(before: Profile, after: Profile): readonly string[] {
  const { requireApprovals: approvalsBefore = 0 } = before;
  const { requireApprovals: approvals = 0 } = after;
  const lowered: string[] = [];
  const add = (setting: string, was: unknown, is: unknown): void => {
    lowered.push(`${setting} ${String(was)} → ${String(is)}`);
  };
  if (before.readOnly && !after.readOnly) add('read-only', true, false);
  if (before.requireCompany && !after.requireCompany) add('require-company', true, false);
  if (approvals < approvalsBefore) add('require-approvals', approvalsBefore, approvals);
  if (approvalsBefore > 0 && before.approvalsFor === undefined && after.approvalsFor === 'tasks')
    add('approvals-for', 'all', 'tasks');
  if (approvalsBefore > 0 && before.signers !== after.signers)
    add('signers', before.signers ?? 'none', after.signers ?? 'none');
  return [...lowered, ...findRaisedLimits(before.budget ?? {}, after.budget ?? {})];
}

function findRaisedLimits(before: Budget, after: Budget): readonly string[] {
  const counts = DAILY_BUDGET_SETTINGS.filter(
    (key) => before[key] !== undefined && (after[key] ?? Number.POSITIVE_INFINITY) > before[key],
  );
  const isWider = {
    hours: !isSubset(minutesOf(after.hours), minutesOf(before.hours)),
    days: !isSubset(parseSendingWeekdays(after.days), parseSendingWeekdays(before.days)),
  };
  const times = (['hours', 'days'] as const).filter((key) => before[key] !== undefined && isWider[key]);
  return [...counts, ...times].map(
    (key) => `budget.${key} ${String(before[key])} → ${String(after[key] ?? 'none')}`,
  );
}

const MINUTES_OF_DAY = 24 * 60;

/** Returns the minutes of the day in the period, which may include midnight, or undefined without a valid period. */
function minutesOf(hours: string | undefined): ReadonlySet<number> | undefined {
  const period = parseSendingHours(hours);
  if (period === undefined) return undefined;
  const { from, to } = period;
  const length = to > from ? to - from : MINUTES_OF_DAY - from + to;
  return new Set(Array.from({ length }, (_, at) => (from + at) % MINUTES_OF_DAY));
}

/** Reports whether `part` lies in `whole`. A missing set is no limit. */
const isSubset = <T>(part: ReadonlySet<T> | undefined, whole: ReadonlySet<T> | undefined): boolean =>
  whole === undefined || (part !== undefined && [...part].every((each) => whole.has(each)));
