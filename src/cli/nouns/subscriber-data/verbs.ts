/** A command names a value by its id, `<field>_<subscriber>`, or by field and subscriber. */

import { readIdText } from '../../../kit/schema/integer.ts';
import { joinCompositeId, type Values } from '../../../kit/schema/resource.ts';
import { subscriberProfileData as data } from '../../../service/resources/subscriber-profile-data.ts';
import { bulkJobFlags } from '../../bulk/flags.ts';
import type { Input, Verb } from '../../command/command.ts';
import { fileFlag } from '../../command/flag.ts';
import { UsageError } from '../../errors/errors.ts';
import { createBodyFlags, createFilterFlags } from '../../request/attribute-flags.ts';
import { finishRequestBody, readBody } from '../../request/body.ts';
import { confirmActionWithAccountShown } from '../../request/guards.ts';
import { parseRecordId } from '../../request/references.ts';
import {
  createLineOrRecordOutcome,
  createWriteOutcome,
  printNoteAboutWrite,
} from '../../request/write-outcome.ts';
import type { Ports } from '../../session/ports.ts';
import { readFilters } from '../generic/list.ts';

const idArgument = {
  name: 'id',
  describe: 'Id of the profile field and id of the subscriber, such as 3_17',
  optional: true,
} as const;

const rowsFileFlag = fileFlag('file', {
  describe: 'Set one value for each row of this file; columns: subscriber, field, value',
});

const subscriberDataSet: Verb = {
  name: 'set',
  summary: 'Set the value of a custom profile field, or many values from a file',
  work: 'changes',
  exits: { 8: 'rows failed' },
  methods: ['PUT'],
  example: 'subscriber-data set --subscriber 1 --field 3 --value espresso',
  positionals: [idArgument],
  // An id or a file can replace the flags.
  flags: [
    ...createBodyFlags(data, 'POST').map((flag) => ({ ...flag, required: false })),
    rowsFileFlag,
    ...bulkJobFlags,
  ],
  companies: 'writes',
  run: async (session, input) => {
    const file = input.get(rowsFileFlag);
    if (file !== undefined) return (await import('./set-file.ts')).setValuesFromFile(session, input, file);
    const body = await wholeBody(session, input);
    // Wire, "PUT of subscriberProfileData by its pair": it stores the value where none is stored yet.
    const record = await (await session.client()).update(data, undefined, body);
    return createWriteOutcome(session, data, record, 'Set');
  },
};

const subscriberDataUpdate: Verb = {
  name: 'update',
  summary: "Update a subscriber's value in a custom profile field",
  work: 'changes',
  methods: ['PUT'],
  example: 'subscriber-data update 3_1 --value espresso',
  positionals: [idArgument],
  flags: createBodyFlags(data, 'PUT'),
  companies: 'writes',
  run: async (session, input) => {
    const body = await wholeBody(session, input);
    const value = { value: body.value ?? '' };
    const record = await (await session.client()).update(data, joinCompositeId(data, body), value);
    return createWriteOutcome(session, data, record, 'Updated');
  },
};

const subscriberDataDelete: Verb = {
  name: 'delete',
  summary: 'Delete one value, or all values of a subscriber or of a custom profile field',
  work: 'changes',
  methods: ['DELETE'],
  example: 'subscriber-data delete 3_1 --yes',
  positionals: [idArgument],
  flags: createFilterFlags(data, ['subscriber_id', 'subscriberprofilefield_id']),
  companies: 'writes',
  run: async (session, input) => {
    const by = await readTarget(session, input);
    const words = Object.entries(by).map(([attribute, value]) => `${attribute} ${value}`);
    const what = `the profile data of ${words.join(' and ')}`;
    await confirmActionWithAccountShown(session, `delete ${what}`);
    await (await session.client()).remove(data, by);
    await printNoteAboutWrite(session, `deleted ${what}`);
    return createLineOrRecordOutcome(session, `Deleted ${what}.`, data, by);
  },
};

/** The id `3_17` means field 3 of subscriber 17, like two flags. */
async function wholeBody(session: Ports, input: Input) {
  const draft = await readBody(session, data, 'POST', input);
  const [id] = input.positionals;
  const parts = id === undefined ? {} : partsOf(id);
  for (const [attribute, part] of Object.entries(parts)) {
    const given = draft.body[attribute];
    if (given !== undefined && given !== part) throw new UsageError(`the id ${id} and --${attribute} differ`);
  }
  return finishRequestBody(session, data, 'POST', { ...draft, body: { ...draft.body, ...parts } });
}

function partsOf(id: string): Readonly<Record<string, number | bigint>> {
  const [field, subscriber] = id.split('_').map(readIdText);
  if (field === undefined || subscriber === undefined || parseRecordId(data, id) === undefined)
    throw new UsageError(`${JSON.stringify(id)} is not an id of subscriber-data`, {
      hint: 'write the id of the field, _ and the id of the subscriber, such as 3_17',
    });
  return { subscriberprofilefield_id: field, subscriber_id: subscriber };
}

async function readTarget(session: Ports, input: Input): Promise<Values> {
  const [text] = input.positionals;
  const filters = await readFilters(session, data, ['subscriber_id', 'subscriberprofilefield_id'], input);
  if (text === undefined && Object.keys(filters).length > 0) return filters;
  const id = text === undefined ? undefined : parseRecordId(data, text);
  if (id !== undefined && Object.keys(filters).length === 0) return { id };
  throw new UsageError('no value to delete was given', {
    hint: 'give an id such as 3_17, --subscriber or --field',
  });
}

export const subscriberDataVerbs: readonly Verb[] = [
  subscriberDataSet,
  subscriberDataUpdate,
  subscriberDataDelete,
];
