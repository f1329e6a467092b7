/** Tokens for the control plane: the sandbox's own, which is new with each start, and created ones, with the operations of their roles. */
import { createHash, timingSafeEqual } from 'node:crypto';
import {
  type ControlOperationName,
  SANDBOX_TOKEN_ROLES,
  type SandboxTokenRole,
} from '../../service/protocol/control.ts';
import {
  createConflictError,
  createInvalidRequestError,
  createNotFoundError,
} from '../../service/protocol/service-errors.ts';
import { type Db, WITHOUT_LOCK } from '../store/open.ts';
import { addControlToken, listControlTokens, removeControlToken } from '../store/users.ts';
import type { ControlOperationsForNoun } from './operation.ts';

export const controlTokenOperations = {
  'token create': async ({ service }, { name, role }) => {
    if (!NAME.test(name))
      throw createInvalidRequestError([
        { attribute: 'name', value: name, reason: 'must be 1 to 40 lower-case letters, digits, - and _' },
      ]);
    const token = Buffer.from(service.environment.random(32)).toString('hex');
    const cdate = Math.floor(service.environment.machineNow() / 1000);
    const row = { name, role: roleIn(role), hash: digestOf(token).toString('hex'), cdate };
    const isNew = await service.store.transaction((db) => addControlToken(db, row), WITHOUT_LOCK);
    if (!isNew)
      throw createConflictError(`Token ${name} already exists; svc sandbox token revoke removes it`);
    return { name, role: row.role, cdate, token };
  },
  'token list': async ({ service }) =>
    (await listControlTokens(service.store.db)).map(({ name, role, cdate }) => ({ name, role, cdate })),
  'token revoke': async ({ service }, { name }) => {
    const wasThere = await service.store.transaction((db) => removeControlToken(db, name), WITHOUT_LOCK);
    if (!wasThere) throw createNotFoundError(`Token ${name}`);
    return { name };
  },
} satisfies ControlOperationsForNoun<'token'>;

const NAME = /^[a-z0-9][a-z0-9_-]{0,39}$/;

/** Returns the role of the token in an `Authorization` header. Compares the hash of every token, so that the time taken reveals nothing. */
export async function tokenRoleFromHeader(
  header: string | undefined,
  ownToken: string,
  db: Db,
): Promise<'own' | SandboxTokenRole | undefined> {
  const given = digestOf(/^Bearer ([\x21-\x7e]{1,200})$/.exec(header ?? '')?.[1] ?? '');
  let role: 'own' | SandboxTokenRole | undefined = timingSafeEqual(given, digestOf(ownToken))
    ? 'own'
    : undefined;
  for (const token of await listControlTokens(db)) {
    const isIt = timingSafeEqual(given, Buffer.from(token.hash, 'hex'));
    if (isIt) role = roleIn(token.role);
  }
  return role;
}

/** Returns the hash of a token. Tokens have 256 random bits, so a fast hash is enough. */
const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();

const roleIn = (text: string): SandboxTokenRole => {
  const role = SANDBOX_TOKEN_ROLES.find((each) => each === text);
  if (role === undefined) throw new RangeError(`unknown role: ${text}`);
  return role;
};

const FOR_OUTBOX: readonly ControlOperationName[] = [
  'outbox list',
  'outbox send list',
  'outbox show',
  'outbox eml',
  'queue',
  'clock show',
];

/** Reports whether a token of this role may call the operation. The sandbox's own token may call all of them. */
export function mayCall(role: SandboxTokenRole, operation: ControlOperationName): boolean {
  if (role === 'outbox') return FOR_OUTBOX.includes(operation);
  // Otherwise a revoked token could live on in tokens that it created, and in sessions that it opened.
  return !operation.startsWith('token ') && operation !== 'open';
}
