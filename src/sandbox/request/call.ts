/** The authenticated request, and the general permissions of its caller. `behaviours/` has those for one record. */

import { type AuthKind, METHODS, type Method, type Resource, supports } from '../../kit/schema/resource.ts';
import type { HtmlLink } from '../../kit/text/html-links.ts';
import type { Naming } from '../../service/protocol/naming.ts';
import {
  createForbiddenError,
  createMalformedRequestError,
  createUnsupportedMethodError,
  ServiceError,
} from '../../service/protocol/service-errors.ts';
import type { SandboxResource } from '../../service/resources/companions.ts';
import { accountById, adminOf, isFolderRestrictedUser, userOf } from '../store/accounts.ts';
import type { Db } from '../store/open.ts';
import type { Row } from '../store/schema/tables.ts';
import type { Viewer } from '../store/sources.ts';
import { type AuthenticatedIds, NotAuthenticatedError } from './verify.ts';

export type Account = Row<'account'>;

/** A partner that names no company. Such a caller may only create a company. */
interface PartnerCaller {
  readonly as: 'partner';
  readonly partnerId: number;
}

interface AccountCaller extends Viewer {
  readonly as: AuthKind;
  readonly partnerId: number | null;
  readonly account: Account;
}

export type Caller = PartnerCaller | AccountCaller;

/** Results of long work before the transaction (`prepare` of a behaviour). The transaction does the work if a result is missing. */
export interface PreparedRequestBody {
  /** The HTML of an e-mail message, and its links. */
  readonly links?: { readonly html: string; readonly links: readonly HtmlLink[] };
  /** The HTML of an e-mail message, and whether it has an opt-in link. */
  readonly optIn?: { readonly html: string; readonly hasOptIn: boolean };
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

interface RequestTarget {
  readonly resource: Resource;
  readonly method: Method;
}

/**
 * Returns the caller. Throws a 401 for an unknown user, and a 403 if account or user is locked, or for another partner's company. `target`
 * is undefined for a login.
 */
export async function findCaller(
  identity: AuthenticatedIds,
  db: Db,
  machineNow: number,
  target?: RequestTarget,
): Promise<Caller> {
  const { as, partnerId, companyId, userId } = identity;
  if (companyId === undefined) return { as: 'partner', partnerId: partnerId ?? 0 };
  const account = identity.account ?? (await accountById(db, companyId));
  if (!account || (partnerId !== undefined && account.partner_id !== partnerId))
    throw createForbiddenError(`Company ${companyId} is not managed by this partner`);
  // Wire, "Who may act": a partner that names no user acts for the company itself.
  const ofPartner = as === 'partner' && userId === undefined ? target : undefined;
  if (account.locked === 1 && !isAllowedWhileLocked(ofPartner))
    throw createForbiddenError(
      'The account is locked. Its partner can unlock it: PUT accountFeatures without a user id',
    );
  const user = userId === undefined ? await adminOf(db, companyId) : await userOf(db, companyId, userId);
  if (userId !== undefined && !user)
    throw new NotAuthenticatedError(Math.floor(machineNow / 1000), {
      check: 'id',
      why: `Unknown user ${userId} in company ${companyId}`,
      header: 'UID',
      claimed: identity.claimed,
    });
  if (user && (user.locked === 1 || user.active === 0) && !needsNoActingUser(ofPartner))
    throw createForbiddenError(user.locked === 1 ? 'The user is locked' : 'The user is not active');
  const isAdmin = user === undefined || user.isadmin === 1;
  return {
    as,
    partnerId: partnerId ?? null,
    account,
    accountId: account.id,
    userId: user?.id ?? null,
    isAdmin,
    restricted: !isAdmin && user !== undefined && (await isFolderRestrictedUser(db, user.id)),
  };
}

/** Reports whether the request of a partner shows or ends the lock of an account. */
const isAllowedWhileLocked = (target: RequestTarget | undefined): boolean =>
  target !== undefined &&
  (target.resource.name === 'accountFeatures' ||
    (target.resource.name === 'account' && target.method === 'GET'));

/** Reports whether the request of a partner concerns the company itself, so that its admin may be locked or inactive. */
const needsNoActingUser = (target: RequestTarget | undefined): boolean =>
  ['account', 'accountFeatures', 'user'].includes(target?.resource.name ?? '');

/** Throws for a method that this kind of caller may never use on the resource. */
export function checkResourceAccess(resource: Resource, method: Method, caller: Caller): void {
  const declared =
    method === 'POST' ? resource.methods.post : method === 'PUT' ? resource.methods.put : undefined;
  if (declared?.only === 'partner' && caller.as !== 'partner')
    throw resource.partnerOnly
      ? createForbiddenError(`${method} ${resource.name} is for partners`)
      : // Interface, account: "POST, PUT, DELETE: unsupported for company auth".
        createUnsupportedMethodError(method, resource.name, otherMethods(resource, method));
  // accountFeatures with company authentication: GET by the admin (wire). A partner that names a user acts as this user.
  if (resource.partnerOnly && 'account' in caller && !caller.isAdmin)
    throw createForbiddenError(`Only the admin can use ${resource.name}`);
}

const otherMethods = (resource: Resource, method: Method): readonly Method[] =>
  METHODS.filter((each) => each !== method && supports(resource, each));

/** Throws `ServiceError` 400 for a partner that names no company. */
export function requireAccountCaller(caller: Caller): AccountCaller {
  if ('account' in caller) return caller;
  throw createMalformedRequestError('A company id is needed for this request');
}
