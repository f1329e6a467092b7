/** Defines the parts of a plan (contract, "Campaigns as files"). */
import type { Naming } from '../../protocol/naming.ts';
import type { Campaign, IdText, Step } from '../model.ts';
import type { ObservedCampaignState } from '../plan/continuation.ts';
import type { PlanOptions } from '../plan/situation.ts';
import { sortedEntries } from './canonical-json.ts';

/** Parts of a plan, as plain JSON. Times are Unix seconds of the service's clock. */
export interface PlanParts {
  /** Scheme, host and port of the service that the plan is for. */
  readonly origin: string;
  /**
   * Header and field names that this installation of the service uses instead of svc's default (neutral) names; `{}` if no name differs.
   */
  readonly naming: Partial<Naming>;
  readonly campaign: string;
  readonly company: { readonly id: IdText; readonly name: string };
  readonly made: number;
  /** Unix seconds at which the plan expires. */
  readonly validUntil: number;
  readonly inputs: PlanInputs;
  readonly observed: ObservedCampaignState;
  readonly steps: readonly Step[];
}

/** Inputs from which a plan was made: the files, the variables and the options. */
export interface PlanInputs {
  /** Path of the campaign's file, relative to the folder that the plan was written to (`derive.ts`). */
  readonly file: string;
  /** Every file that was read, including the campaign's own file, with its SHA-256 in hexadecimal. */
  readonly files: readonly { readonly file: string; readonly sha256: string }[];
  /** Values that `--set` gave. */
  readonly set: Readonly<Record<string, string>>;
  /** Values of the environment variables that `--env` allowed. */
  readonly env: Readonly<Record<string, string>>;
  readonly options: Omit<PlanOptions, 'madeAt'>;
  /** The campaign with its contents. `apply` sends this campaign, so it must equal the files (`derive.ts`). */
  readonly wanted: Campaign;
}

export interface Plan extends PlanParts {
  readonly version: 1;
  /** Digest in hexadecimal, over the canonical JSON of all other members. */
  readonly sha256: string;
}

/** Maximum validity of a plan in seconds: 30 days. */
export const MAX_PLAN_VALIDITY_SECONDS = 30 * 86_400;

/** Returns the value as a plan holds it: members are sorted by name, and undefined members are omitted. */
export function toPlanJsonValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toPlanJsonValue);
  // A record may hold an id or a number that a double can't represent.
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  const members = sortedEntries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(members.map(([name, each]) => [name, toPlanJsonValue(each)]));
}
