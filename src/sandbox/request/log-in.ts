/** Handles POST /v1/token: returns a session token for name and password, with `--companions` (docs/wire.md, "Companions, in full"). */
import { scrypt, timingSafeEqual } from 'node:crypto';
import type { BodyOf } from '../../kit/schema/resource.ts';
import { checkPayload } from '../../kit/schema/validator.ts';
import { okResponseBody } from '../../service/protocol/envelope.ts';
import { headerNames, type Naming } from '../../service/protocol/naming.ts';
import {
  createInvalidRequestError,
  createTooLargeBodyError,
  refuseFindings,
} from '../../service/protocol/service-errors.ts';
import type { WireRequest } from '../../service/protocol/wire.ts';
import { token as resource } from '../../service/resources/companions.ts';
import { userOf } from '../store/accounts.ts';
import type { Db, TransactionScope } from '../store/open.ts';
import type { Row } from '../store/schema/tables.ts';
import { findUsersByName, recordFailedLogin, recordLogin, startSession } from '../store/users.ts';
import { readBody } from './body.ts';
import { findCaller } from './call.ts';
import { toWireAttributeNames } from './present.ts';
import { NotAuthenticatedError } from './verify.ts';

/** Maximum size of the body in octets. It is small because the sender is not authenticated yet. */
const MAX_LOGIN_OCTETS = 4_096;
const SESSION_SECONDS = 60 * 60;
/** Octets of a session token. 72 octets are 96 characters of base64. */
const TOKEN_OCTETS = 72;

interface LogInOptions {
  readonly naming: Naming;
  /** Milliseconds of the machine's clock. Sessions use it because authentication never uses the service's clock. */
  readonly machineNow: number;
  readonly random: (octets: number) => Uint8Array;
  readonly db: Db;
  /** Runs `work` in a transaction, with the service's time in Unix seconds. */
  readonly transaction: <T>(work: (db: Db, now: number) => Promise<T>, scope: TransactionScope) => Promise<T>;
}

/** Throws `ServiceError` 413 before a large body is read. */
export function checkLoginBodySize({ headers }: WireRequest): void {
  const length = headers['content-length'];
  if (length !== undefined && Number(length) > MAX_LOGIN_OCTETS)
    throw createTooLargeBodyError(MAX_LOGIN_OCTETS);
}

/**
 * Returns a response with a new session token, of which only a hash is stored.
 * @throws ServiceError 401, the same for an unknown name, a wrong password and a locked user. A wrong password counts as a failed login.
 */
export async function logIn(request: WireRequest, options: LogInOptions): Promise<string> {
  const { naming, machineNow, random, db, transaction } = options;
  const time = Math.floor(machineNow / 1000);
  const refuse = (why: string) => new NotAuthenticatedError(time, { check: 'login', why });
  if (Buffer.byteLength(request.body ?? '') > MAX_LOGIN_OCTETS)
    throw createTooLargeBodyError(MAX_LOGIN_OCTETS);
  const body = readBody(resource, request, naming);
  const { values, findings } = checkPayload(resource, 'POST', 'company', body, naming);
  refuseFindings(findings);
  const sent: BodyOf<typeof resource> = values;
  const [username, password] = [String(sent.username), String(sent.password)];
  const user = await oneUser(db, username, request, naming);
  if (!user) {
    await isPassword(password, null);
    throw refuse(`User ${username} does not exist`);
  }
  const scope = { kind: 'account', id: user.account_id } as const;
  const token = Buffer.from(random(TOKEN_OCTETS)).toString('base64');
  // The transaction returns a refusal instead of throwing it, so that the count of failed logins is committed.
  const refused = await transaction(async (inside, now) => {
    const current = await userOf(inside, user.account_id, user.id);
    if (current === undefined || current.locked === 1) return `The user ${username} is locked`;
    if (!(await isPassword(password, current.password_hash))) {
      const { failed, locked } = await recordFailedLogin(inside, current);
      return `The password of ${username} is wrong: failed login ${failed}${locked ? ', and the user is locked now' : ''}`;
    }
    // Throws 403 for a locked account, and for a user who is not active.
    await findCaller({ as: 'company', companyId: user.account_id, userId: user.id }, inside, machineNow);
    await recordLogin(inside, current, now);
    await startSession(inside, current, { token, now: time, expires: time + SESSION_SECONDS });
    return undefined;
  }, scope);
  if (refused !== undefined) throw refuse(refused);
  return okResponseBody(toWireAttributeNames({ token, expiry: time + SESSION_SECONDS }, naming));
}

/** Returns the user with this name. Names are unique within a company, so a request may have to name the company. */
async function oneUser(
  db: Db,
  username: string,
  { headers }: WireRequest,
  naming: Naming,
): Promise<Row<'user'> | undefined> {
  const company = headers[headerNames(naming).cid];
  const users = await findUsersByName(db, username, company === undefined ? undefined : Number(company));
  if (users.length > 1)
    throw createInvalidRequestError([
      {
        attribute: 'username',
        reason: `is the name of users of several companies: send ${naming.headerPrefix}CID too`,
      },
    ]);
  return users[0];
}

const OCTETS = 32;
/** Cost of a hash, about 20 ms: enough for a sandbox, and short enough not to delay other requests. */
const COST = 8_192;

/** Returns the scrypt hash of a password, with 16 random octets as `salt`. */
export async function hashPassword(password: string, salt: Uint8Array): Promise<string> {
  const key = await keyOf(password, salt);
  return `scrypt$${COST}$${Buffer.from(salt).toString('hex')}$${key.toString('hex')}`;
}

/** Reports whether the password is right. If no hash is stored, returns false after as much time as for a wrong password. */
async function isPassword(password: string, stored: string | null): Promise<boolean> {
  const [, salt = '00', expected = ''] =
    /^scrypt\$[0-9]+\$([0-9a-f]+)\$([0-9a-f]+)$/.exec(stored ?? '') ?? [];
  const key = await keyOf(password, Buffer.from(salt, 'hex'));
  const wanted = Buffer.from(expected.padEnd(OCTETS * 2, '0'), 'hex');
  return timingSafeEqual(key, wanted) && expected !== '';
}

function keyOf(password: string, salt: Uint8Array): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, OCTETS, { N: COST }, (error, key) => (error ? reject(error) : resolve(key)));
  });
}
