/** A profile: who is asking, and where (contract, "Global flags"). What of it makes sense is checked here. */
import { isAbsolute } from 'node:path';
import { type AccountId, keyProblem } from '../auth/credentials.ts';
import { NAMING_ENTRIES, namingWith } from '../protocol/naming.ts';
import { parseBaseUrl } from '../protocol/origin.ts';
import { isTimezone } from '../text/timezone.ts';
import { isId, isProfileName } from './names.ts';

/** A company that a partner profile knows. */
export interface RosterCompany {
  readonly id: AccountId;
  readonly name: string;
  readonly tags: readonly string[];
  readonly note: string | null;
}

export interface Profile {
  /** 1 to 32 of a-z, 0-9, `_` and `-`; starts with a letter or digit. */
  readonly name: string;
  readonly kind: 'company' | 'partner';
  /** As given. Its origin is what the key belongs to. */
  readonly baseUrl: string;
  /** Of a company profile the account; of a partner profile the company acted for, if any. */
  readonly companyId?: AccountId;
  readonly userId?: AccountId;
  readonly partnerId?: AccountId;
  /** Either the key itself or a program that prints it. */
  readonly apiKey?: string;
  readonly keyCommand?: string;
  readonly output?: string;
  readonly tz?: string;
  /** The zone of its company as the service gave it to `svc init`: tables need not ask for it again. */
  readonly companyZone?: string;
  /** No write leaves it, whatever the flags. */
  readonly readOnly?: true;
  /** `svc apply` alone writes what people may get a message from, once so many have approved the plan: 1 to 99. */
  readonly requireApprovals?: number;
  /** Approvals are demanded for tasks alone, and for nothing else by which people may get a message. */
  readonly approvalsFor?: 'tasks';
  /** Whose approvals count: the absolute path of a file as git's `allowed_signers`. */
  readonly signers?: string;
  /** Of a partner: the company has to be given each time. */
  readonly requireCompany?: true;
  /** Of a partner: the companies that it knows, in the order in which they were added. */
  readonly roster?: readonly RosterCompany[];
  /** Overrides of the neutral names, as `namingWith` takes them. */
  readonly naming?: Readonly<Record<string, unknown>>;
  /** Where the sandbox behind this profile lives; `sandbox start` writes it. */
  readonly sandbox?: { readonly dataDir: string; readonly controlToken: string };
}

/** Contract, "Output". */
export const OUTPUT_FORMATS: readonly string[] = ['table', 'json', 'ndjson', 'csv', 'tsv', 'yaml', 'id'];

const PLAIN_SETTINGS = [
  ...(['base-url', 'company', 'user', 'partner', 'key-command', 'output', 'tz'] as const),
  ...(['read-only', 'require-company', 'require-approvals'] as const),
  ...(['approvals-for', 'signers'] as const),
] as const;
export type PlainSetting = (typeof PLAIN_SETTINGS)[number];

export function isPlainSetting(key: string): key is PlainSetting {
  return PLAIN_SETTINGS.some((each) => each === key);
}

/** The keys of `profile set NAME KEY VALUE`. A key that is stored goes in by `profile add` alone. */
export const SETTABLE: readonly string[] = [
  ...PLAIN_SETTINGS,
  ...NAMING_ENTRIES.map((entry) => `naming.${entry}${entry === 'fields' ? '.<attribute>' : ''}`),
];

/** Why this profile can't be used, or undefined. Starts with the name of the setting; never repeats the key. */
export function profileProblem(profile: Profile): string | undefined {
  const { name, kind, baseUrl, output, tz, naming, requireApprovals, approvalsFor, signers } = profile;
  if (!isProfileName(name)) return 'name: 1 to 32 of a-z, 0-9, _ and -, the first one a letter or a digit';
  const base = parseBaseUrl(baseUrl);
  if ('problem' in base) return `base-url: the base URL ${base.problem}`;
  if (output !== undefined && !OUTPUT_FORMATS.includes(output))
    return `output: one of ${OUTPUT_FORMATS.join(', ')}`;
  if (tz !== undefined && !isTimezone(tz)) return 'tz: a name of the TZ database, such as Europe/Berlin';
  if (requireApprovals !== undefined && !isApprovalCount(requireApprovals))
    return 'require-approvals: a whole number of 1 to 99';
  if (approvalsFor !== undefined && approvalsFor !== 'tasks') return 'approvals-for: tasks, or nothing';
  if (signers !== undefined && !isAbsolute(signers)) return 'signers: the absolute path of a file';
  return (
    (kind === 'company' ? companyProblem(profile) : partnerProblem(profile)) ??
    secretProblem(profile) ??
    namingProblem(naming)
  );
}

const isApprovalCount = (count: number): boolean => Number.isInteger(count) && count >= 1 && count <= 99;

function companyProblem(profile: Profile): string | undefined {
  const { companyId, userId, partnerId, requireCompany, roster } = profile;
  if (requireCompany) return 'require-company: a company profile acts for its own company alone';
  if (roster !== undefined) return 'roster: a company profile has none';
  if (!isId(companyId)) return 'company: a company profile needs the id of its company';
  if (!isId(userId)) return 'user: a company profile needs the id of a user';
  return partnerId === undefined ? undefined : 'partner: a company profile has no partner id';
}

function partnerProblem({ companyId, userId, partnerId }: Profile): string | undefined {
  if (!isId(partnerId)) return 'partner: a partner profile needs the id of the partner';
  if (companyId !== undefined && !isId(companyId)) return 'company: a whole number of at least 1';
  if (userId !== undefined && !isId(userId)) return 'user: a whole number of at least 1';
  // Interface, "Partner hash": X-Svc-UID is allowed only when X-Svc-CID is present.
  return userId === undefined || companyId !== undefined ? undefined : 'user: only together with a company';
}

function secretProblem({ kind, apiKey, keyCommand }: Profile): string | undefined {
  if (apiKey !== undefined && keyCommand !== undefined) return 'key-command: there is a stored key as well';
  if (keyCommand !== undefined) return keyCommand.trim() === '' ? 'key-command: it is empty' : undefined;
  if (apiKey === undefined) return 'key: there is none, and no key-command';
  const problem = keyProblem(kind, apiKey);
  return problem === undefined ? undefined : `key: ${problem}`;
}

function namingProblem(naming: Profile['naming']): string | undefined {
  try {
    namingWith(naming);
    return undefined;
  } catch (error) {
    if (error instanceof RangeError) return `naming: ${error.message}`;
    throw error;
  }
}
