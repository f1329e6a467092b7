/**
 * Marks at the end of names: the mark of `--key TOKEN`, by which a repeated job finds the record of its first run, and the mark of a
 * campaign, by which the campaign finds its records.
 */
import { createHash } from 'node:crypto';
import { appendCampaignMark, parseCampaignMark } from '../../campaign/marks.ts';
import type { Client } from '../../client/client.ts';
import { titleOf } from '../../client/record-title.ts';
import type { JsonObject } from '../../protocol/envelope.ts';
import type { Resource, Values } from '../../schema/resource.ts';
import type { Input } from '../command/command.ts';
import { parsedFlag } from '../command/flag.ts';
import { CliError, UsageError } from '../errors/errors.ts';
import { EXIT } from '../errors/exit-codes.ts';
import type { ServiceAccess } from '../session/access.ts';
import type { StderrNotePrinter } from '../session/notes.ts';
import type { BodyDraft } from './body.ts';
import type { Id } from './references.ts';

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

/** Returns the mark of a `--key` token: ` [svc-7f3a9c12]`. */
function formatIdempotencyMark(token: string): string {
  const digest = createHash('sha256').update(token, 'utf8').digest('hex');
  return ` [svc-${digest.slice(0, MARK_DIGITS)}]`;
}

/**
 * Appends the mark of `--key`, such as ` [svc-7f3a9c12]`, to the name in the draft. A repeated run finds the record by this mark. Without
 * the flag, returns the draft unchanged.
 */
export function appendIdempotencyMarkToDraftName(input: Input, draft: BodyDraft): BodyDraft {
  const token = input.find(idempotencyKeyFlag);
  const { name } = draft.body;
  if (token === undefined || typeof name !== 'string') return draft;
  return { ...draft, body: { ...draft.body, name: `${name}${formatIdempotencyMark(token)}` } };
}

/**
 * Returns the record that an earlier run with the same name and token created, if any. @param name the name with the mark of `--key`
 * @throws CliError exit 5 for a cancelled task, which someone may have cancelled on purpose
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
      { exit: EXIT.conflict, hint: 'To create a new record, use another --key.' },
    );
  if (found) await session.info(`an earlier run with this --key created ${titleOf(resource, found)}`);
  return found;
}

/** Adds the record's campaign mark to the new name in the body of a PUT. @throws UsageError if the name is too long for the mark */
export async function keepCampaignMarkInNewName(
  client: Pick<Client, 'get'>,
  resource: Resource,
  id: Id,
  body: Values,
): Promise<Values> {
  const { name } = body;
  if (typeof name !== 'string' || !MARKED.has(resource.noun) || parseCampaignMark(name)) return body;
  const found = await client.get(resource, id);
  const mark = parseCampaignMark(found?.['name'])?.mark;
  if (!mark) return body;
  const marked = appendCampaignMark(name, mark);
  const [, most] = resource.fields['name']?.octets ?? [];
  const over = most === undefined ? 0 : Buffer.byteLength(marked, 'utf8') - most;
  if (over > 0)
    throw new UsageError(`cannot rename ${resource.noun} ${String(id)}: the name is ${over} bytes too long`, {
      hint: `svc adds the campaign's mark, such as [svc-…], to the name, and this mark takes ${Buffer.byteLength(marked, 'utf8') - Buffer.byteLength(name, 'utf8')} of ${most} bytes; use a shorter name`,
    });
  return { ...body, name: marked };
}

/** Nouns of the resources that a campaign file can contain. */
const MARKED: ReadonlySet<string> = new Set(['folder', 'email', 'sms-message', 'task', 'automation']);
