import type { Scalar } from '../../kit/schema/field.ts';
import {
  createConflictError,
  createForbiddenError,
  createInvalidRequestError,
  createLimitReachedError,
} from '../../service/protocol/service-errors.ts';
import { type Call, requireFeature } from '../request/call.ts';
import { hashPassword } from '../request/log-in.ts';
import { deleteRow } from '../store/rows.ts';
import { countSubUsersAndFindAdmin, endSessions, UNLOCKED, userIdByName } from '../store/users.ts';
import { type BehaviourOf, insertRecord, type SentValues, updateRecord } from './behaviour.ts';

/** Users (interface, "user", "Company-auth permissions"). With `--companions`, they log in with their passwords (POST /v1/token). */
export const user: BehaviourOf<'user', 'user'> = {
  permit: (call, method) => {
    if ((method === 'POST' || method === 'DELETE') && !call.caller.isAdmin)
      throw createForbiddenError('Sub-users can read and change only their own record');
  },
  create: async (call, values) => {
    const { password, ...stored } = values;
    await requireFreeName(call, values);
    await requireRoomForUser(call, values.isadmin === true);
    const user = { timezone: call.caller.account.timezone, ...stored };
    return insertRecord(call, 'user', user, { password_hash: await hashOf(call, password) });
  },
  update: async (call, current, values) => {
    const { password, ...stored } = values;
    // enablechangepassword: "users may change passwords"; it does not concern partners.
    if (password !== undefined && call.caller.as === 'company')
      requireFeature(call.caller.account, 'enablechangepassword');
    await requireFreeName(call, values, current.id);
    if (password === undefined) return updateRecord(call, 'user', current, stored);
    // Wire, "a locked user": a new password unlocks the user, who cannot set it themselves.
    const unlocked = password === null ? {} : UNLOCKED;
    const changed = { ...stored, ...unlocked, password_hash: await hashOf(call, password) };
    await updateRecord(call, 'user', current, changed);
    await endSessions(call.db, current.id);
  },
  absent: (call) =>
    call.caller.isAdmin
      ? undefined
      : createForbiddenError('Sub-users can read and change only their own record'),
  remove: async (call, current) => {
    if (current.id === call.caller.userId && call.caller.as === 'company')
      throw createForbiddenError('The admin cannot delete themselves');
    if (current.isadmin === 1) throw createConflictError('The admin of an account cannot be deleted');
    await deleteRow(call.db, 'user', current.id);
  },
};

/** Returns null for a user without a password, who can't log in. */
const hashOf = async ({ random }: Call, password: Scalar | undefined): Promise<string | null> =>
  typeof password === 'string' ? hashPassword(password, random(16)) : null;

async function requireFreeName(call: Call, { username }: SentValues<'user'>, ownId?: number): Promise<void> {
  if (username === undefined) return;
  const existing = await userIdByName(call.db, call.caller.accountId, username);
  if (existing !== undefined && existing !== ownId)
    throw createConflictError(`User ${username} already exists`, existing);
}

/** Checks that the first user is the only admin, and the number of sub-users (interface, "user" POST; wire, "admins"). */
async function requireRoomForUser(call: Call, isAdmin: boolean): Promise<void> {
  const { subUsers, adminId } = await countSubUsersAndFindAdmin(call.db, call.caller.accountId);
  if (isAdmin && adminId !== undefined)
    throw createConflictError('The account already has an admin', adminId);
  if (!isAdmin && adminId === undefined)
    throw createInvalidRequestError([
      { attribute: 'isadmin', reason: 'must be true: the first user of an account must be an admin' },
    ]);
  const limit = call.caller.account.user_limit;
  if (!isAdmin && subUsers >= limit) throw createLimitReachedError('user_limit', limit);
}
