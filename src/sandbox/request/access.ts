/** Checks the general permissions of an authenticated identity. Permissions for one record are in `behaviours/`. */
import {
  createForbiddenError,
  createMalformedRequestError,
  createUnsupportedMethodError,
} from '../../protocol/service-errors.ts';
import { METHODS, type Method, type Resource, supports } from '../../schema/resource.ts';
import { accountById, adminOf, isFolderRestrictedUser, userOf } from '../store/accounts.ts';
import type { Db } from '../store/open.ts';
import type { AccountCaller, Caller } from './call.ts';
import { type AuthenticatedIds, NotAuthenticatedError } from './verify.ts';

/**
 * Returns the caller with this identity. Throws a 401 for an unknown user. Throws a 403 for a locked account or user, and for the company
 * of another partner.
 */
export async function findCaller(identity: AuthenticatedIds, db: Db, machineNow: number): Promise<Caller> {
  const { as, partnerId, companyId, userId } = identity;
  if (companyId === undefined) return { as: 'partner', partnerId: partnerId ?? 0 };
  const account = identity.account ?? (await accountById(db, companyId));
  if (!account || (partnerId !== undefined && account.partner_id !== partnerId))
    throw createForbiddenError(`Company ${companyId} is not managed by this partner`);
  // A locked account refuses company authentication; its partner can still act (wire).
  if (as === 'company' && account.locked === 1) throw createForbiddenError('The account is locked');
  const user = userId === undefined ? await adminOf(db, companyId) : await userOf(db, companyId, userId);
  if (userId !== undefined && !user)
    throw new NotAuthenticatedError(Math.floor(machineNow / 1000), {
      check: 'id',
      why: `Unknown user ${userId} in company ${companyId}`,
      header: 'UID',
      claimed: identity.claimed,
    });
  if (user && (user.locked === 1 || user.active === 0))
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

/** Throws for a method that this kind of caller may never use on the resource. */
export function checkResourceAccess(resource: Resource, method: Method, caller: Caller): void {
  const declared =
    method === 'POST' ? resource.methods.post : method === 'PUT' ? resource.methods.put : undefined;
  if (declared?.only === 'partner' && caller.as !== 'partner')
    throw resource.partnerOnly
      ? createForbiddenError(`${method} ${resource.name} is for partners`)
      : // Interface, account: "POST, PUT, DELETE: unsupported for company auth".
        createUnsupportedMethodError(method, resource.name, otherMethods(resource, method));
  // accountFeatures with company authentication: GET by the admin (wire).
  if (resource.partnerOnly && caller.as === 'company' && !(caller as AccountCaller).isAdmin)
    throw createForbiddenError(`Only the admin can use ${resource.name}`);
}

const otherMethods = (resource: Resource, method: Method): readonly Method[] =>
  METHODS.filter((each) => each !== method && supports(resource, each));

/**
 * Returns the caller, who acts within a company.
 * @throws ServiceError 400 for a partner that names no company. Only the request that creates a company may omit the company
 */
export function requireAccountCaller(caller: Caller): AccountCaller {
  if ('account' in caller) return caller;
  throw createMalformedRequestError('A company id is needed for this request');
}
