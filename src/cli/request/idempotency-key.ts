/** `--key TOKEN`: a short mark in a name, by which the same job run again finds what its first run made. */
import { createHash } from 'node:crypto';
import { titleOf } from '../../client/record-title.ts';
import type { JsonObject } from '../../protocol/envelope.ts';
import type { Resource } from '../../schema/resource.ts';
import type { Input } from '../command/command.ts';
import { parsedFlag } from '../command/flag.ts';
import { CliError } from '../errors/errors.ts';
import { EXIT } from '../errors/exit-codes.ts';
import type { Session } from '../session/session.ts';

const MARK_DIGITS = 8;

/** Resources whose records have a name that a POST sets. */
export function canBeMarked(resource: Resource): boolean {
  return resource.methods.post?.required?.includes('name') === true && resource.calledBy === 'name';
}

export const keyFlag = parsedFlag(
  'key',
  {
    describe: 'Create only once per token (a build id)',
    value: 'token',
  },
  (text) =>
    text.trim() === ''
      ? { fault: { reason: 'is empty', instead: 'give a build id, for instance' } }
      : { value: text },
);

/** ` [svc-7f3a9c12]` */
export function markOf(token: string): string {
  const digest = createHash('sha256').update(token, 'utf8').digest('hex');
  return ` [svc-${digest.slice(0, MARK_DIGITS)}]`;
}

/** The body with the mark of `--key` in its name. */
export function withMark(
  input: Input,
  body: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const token = input.find(keyFlag);
  if (token === undefined) return body;
  const { name } = body;
  return typeof name === 'string' ? { ...body, name: `${name}${markOf(token)}` } : body;
}

/**
 * What an earlier run with the same name and token made.
 * @throws CliError exit 5 for a task that is cancelled: it does not go out, and a second one might be what was stopped
 */
export async function madeBefore(
  session: Session,
  resource: Resource,
  input: Input,
  name: unknown,
): Promise<JsonObject | undefined> {
  if (input.find(keyFlag) === undefined || typeof name !== 'string') return undefined;
  const client = await session.client();
  const [found] = await client.find(resource, { name });
  if (found?.['cancelled'] === true)
    throw new CliError(
      'cancelled-before',
      `an earlier run with this --key made it: ${titleOf(resource, found)} is cancelled`,
      {
        exit: EXIT.conflict,
        hint: 'Another --key makes a new one.',
      },
    );
  if (found) await session.info(`an earlier run with this --key made it: ${titleOf(resource, found)}`);
  return found;
}
