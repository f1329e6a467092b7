/** A command that writes a message reports its lint errors, one that sends it refuses them (contract, "Safety"). */

import { titleOf } from '../../client/requests/record-title.ts';
import type { Id } from '../../kit/schema/integer.ts';
import { fieldOf, type Resource, type Values } from '../../kit/schema/resource.ts';
import { formatCountWithNoun } from '../../kit/text/words.ts';
import type { ContentOrigin, LintFinding, MessageContent } from '../../service/lint/finding.ts';
import type { JsonObject } from '../../service/protocol/envelope.ts';
import type { Input } from '../command/command.ts';
import { switchFlag } from '../command/flag.ts';
import { InvalidInputError, UsageError } from '../errors/errors.ts';
import type { Invocation, Ports, Profiles, ServiceAccess, Tell } from '../session/ports.ts';
import { readAttributeFilePath, writableAttributes } from './attribute-flags.ts';
import type { BodyDraft } from './body.ts';

/** Keys are the names of resources. */
export const LINTED_ATTRIBUTES = {
  emailMessage: ['customoptin', 'fromemail', 'fromname', 'html', 'name', 'replyemail', 'subject', 'text'],
  smsMessage: ['fromname', 'message', 'subinfo'],
} as const;

/** Leaves out attributes that `body` overrides. */
export const attributesToLint = (
  linted: readonly string[],
  message: MessageContent,
  body: MessageContent = {},
): MessageContent =>
  Object.fromEntries(
    Object.entries(message).filter(
      ([name, value]) => linted.includes(name) && value !== null && !Object.hasOwn(body, name),
    ),
  );

export const allowLintErrorsFlag = switchFlag('allow-lint-errors', {
  describe: 'Accept messages with lint errors',
});

/** Warns even with `--quiet`, but not with `--no-validate`. The record exists, so the command succeeds. */
export async function warnAboutLintErrors(
  session: Ports,
  resource: Resource,
  input: Input,
  record: JsonObject,
  body: Values,
): Promise<void> {
  if (!session.globals.validate || session.dryRun.isOn) return;
  let errors: readonly LintFinding[];
  try {
    errors = await errorsIn(session, resource, record, body, attributeFilePaths(resource, input));
  } catch (error) {
    if (session.context.signal.aborted) throw error;
    await session.warn(`cannot lint ${titleOf(resource, record)}: ${session.explain(error).message}`);
    return;
  }
  const [first] = errors;
  if (first === undefined) return;
  await session.warn(
    `Careful: ${titleOf(resource, record)} has ${formatCountWithNoun(errors.length, 'lint error')}: ` +
      `${withoutStop(first.message)} [${first.rule}]. See: ${lintCommand(resource, record)}`,
  );
}

/**
 * Continues with a warning if the message cannot be read, because the service checks that it exists. Does
 * nothing with `--no-validate`.
 * @throws InvalidInputError with all errors, unless `--allow-lint-errors` is given
 */
export async function refuseLintErrorsOfRecord(
  session: Invocation & Tell & ServiceAccess & Profiles,
  input: Input,
  resource: Resource,
  id: Id,
): Promise<void> {
  if (!session.globals.validate || input.get(allowLintErrorsFlag)) return;
  let record: JsonObject | undefined;
  let errors: readonly LintFinding[];
  try {
    record = await (await session.client()).get(resource, id);
    // The service refuses the task, and its error names the message.
    if (record === undefined) return;
    errors = await errorsIn(session, resource, record, {});
  } catch (error) {
    if (session.context.signal.aborted) throw error;
    const title = titleOf(resource, { id });
    await session.warn(`cannot lint ${title} before the send: ${session.explain(error).message}`);
    return;
  }
  refuse(resource, record, errors);
}

/** The content comes from the record `message`. */
export async function refuseLintErrorsOfContent(
  session: Invocation & ServiceAccess & Profiles,
  input: Input,
  resource: Resource,
  { message, content }: { readonly message: JsonObject; readonly content: Values },
): Promise<void> {
  if (!session.globals.validate || input.get(allowLintErrorsFlag)) return;
  refuse(resource, message, await errorsIn(session, resource, {}, content));
}

function refuse(resource: Resource, record: JsonObject, errors: readonly LintFinding[]): void {
  if (errors.length === 0) return;
  const title = titleOf(resource, record);
  throw new InvalidInputError(
    errors.map(({ message, rule }) => ({
      attribute: '',
      reason: `${title}: ${withoutStop(message)} [${rule}]`,
    })),
    'nothing was sent',
    `fix the message, or add --${allowLintErrorsFlag.name}; for all findings, run ${lintCommand(resource, record)}`,
  );
}

const lintCommand = ({ noun }: Resource, { id }: { readonly id?: unknown }): string =>
  `svc ${noun} lint ${String(id)}`;

/** Checks the HTML or text of a message that is about to be written. */
export function refuseEmptyFiles(resource: Resource, input: Input, { body }: Pick<BodyDraft, 'body'>): void {
  for (const [attribute, file] of Object.entries(attributeFilePaths(resource, input))) {
    const text = body[attribute];
    if (typeof text !== 'string' || text.trim() !== '') continue;
    throw new UsageError(`--${fieldOf(resource, attribute).fileFlag} ${file} is empty; nothing was sent`, {
      hint: 'give a file that has the content of the message',
    });
  }
}

/** Values of `body` replace the stored ones. */
async function errorsIn(
  session: ServiceAccess & Profiles,
  resource: Resource,
  record: MessageContent & { readonly id?: unknown },
  body: Values,
  files: ContentOrigin['files'] = {},
): Promise<readonly LintFinding[]> {
  const linted = LINTED_ATTRIBUTES[resource.name === 'smsMessage' ? 'smsMessage' : 'emailMessage'];
  const known = attributesToLint(linted, record, body);
  const content = { ...known, ...attributesToLint(linted, body) };
  const stored = new Set(Object.keys(known));
  // Loaded only here, because every verb of a noun is loaded at once.
  const { findLintErrors } = await import('./lint-errors.ts');
  return findLintErrors(session, resource, record, { content, stored, files });
}

/** Keys are attributes. Leaves out standard input. */
export function attributeFilePaths(resource: Resource, input: Input): Readonly<Record<string, string>> {
  const files = writableAttributes(resource, 'PUT').map((attribute) => [
    attribute,
    readAttributeFilePath(input, fieldOf(resource, attribute)),
  ]);
  return Object.fromEntries(files.filter(([, file]) => file !== undefined && file !== '-'));
}

/** More text can then follow. */
export const withoutStop = (sentence: string): string => sentence.replace(/\.$/, '');
