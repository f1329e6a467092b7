/** Defines a profile: credentials and the origin that they belong to (contract, "Global flags"), and the checks of its values. */
import { isAbsolute } from 'node:path';
import {
  createShape,
  fits,
  listOf,
  object,
  objectWithAtLeast,
  orNull,
  type ShapeCheck,
  type Shaped,
  text,
} from '../../kit/schema/shape.ts';
import { isObject } from '../../kit/text/json-object.ts';
import { isTimezone } from '../../kit/text/timezone.ts';
import { type AccountId, findApiKeyProblem } from '../../service/auth/credentials.ts';
import { KEBAB_CASE_NAMING_SETTINGS, namingWithOverrides } from '../../service/protocol/naming.ts';
import { parseBaseUrl } from '../../service/protocol/wire.ts';
import { isAccountId, isProfileName, ProfileError } from './errors.ts';
import { type ListNames, listNamesProblem } from './list-names.ts';

const accountId = createShape<AccountId>(isAccountId, 'a whole number of at least 1');
const on = createShape<true>((value) => value === true, 'true, or omitted');
const anObject = <T>(): ShapeCheck<T> => createShape<T>(isObject, 'an object');

const profileCompany = object({ id: accountId, name: text, tags: listOf(text), note: orNull(text) });
export type ProfileCompany = Shaped<typeof profileCompany>;
const companies = listOf(profileCompany);

export const isProfileCompanyList = (value: unknown): value is readonly ProfileCompany[] =>
  fits(companies, value) && new Set(value.map(({ id }) => id)).size === value.length;

const sandbox = objectWithAtLeast({ dataDir: text, controlToken: text });

/** Limits of a profile's sends. `svc profile set NAME budget.KEY VALUE` sets one limit. */
export interface Budget {
  readonly 'recipients-per-day'?: number;
  readonly 'credits-per-day'?: number;
  readonly 'tasks-per-day'?: number;
  /** Times of day, in the company's time zone, at which a send may start: `08:00-20:00`. The second time is exclusive. */
  readonly hours?: string;
  /** Weekdays, in the company's time zone, on which a send may start: `mon-fri`, or `mon,wed,fri`. */
  readonly days?: string;
}

export const DAILY_BUDGET_SETTINGS = ['recipients-per-day', 'credits-per-day', 'tasks-per-day'] as const;
export type DailyBudgetSetting = (typeof DAILY_BUDGET_SETTINGS)[number];
const BUDGET_SETTINGS = [...DAILY_BUDGET_SETTINGS, 'hours', 'days'] as const;

/** Settings that the configuration file stores for a profile. Its name is the key of the entry. */
const required = {
  kind: createShape<'company' | 'partner'>(
    (value) => value === 'company' || value === 'partner',
    '"company" or "partner"',
  ),
  /** Base URL of the service, as the user wrote it. svc sends the key of the profile only to its origin. */
  baseUrl: text,
};
const optional = {
  /** Account of a company profile; the company that a partner profile acts for, if any. */
  companyId: accountId,
  userId: accountId,
  partnerId: accountId,
  /** A profile has either this key or `keyCommand`, a program that prints the key. */
  apiKey: text,
  keyCommand: text,
  output: text,
  tz: text,
  /** Time zone of the company, for the times in tables. `svc init` stores it, so that svc need not request it for each table. */
  companyZone: text,
  /** True if svc never sends a write with this profile, whatever the flags. */
  readOnly: on,
  /** True if a partner must name the company in every command. */
  requireCompany: on,
  /**
   * Number of people who must approve a plan, 1 to 99. If it is set, only `svc apply` sends a write that may send messages, and only
   * after these approvals.
   */
  requireApprovals: createShape<number>(isAccountId, 'a whole number of at least 1'),
  /** Set if only tasks require approvals. Other writes that may send messages then need none. */
  approvalsFor: createShape<'tasks'>((value) => typeof value === 'string', 'text'),
  /** People whose approvals count: the absolute path of a file in the format of git's `allowed_signers`. */
  signers: text,
  /** Id of the list to which proofs (test sends of a message) go. The list may have at most 10 subscriptions. */
  proofList: accountId,
  lists: anObject<ListNames>(),
  budget: anObject<Budget>(),
  /** Companies that a partner knows, in the order in which they were added. */
  roster: createShape<readonly ProfileCompany[]>(
    isProfileCompanyList,
    'a list of objects with id, name, tags and note, each id once',
  ),
  /** Names of this deployment that replace the interface's names, in the form that `namingWithOverrides` accepts. */
  naming: anObject<Readonly<Record<string, unknown>>>(),
  /** Data folder and token of the sandbox behind this profile. `sandbox start` writes them. */
  sandbox: createShape<Shaped<typeof sandbox>>(
    (value) => fits(sandbox, value),
    'an object with dataDir and controlToken',
  ),
};
export const profileShape = object(required, optional);
export const PROFILE_MEMBERS: readonly string[] = Object.keys({ ...required, ...optional });

/** A profile. Its name has 1 to 32 characters of a-z, 0-9, `_` and `-`, and starts with a letter or digit. */
export type Profile = { readonly name: string } & Shaped<typeof profileShape>;

/** Profile of a command. `signersContent` replaces the content of the signers file if an assistant runs the command. It is never stored. */
export type ProfileInUse = Profile & { readonly signersContent?: Uint8Array };

export const OUTPUT_FORMATS: readonly string[] = [
  ...['table', 'json', 'ndjson', 'jsonl'],
  ...['csv', 'tsv', 'yaml', 'id'],
];

const PLAIN_SETTINGS = [
  ...(['base-url', 'company', 'user', 'partner', 'key-command', 'output', 'tz'] as const),
  ...(['read-only', 'require-company', 'require-approvals'] as const),
  ...(['approvals-for', 'signers', 'proof-list'] as const),
] as const;
/**
 * Setting of `profile set` that is not part of a group. The groups are `budget.…`, the limits of sends, and `naming.…`, the names that a
 * deployment of the service uses instead of the interface's names.
 */
export type TopLevelSetting = (typeof PLAIN_SETTINGS)[number];

export function isTopLevelSetting(key: string): key is TopLevelSetting {
  return PLAIN_SETTINGS.some((each) => each === key);
}

/** Names of the settings that `profile set NAME KEY VALUE` changes. The API key is not among them: only `profile add` stores it. */
export const PROFILE_SETTING_NAMES: readonly string[] = [
  ...PLAIN_SETTINGS,
  'list.<name>',
  ...BUDGET_SETTINGS.map((setting) => `budget.${setting}`),
  ...KEBAB_CASE_NAMING_SETTINGS.map((entry) => `naming.${entry}${entry === 'fields' ? '.<attribute>' : ''}`),
];

/** Returns why this profile can't be used, or undefined. The text starts with the name of the setting and never repeats the key. */
export function profileProblem(profile: Profile): string | undefined {
  const { name, kind, baseUrl, output, tz, naming, requireApprovals, approvalsFor, signers, budget } =
    profile;
  const { lists } = profile;
  if (!isProfileName(name))
    return 'name must have 1 to 32 characters of a-z, 0-9, _ and -, and begin with a letter or a digit';
  const base = parseBaseUrl(baseUrl);
  if ('problem' in base) return `base-url: the base URL ${base.problem}`;
  if (output !== undefined && !OUTPUT_FORMATS.includes(output))
    return `output must be one of ${OUTPUT_FORMATS.join(', ')}`;
  if (tz !== undefined && !isTimezone(tz))
    return 'tz must be a name of the TZ database, such as Europe/Berlin';
  if (requireApprovals !== undefined && !isApprovalCount(requireApprovals))
    return 'require-approvals must be a whole number of 1 to 99';
  if (approvalsFor !== undefined && approvalsFor !== 'tasks')
    return 'approvals-for must be "tasks", or be left out';
  if (signers !== undefined && !isAbsolute(signers)) return 'signers must be the absolute path of a file';
  return (
    (budget === undefined ? undefined : budgetProblem(budget)) ??
    (lists === undefined ? undefined : listNamesProblem(lists)) ??
    (kind === 'company' ? companyProblem(profile) : partnerProblem(profile)) ??
    secretProblem(profile) ??
    namingProblem(naming)
  );
}

const isApprovalCount = (count: number): boolean => Number.isInteger(count) && count >= 1 && count <= 99;

function companyProblem(profile: Profile): string | undefined {
  const { companyId, userId, partnerId, requireCompany, roster } = profile;
  if (requireCompany) return 'require-company is only for partner profiles';
  if (roster !== undefined) return 'roster (a list of companies) is only for partner profiles';
  if (!isAccountId(companyId)) return 'company: a company profile needs the id of its company';
  if (!isAccountId(userId)) return 'user: a company profile needs the id of a user';
  return partnerId === undefined ? undefined : 'partner: a company profile has no partner id';
}

function partnerProblem({ companyId, userId, partnerId }: Profile): string | undefined {
  if (!isAccountId(partnerId)) return 'partner: a partner profile needs the id of the partner';
  if (companyId !== undefined && !isAccountId(companyId))
    return 'company must be a whole number of at least 1';
  if (userId !== undefined && !isAccountId(userId)) return 'user must be a whole number of at least 1';
  // Interface, "Partner hash": X-Svc-UID is allowed only when X-Svc-CID is present.
  return userId === undefined || companyId !== undefined
    ? undefined
    : 'user can be set only together with a company';
}

function secretProblem({ kind, apiKey, keyCommand }: Profile): string | undefined {
  if (apiKey !== undefined && keyCommand !== undefined)
    return 'key-command: the profile also stores a key, and only one of the two is allowed';
  if (keyCommand !== undefined)
    return keyCommand.trim() === '' ? 'key-command: the value is empty' : undefined;
  if (apiKey === undefined) return 'key is missing, and no key-command is set';
  const problem = findApiKeyProblem(kind, apiKey);
  return problem === undefined ? undefined : `key: ${problem}`;
}

function namingProblem(naming: Profile['naming']): string | undefined {
  try {
    namingWithOverrides(naming);
    return undefined;
  } catch (error) {
    if (error instanceof RangeError) return `naming: ${error.message}`;
    throw error;
  }
}

const LIMIT_SETTINGS = [
  'readOnly',
  'requireCompany',
  'requireApprovals',
  'approvalsFor',
  'signers',
  'budget',
  'proofList',
] as const satisfies readonly (keyof Profile)[];

/**
 * Returns `newProfile` with the limits and the roster of the profile that it replaces, if both are for the same account of the same
 * service. So a user who replaces a profile to change the key does not lose a limit unnoticed.
 */
export function keepLimitsOfReplacedProfile(newProfile: Profile, oldProfile: Profile | undefined): Profile {
  if (oldProfile === undefined || !isSameAccount(newProfile, oldProfile)) return newProfile;
  const kept = Object.fromEntries(
    [...LIMIT_SETTINGS, 'roster' as const, 'lists' as const].flatMap((name) =>
      oldProfile[name] === undefined ? [] : [[name, oldProfile[name]]],
    ),
  );
  return { ...kept, ...newProfile };
}

/** Returns the settings that limit `oldProfile` and that `newProfile` lacks. They are lost if `newProfile` replaces `oldProfile`. */
export const findLimitsLostByReplacement = (
  newProfile: Profile,
  oldProfile: Profile | undefined,
): readonly string[] =>
  oldProfile === undefined || isSameAccount(newProfile, oldProfile)
    ? []
    : LIMIT_SETTINGS.filter((name) => oldProfile[name] !== undefined && newProfile[name] === undefined).map(
        (name) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
      );

/**
 * Reports whether both profiles are for the same partner or company of the same service. Sandboxes are compared by their data folder,
 * because the port may change.
 */
function isSameAccount(next: Profile, before: Profile): boolean {
  const isSameSandbox = next.sandbox !== undefined && next.sandbox.dataDir === before.sandbox?.dataDir;
  const isSamePlace = isSameSandbox || originIn(next.baseUrl) === originIn(before.baseUrl);
  const id = next.kind === 'partner' ? 'partnerId' : 'companyId';
  return isSamePlace && next.kind === before.kind && next[id] === before[id];
}

function originIn(baseUrl: string): string {
  const base = parseBaseUrl(baseUrl);
  return 'problem' in base ? baseUrl : base.origin;
}

const MAX_LIMIT = 1_000_000_000;

/**
 * Returns undefined if no setting is left.
 * @throws ProfileError `usage`
 */
export function withBudgetSetting(
  budget: Budget | undefined,
  setting: string,
  value: string,
): Budget | undefined {
  const key = BUDGET_SETTINGS.find((each) => each === setting);
  if (key === undefined)
    throw new ProfileError('usage', `a budget has no setting ${JSON.stringify(setting)}`, {
      hints: [`settings: ${BUDGET_SETTINGS.map((each) => `budget.${each}`).join(', ')}`],
    });
  const { [key]: _, ...rest } = budget ?? {};
  // A count that is not written as digits stays text, which the check of the profile rejects.
  const count = isDaily(key) && /^[0-9]{1,10}$/.test(value) ? Number(value) : value;
  // The file keeps the range, which earlier versions of svc can read too.
  const read = key === 'days' && value === 'weekdays' ? 'mon-fri' : count;
  const changed = value === '' ? rest : { ...rest, [key]: read };
  return Object.keys(changed).length === 0 ? undefined : (changed as Budget);
}

/** The text starts with the name of the setting. */
function budgetProblem(budget: unknown): string | undefined {
  if (!isObject(budget)) return 'budget must be an object';
  for (const [key, value] of Object.entries(budget)) {
    if (DAILY_BUDGET_SETTINGS.some((each) => each === key)) {
      if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > MAX_LIMIT)
        return `budget.${key} must be a whole number of 0 to ${MAX_LIMIT}`;
    } else if (key === 'hours') {
      if (parseSendingHours(value) === undefined)
        return 'budget.hours must be two times of day, such as 08:00-20:00';
    } else if (key === 'days') {
      if (parseSendingWeekdays(value) === undefined)
        return 'budget.days must be weekdays or names of days, such as mon-fri or mon,wed,fri';
    } else return `budget.${key} is not a setting of a budget`;
  }
  return undefined;
}

/** Times of day in minutes after midnight. If `from` is later than `to`, the period includes midnight. */
interface MinuteOfDayPeriod {
  readonly from: number;
  /** Minutes after midnight at which the period ends. This minute is no longer in the period. */
  readonly to: number;
}

/** Reads a period such as `08:00-20:00`. Returns undefined for any other text, and if both times are equal. */
export function parseSendingHours(text: unknown): MinuteOfDayPeriod | undefined {
  const [, ...parts] = /^([0-9]{2}):([0-9]{2})-([0-9]{2}):([0-9]{2})$/.exec(String(text)) ?? [];
  const [fromHour = 24, fromMinute = 60, toHour = 25, toMinute = 60] = parts.map(Number);
  const [from, to] = [fromHour * 60 + fromMinute, toHour * 60 + toMinute];
  const isValid = fromHour < 24 && fromMinute < 60 && toMinute < 60 && to <= 24 * 60 && from !== to;
  return isValid ? { from, to } : undefined;
}

const WEEK = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

/** Reads weekdays such as `mon-fri`, `sat-mon` or `mon,wed`. Returns undefined for any other text. */
export function parseSendingWeekdays(text: unknown): ReadonlySet<string> | undefined {
  const days = new Set<string>();
  for (const part of String(text).split(',')) {
    const [first = '', last = first, ...more] = part.split('-');
    const [from, to] = [WEEK.indexOf(first), WEEK.indexOf(last)];
    if (from < 0 || to < 0 || more.length > 0) return undefined;
    for (let at = from; ; at = (at + 1) % WEEK.length) {
      days.add(WEEK[at] ?? '');
      if (at === to) break;
    }
  }
  return days;
}

const isDaily = (key: string): boolean => DAILY_BUDGET_SETTINGS.some((each) => each === key);
