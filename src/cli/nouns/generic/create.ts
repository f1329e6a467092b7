import type { Client } from '../../../client/client.ts';
import { titleOf } from '../../../client/record-title.ts';
import type { WriteOptions } from '../../../client/writes.ts';
import type { JsonObject } from '../../../protocol/envelope.ts';
import type { Resource, Values } from '../../../schema/resource.ts';
import type { Input, Outcome, Verb } from '../../command/command.ts';
import type { FlagShape } from '../../command/flag.ts';
import { askForMissingAttributes } from '../../request/ask-missing.ts';
import { createBodyFlags } from '../../request/attribute-flags.ts';
import { type BodyDraft, finishRequestBody, readBody } from '../../request/body.ts';
import {
  appendIdempotencyMarkToNameInBody,
  findRecordByIdempotencyKey,
  idempotencyKeyFlag,
  supportsIdempotencyKey,
} from '../../request/name-marks.ts';
import {
  createOutcomeFromRecord,
  createWriteOutcome,
  printNoteAboutWrite,
} from '../../request/write-outcome.ts';
import type { Session } from '../../session/session.ts';

export function createVerbToCreateRecord(resource: Resource): Verb {
  return {
    name: resource.verbs?.post ?? 'create',
    summary: `Create ${resource.singular}${resource.methods.post?.only === 'partner' ? ', as a partner' : ''}`,
    work: 'creates',
    methods: ['POST'],
    example: resource.examples?.create ?? `${resource.noun} create --data @new.json`,
    flags: flagsForCreate(resource),
    companies: 'writes',
    run: async (session, input) => {
      const draft = await readBody(session, resource, 'POST', input);
      return createRecordFromDraft(
        session,
        resource,
        input,
        await askForMissingAttributes(session, resource, input, draft),
      );
    },
  };
}

export function flagsForCreate(resource: Resource): readonly FlagShape[] {
  return [
    ...createBodyFlags(resource, 'POST'),
    ...(supportsIdempotencyKey(resource) ? [idempotencyKeyFlag] : []),
  ];
}

/**
 * Checks and sends a draft, and returns the created record. If an earlier run with the same `--key` created the record, returns that record
 * and sends nothing. @param printNotes prints notes about the checked body before it is sent
 */
export async function createRecordFromDraft(
  session: Session,
  resource: Resource,
  input: Input,
  draft: BodyDraft,
  printNotes?: (body: Values) => Promise<void>,
): Promise<Outcome> {
  const body = await finishRequestBody(
    session,
    resource,
    'POST',
    appendIdempotencyMarkToDraftName(input, draft),
  );
  const earlier = await findRecordByIdempotencyKey(session, resource, input, body['name']);
  if (earlier) return createOutcomeFromRecord(resource, earlier);
  await printNotes?.(body);
  return createWriteOutcome(session, resource, await sendCreateRequest(session, resource, body), 'Created');
}

/** Appends the mark of `--key`, such as ` [svc-7f3a9c12]`, to the name in the draft. A repeated run finds the record by this mark. */
export const appendIdempotencyMarkToDraftName = (input: Input, draft: BodyDraft): BodyDraft => ({
  ...draft,
  body: appendIdempotencyMarkToNameInBody(input, draft.body),
});

/**
 * Sends a checked body and returns the created record. @param client replaces the session's client @param beforeAttempt a check before each
 * attempt, which stops the attempt with an error
 */
export async function sendCreateRequest(
  session: Session,
  resource: Resource,
  body: Values,
  { client, beforeAttempt }: { readonly client?: Client | undefined } & WriteOptions = {},
): Promise<JsonObject> {
  const sender = client ?? (await session.client());
  const record = await sender.create(resource, body, beforeAttempt ? { beforeAttempt } : {});
  await printNoteAboutWrite(session, `made ${titleOf(resource, record)}`);
  return record;
}
