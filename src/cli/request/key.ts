/** A repeated job finds the record of its first run by the mark of the key in the record's name. */

import { nameUnderKey, titleOf } from '../../client/requests/record-title.ts';
import type { Resource } from '../../kit/schema/resource.ts';
import type { JsonObject } from '../../service/protocol/envelope.ts';
import type { Input } from '../command/command.ts';
import { type FlagShape, parsedFlag, switchFlag } from '../command/flag.ts';
import { UsageError } from '../errors/errors.ts';
import type { Tell } from '../session/ports.ts';
import { createBodyFlags } from './attribute-flags.ts';
import type { BodyDraft } from './body.ts';

/** Adds `--key` if it works for the resource. */
export function flagsForCreate(resource: Resource): readonly FlagShape[] {
  return [
    ...createBodyFlags(resource, 'POST'),
    ...(supportsIdempotencyKey(resource) ? [idempotencyKeyFlag] : []),
  ];
}

/** Records must have a name that a POST sets. */
function supportsIdempotencyKey(resource: Resource): boolean {
  return resource.methods.post?.required?.includes('name') === true && resource.calledBy === 'name';
}

/** Not an API key: a repeated command with the same key finds its record. */
export const idempotencyKeyFlag = parsedFlag(
  'key',
  { describe: 'Idempotency key: a second run creates nothing', value: 'token' },
  (text) =>
    text.trim() === ''
      ? { fault: { reason: 'is empty', instead: 'give a build id, for example' } }
      : { value: text },
);

/** Permits a record that does the same as an existing one of another key or campaign. */
export const bothFlag = switchFlag('both', {
  describe: 'Allow a duplicate of another key or campaign',
});

/** @throws UsageError for `--both` without `--key` */
export function allowsBoth(input: Input): boolean {
  if (input.get(bothFlag) && input.find(idempotencyKeyFlag) === undefined)
    throw new UsageError('--both needs --key', {
      hint: 'without --key, svc creates the record whatever other records do',
    });
  return input.get(bothFlag);
}

/** Appends the mark of `--key` to the name. Without the flag, returns the draft unchanged. */
export function withKeyMark(input: Input, draft: BodyDraft): BodyDraft {
  const token = input.find(idempotencyKeyFlag);
  const { name } = draft.body;
  if (token === undefined || typeof name !== 'string') return draft;
  return { ...draft, body: { ...draft.body, name: nameUnderKey(name, token) } };
}

export const tellEarlierRun = (session: Tell, resource: Resource, record: JsonObject): Promise<void> =>
  session.info(`an earlier run with this --key created ${titleOf(resource, record)}`);
