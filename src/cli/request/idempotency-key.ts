/**
 * Implements `--key TOKEN`. The token becomes a short mark in the record's name, by which a repeated job finds the record of its first run.
 */
import { createHash } from 'node:crypto';
import { titleOf } from '../../client/record-title.ts';
import type { JsonObject } from '../../protocol/envelope.ts';
import type { Resource } from '../../schema/resource.ts';
import type { Input } from '../command/command.ts';
import { parsedFlag } from '../command/flag.ts';
import { CliError } from '../errors/errors.ts';
import { EXIT } from '../errors/exit-codes.ts';
import type { ServiceAccess } from '../session/access.ts';
import type { StderrNotePrinter } from '../session/notes.ts';

const MARK_DIGITS = 8;

/** Reports whether `--key` works for the resource. Its records must have a name that a POST sets. */
export function supportsIdempotencyKey(resource: Resource): boolean {
  return resource.methods.post?.required?.includes('name') === true && resource.calledBy === 'name';
}

/** Flag `--key`: the idempotency key of a command, not an API key. */
export const idempotencyKeyFlag = parsedFlag(
  'key',
  {
    describe: 'Idempotency key: a second run creates nothing',
    value: 'token',
  },
  (text) =>
    text.trim() === ''
      ? { fault: { reason: 'is empty', instead: 'give a build id, for example' } }
      : { value: text },
);

/** Returns the mark of a `--key` token, which is added to a record's name: ` [svc-7f3a9c12]`. */
function formatIdempotencyMark(token: string): string {
  const digest = createHash('sha256').update(token, 'utf8').digest('hex');
  return ` [svc-${digest.slice(0, MARK_DIGITS)}]`;
}

/** Appends the mark of `--key`, such as ` [svc-7f3a9c12]`, to the name in the body. Without the flag, returns the body unchanged. */
export function appendIdempotencyMarkToNameInBody(
  input: Input,
  body: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const token = input.find(idempotencyKeyFlag);
  if (token === undefined) return body;
  const { name } = body;
  return typeof name === 'string' ? { ...body, name: `${name}${formatIdempotencyMark(token)}` } : body;
}

/**
 * Returns the record that an earlier run with the same name and token created. Returns undefined if no such record exists.
 * @param name the name with the mark of `--key`
 * @throws CliError exit 5 if that record is a cancelled task. Someone may have cancelled the task on purpose, so svc creates no new one.
 */
export async function findRecordByIdempotencyKey(
  session: ServiceAccess & StderrNotePrinter,
  resource: Resource,
  input: Input,
  name: unknown,
): Promise<JsonObject | undefined> {
  if (input.find(idempotencyKeyFlag) === undefined || typeof name !== 'string') return undefined;
  const client = await session.client();
  const [found] = await client.find(resource, { name });
  if (found?.['cancelled'] === true)
    throw new CliError(
      'cancelled-before',
      `an earlier run with this --key created ${titleOf(resource, found)}, which is now cancelled`,
      {
        exit: EXIT.conflict,
        hint: 'To create a new record, use another --key.',
      },
    );
  if (found) await session.info(`an earlier run with this --key created ${titleOf(resource, found)}`);
  return found;
}
