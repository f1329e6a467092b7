/** Defines a profile: credentials and the origin that they belong to (contract, "Global flags"), and the checks of its values. */
import { isAbsolute } from 'node:path';
import { type AccountId, findApiKeyProblem } from '../auth/credentials.ts';
import { KEBAB_CASE_NAMING_SETTINGS, namingWithOverrides } from '../protocol/naming.ts';
import { parseBaseUrl } from '../protocol/wire.ts';
import { isTimezone } from '../text/timezone.ts';
import { BUDGET_SETTINGS, type Budget, budgetProblem } from './budget.ts';
import { isAccountId, isProfileName } from './errors.ts';

/** Company in the roster of a partner profile. */
export interface ProfileCompany {
  readonly id: AccountId;
  readonly name: string;
  readonly tags: readonly string[];
  readonly note: string | null;
}

export interface Profile {
  /** Name of 1 to 32 characters of a-z, 0-9, `_` and `-`. It starts with a letter or digit. */
  readonly name: string;
  readonly kind: 'company' | 'partner';
  /** Base URL of the service, as the user wrote the URL. svc sends the API key of the profile only to the origin of this URL. */
  readonly baseUrl: string;
  /**
   * Company of the profile. For a company profile, it is the account itself. For a partner profile, the company that the partner acts for,
   * if any.
   */
  readonly companyId?: AccountId;
  readonly userId?: AccountId;
  readonly partnerId?: AccountId;
  /** The key. A profile has either this key or `keyCommand`, a program that prints the key. */
  readonly apiKey?: string;
  readonly keyCommand?: string;
  readonly output?: string;
  readonly tz?: string;
  /** Time zone of the profile's company, for the times in tables. `svc init` stores it, so that svc need not request it for each table. */
  readonly companyZone?: string;
  /** True if svc never sends a write with this profile, whatever the flags. */
  readonly readOnly?: true;
  /**
   * Number of people who must approve a plan, 1 to 99. If it is set, only `svc apply` sends a write that may send messages, and only after
   * these approvals.
   */
  readonly requireApprovals?: number;
  /** Set if only tasks require approvals. Other writes that may send messages then need no approvals. */
  readonly approvalsFor?: 'tasks';
  /** People whose approvals count: the absolute path of a file in the format of git's `allowed_signers`. */
  readonly signers?: string;
  /** Budget of the profile: limits for all sends of a day, and the times at which sends may start. */
  readonly budget?: Budget;
  /** Id of the list to which proofs (test sends of a message) go. The list may have at most 10 subscriptions. */
  readonly proofList?: AccountId;
  /** True if a partner must name the company in every command. */
  readonly requireCompany?: true;
  /** Companies that a partner knows, in the order in which they were added. */
  readonly roster?: readonly ProfileCompany[];
  /** Names of this deployment that replace the interface's names, in the form that `namingWithOverrides` accepts. */
  readonly naming?: Readonly<Record<string, unknown>>;
  /** Data folder and token of the sandbox behind this profile. `sandbox start` writes them. */
  readonly sandbox?: { readonly dataDir: string; readonly controlToken: string };
}

/** Output formats (contract, "Output"). */
export const OUTPUT_FORMATS: readonly string[] = ['table', 'json', 'ndjson', 'csv', 'tsv', 'yaml', 'id'];

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
  ...BUDGET_SETTINGS.map((setting) => `budget.${setting}`),
  ...KEBAB_CASE_NAMING_SETTINGS.map((entry) => `naming.${entry}${entry === 'fields' ? '.<attribute>' : ''}`),
];

/** Returns why this profile can't be used, or undefined. The text starts with the name of the setting and never repeats the key. */
export function profileProblem(profile: Profile): string | undefined {
  const { name, kind, baseUrl, output, tz, naming, requireApprovals, approvalsFor, signers, budget } =
    profile;
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

/** Settings that limit what a profile may do. */
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
    [...LIMIT_SETTINGS, 'roster' as const].flatMap((name) =>
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
