import { titleOf } from '../../../client/record-title.ts';
import type { WriteOptions } from '../../../client/writes.ts';
import type { JsonObject } from '../../../protocol/envelope.ts';
import type { Resource, Values } from '../../../schema/resource.ts';
import type { Outcome, Verb } from '../../command/command.ts';
import { UsageError } from '../../errors/errors.ts';
import { createBodyFlags } from '../../request/attribute-flags.ts';
import { type BodyDraft, finishRequestBody, readBody } from '../../request/body.ts';
import { keepCampaignMarkInNewName } from '../../request/name-marks.ts';
import { type Id, resolveId } from '../../request/references.ts';
import { createWriteOutcome, printNoteAboutWrite } from '../../request/write-outcome.ts';
import type { Session } from '../../session/session.ts';
import { describeRecordLookup, idPositional } from './get.ts';

export function createVerbToUpdateRecord(resource: Resource): Verb {
  return {
    name: 'update',
    summary: `Update ${describeRecordLookup(resource)}`,
    work: 'changes',
    methods: ['PUT'],
    example: resource.examples?.update ?? `${resource.noun} update 1 --data @changed.json`,
    positionals: [idPositional(resource)],
    flags: createBodyFlags(resource, 'PUT'),
    companies: 'writes',
    run: async (session, input) => {
      const [text = ''] = input.positionals;
      const draft = await readBody(session, resource, 'PUT', input);
      return updateRecordFromDraft(session, resource, draft, () => resolveId(session, resource, text));
    },
  };
}

/**
 * Checks and sends a change, and returns the outcome. @param readId returns the id of the record; called only after all local checks have
 * passed
 */
export async function updateRecordFromDraft(
  session: Session,
  resource: Resource,
  draft: BodyDraft,
  readId: () => Promise<Id>,
): Promise<Outcome> {
  const body = await checkUpdateBody(session, resource, draft);
  return createWriteOutcome(
    session,
    resource,
    await sendUpdateRequest(session, resource, await readId(), body),
    'Updated',
  );
}

/** Returns the body of a PUT after all checks. @throws UsageError for a body without changes, or with an id */
export async function checkUpdateBody(
  session: Session,
  resource: Resource,
  draft: BodyDraft,
): Promise<Values> {
  if (Object.keys(draft.body).length === 0 && draft.findings.length === 0)
    throw new UsageError('nothing to change', {
      hint: `run svc ${resource.noun} update --help to see the flags`,
    });
  if (Object.hasOwn(draft.body, 'id'))
    throw new UsageError('--data must not contain an id', { hint: 'give the id as an argument' });
  // The id travels in the path. Rules only check whether there is one.
  const known = { id: resource.compositeId ? resource.compositeId.map(() => 1).join('_') : 1 };
  return finishRequestBody(session, resource, 'PUT', draft, known);
}

/** Sends the checked body of a PUT and returns the changed record. */
export async function sendUpdateRequest(
  session: Session,
  resource: Resource,
  id: Id,
  body: Values,
  { beforeAttempt }: WriteOptions = {},
): Promise<JsonObject> {
  const client = await session.client();
  const marked = await keepCampaignMarkInNewName(client, resource, id, body);
  const record = await client.update(resource, id, marked, beforeAttempt ? { beforeAttempt } : {});
  await printNoteAboutWrite(session, `changed ${titleOf(resource, record)}`);
  return record;
}
