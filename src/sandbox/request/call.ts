/** The authenticated request that later steps receive. */
import type { Naming } from '../../protocol/naming.ts';
import { createForbiddenError, ServiceError } from '../../protocol/service-errors.ts';
import type { SandboxResource } from '../../resources/companions.ts';
import type { AuthKind } from '../../schema/resource.ts';
import type { HtmlLink } from '../../text/html-links.ts';
import type { Db } from '../store/open.ts';
import type { Row } from '../store/schema/tables.ts';
import type { Viewer } from '../store/sources.ts';

export type Account = Row<'account'>;

/** A partner that names no company. Such a caller may only create a company. */
interface PartnerCaller {
  readonly as: 'partner';
  readonly partnerId: number;
}

/** A caller that acts within a company. */
export interface AccountCaller extends Viewer {
  readonly as: AuthKind;
  readonly partnerId: number | null;
  readonly account: Account;
}

export type Caller = PartnerCaller | AccountCaller;

/**
 * Results of long work on a request body. The function `prepare` of a resource's behaviour does this work before the transaction of the
 * request. If a result is missing, the other functions of the behaviour do the work within the transaction.
 */
export interface PreparedRequestBody {
  /** The HTML of an e-mail message, and its links. */
  readonly links?: { readonly html: string; readonly links: readonly HtmlLink[] };
}

export interface Call {
  readonly db: Db;
  readonly resource: SandboxResource;
  readonly caller: AccountCaller;
  /** Current time of the service's clock, in Unix seconds. */
  readonly now: number;
  readonly naming: Naming;
  /** Scheme, host and port for links in messages, without a slash at the end. */
  readonly trackingBaseUrl: string;
  readonly random: (octets: number) => Uint8Array;
  readonly prepared: PreparedRequestBody;
}

/** Throws a 403 that names the feature if the account's partner has switched it off (wire, "features"). */
export function requireFeature(
  account: Account,
  feature: 'enableemail' | 'enablesms' | 'enablesendbulkemail' | 'enablesendbulksms' | 'enablechangepassword',
): void {
  if (account[feature] === 0) throw new ServiceError(403, `The account's feature ${feature} is off`);
}

/** Returns the id of the user who creates the record. Throws 403 if a partner acts for an account that has no user yet. */
export function requireCallerUserId(call: Call): number {
  if (call.caller.userId === null) throw createForbiddenError('The account has no user yet');
  return call.caller.userId;
}
