import { titleOf } from '../../../client/requests/record-title.ts';
import type { WriteOptions } from '../../../client/requests/write.ts';
import type { RecordUnderKey } from '../../../client/sends/keyed-record.ts';
import type { KeyedResource } from '../../../client/sends/keys.ts';
import type { BodyOf, RecordOf, Resource, Values } from '../../../kit/schema/resource.ts';
import type { JsonObject } from '../../../service/protocol/envelope.ts';
import type { RuleResource } from '../../../service/resources/rule-kinds.ts';
import type { Input, Outcome, Verb } from '../../command/command.ts';
import { UsageError } from '../../errors/errors.ts';
import { askForMissingAttributes } from '../../request/ask-missing.ts';
import { createBodyFlags } from '../../request/attribute-flags.ts';
import { type BodyDraft, finishRequestBody, readBody } from '../../request/body.ts';
import { keepCampaignMarkInNewName } from '../../request/campaign-mark.ts';
import { confirmActionWithAccountShown, requireYesFlagOrTerminal } from '../../request/guards.ts';
import {
  allowsBoth,
  flagsForCreate,
  idempotencyKeyFlag,
  tellEarlierRun,
  withKeyMark,
} from '../../request/key.ts';
import { type Id, readRecordId, resolveId, resolveRecord } from '../../request/references.ts';
import {
  createOutcomeFromRecord,
  createWriteOutcome,
  printNoteAboutWrite,
  shouldSummarizeWriteInOneLine,
} from '../../request/write-outcome.ts';
import { createKeyLook } from '../../session/made-here.ts';
import type { Invocation, Ports, Profiles, ServiceAccess, Tell } from '../../session/ports.ts';
import { describeRecordLookup, idPositional } from './read.ts';

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
      const asked = await askForMissingAttributes(session, resource, input, draft);
      return createRecordFromDraft(session, resource, input, asked);
    },
  };
}

interface WriteNotes {
  /** Runs before the body is sent. */
  readonly before?: (body: Values) => Promise<void>;
  readonly after?: (record: JsonObject, body: Values) => Promise<void>;
}

/** Returns the new record, or that of an earlier run with the same `--key`. */
export async function createRecordFromDraft(
  session: Ports,
  resource: Resource,
  input: Input,
  draft: BodyDraft,
  notes: WriteNotes = {},
): Promise<Outcome> {
  const body = await finishRequestBody(session, resource, 'POST', withKeyMark(input, draft));
  const isKeyed = input.find(idempotencyKeyFlag) !== undefined;
  const both = resource.variant !== undefined && allowsBoth(input);
  const keyed = isKeyed ? await createKeyedRecord(session, resource, body, both) : undefined;
  const earlier = await keyed?.findEarlier();
  if (earlier) {
    await tellEarlierRun(session, resource, earlier);
    return createOutcomeFromRecord(resource, earlier);
  }
  await notes.before?.(body);
  const record = keyed ? await keyed.create() : await sendCreateRequest(session, resource, body);
  await notes.after?.(record, body);
  return createWriteOutcome(session, resource, record, 'Created');
}

async function createKeyedRecord(
  session: Invocation & Tell & ServiceAccess & Profiles,
  resource: Resource,
  body: Values,
  both: boolean,
) {
  const { warn } = session;
  const creation = {
    client: await session.client(),
    look: await createKeyLook(session),
    resource: resource as KeyedResource,
    body,
    warn,
  };
  const told = async ({ record, isNew }: RecordUnderKey) => {
    if (isNew) await printNoteAboutWrite(session, `made ${titleOf(resource, record)}`);
    else await tellEarlierRun(session, resource, record);
    return record;
  };
  if (resource.variant === undefined) {
    const { createRecordUnderKey, findEarlierRecord } = await import('../../../client/sends/keyed-record.ts');
    return {
      findEarlier: () => findEarlierRecord(creation),
      create: async () => told(await createRecordUnderKey(creation)),
    };
  }
  const { createRuleUnderKey, findRuleOfEarlierRun } = await import('../../../client/sends/keyed-rule.ts');
  const rule = { ...creation, resource: resource as RuleResource, both };
  return {
    findEarlier: () => findRuleOfEarlierRun(rule),
    create: async () => told(await createRuleUnderKey(rule)),
  };
}

/** The checks in `options` run before each attempt, and stop it with an error. */
export async function sendCreateRequest<R extends Resource>(
  session: Invocation & Tell & ServiceAccess,
  resource: R,
  body: Values,
  options: Pick<WriteOptions, 'beforeAttempt'> = {},
): Promise<RecordOf<R>> {
  const record = await (await session.client()).create(resource, body, options);
  await printNoteAboutWrite(session, `made ${titleOf(resource, record)}`);
  return record;
}

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

/** Calls `readId` only after all local checks have passed. */
export async function updateRecordFromDraft(
  session: Ports,
  resource: Resource,
  draft: BodyDraft,
  readId: () => Promise<Id>,
  notes: WriteNotes = {},
): Promise<Outcome> {
  const body = await checkUpdateBody(session, resource, draft);
  const id = await readId();
  await notes.before?.(body);
  const record = await sendUpdateRequest(session, resource, id, body);
  await notes.after?.(record, body);
  return createWriteOutcome(session, resource, record, 'Updated');
}

/** @throws UsageError for a body without changes, or with an id */
export async function checkUpdateBody<R extends Resource>(
  session: Invocation & Tell & Profiles,
  resource: R,
  draft: BodyDraft,
): Promise<BodyOf<R>> {
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

export async function sendUpdateRequest<R extends Resource>(
  session: Invocation & Tell & ServiceAccess,
  resource: R,
  id: Id,
  body: Values,
): Promise<RecordOf<R>> {
  const client = await session.client();
  const marked = await keepCampaignMarkInNewName(client, resource, id, body);
  const record = await client.update(resource, id, marked);
  await printNoteAboutWrite(session, `changed ${titleOf(resource, record)}`);
  return record;
}

/** Reads the record first, so that the confirmation names it. `printEffects` runs before the confirmation. */
export function createVerbToDeleteRecord<R extends Resource>(
  resource: R,
  printEffects?: (session: Ports, record: RecordOf<R>) => Promise<void>,
): Verb {
  const { about, consequence } = resource.deleteWarning ?? {};
  return {
    name: 'delete',
    summary: `Delete ${describeRecordLookup(resource)}`,
    work: 'changes',
    methods: ['DELETE'],
    example: resource.examples?.delete ?? `${resource.noun} delete 1 --yes`,
    about,
    positionals: [idPositional(resource)],
    flags: [],
    companies: 'writes',
    run: async (session, { positionals: [text = ''] }) => {
      requireYesFlagOrTerminal(session, `delete ${resource.noun} ${text}`);
      const record = await resolveRecord(session, resource, text);
      const id = readRecordId(record);
      await printEffects?.(session, record);
      await confirmActionWithAccountShown(
        session,
        `delete ${titleOf(resource, record)}${consequence?.(record) ?? ''}`,
      );
      await (await session.client()).remove(resource, { id });
      if (await shouldSummarizeWriteInOneLine(session))
        return createWriteOutcome(session, resource, record, 'Deleted');
      await printNoteAboutWrite(session, `deleted ${titleOf(resource, record)}`);
      return createOutcomeFromRecord({ ...resource, columns: ['id'] }, { id });
    },
  };
}
