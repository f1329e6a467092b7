/** Declares the commands of `svc sandbox outbox`, which show delivered messages and export them as e-mail files. */

import { lstat, open } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { formatTime } from '../../../kit/text/timezone.ts';
import type { Answer } from '../../../sandbox/control/all.ts';
import { controlOperationNamed } from '../../../service/protocol/control.ts';
import type { Input, Outcome, Verb } from '../../command/command.ts';
import { folderFlag, switchFlag } from '../../command/flag.ts';
import { CliError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import { createItemResult } from '../../output/result.ts';
import { makeOutputFolder } from '../../request/new-file.ts';
import type { Changes, Invocation, Profiles, Tell } from '../../session/ports.ts';
import { dataFlag, requestSandboxOperation } from './connection.ts';
import { convertOperationResponse, operationVerbHelp } from './control-verb.ts';
import { createListVerb } from './pages.ts';
import {
  operationParameterFlags,
  operationParameterPositionals,
  readOperationParameters,
} from './parameters.ts';

const SHOW = controlOperationNamed('outbox show');
const emlFlag = switchFlag('eml', { describe: 'Print the raw e-mail' });
const dirFlag = {
  ...folderFlag('dir', { describe: 'Folder to write to', required: true }),
  writes: 'folder',
} as const;

export const listOutbox: Verb = createListVerb(
  'outbox list',
  { cursorOf: ({ id }) => id, shownInTable: asTableRow, oldest: '' },
  (rows, filter) =>
    Object.keys(filter).length > 0 ? { ...rows, empty: 'No delivered message matches the filters.' } : rows,
);

export const showDelivery: Verb = {
  ...operationVerbHelp('outbox show'),
  positionals: operationParameterPositionals(SHOW),
  flags: [emlFlag, ...operationParameterFlags(SHOW), dataFlag],
  run: async (session, input) => {
    if (input.get(emlFlag)) return printEml(session, input);
    const args = await readOperationParameters(session, input, 'outbox show');
    const answer = await requestSandboxOperation(session, input, 'outbox show', args);
    const result = await convertOperationResponse(session, answer, SHOW);
    if (result.kind !== 'object' || (await session.format()) !== 'table') return { result };
    const columns = SHOW.columns.map((column) => ({
      ...column,
      kind: 'text' as const,
      ...(['html', 'text'].includes(column.name) ? { hasLines: true as const } : {}),
    }));
    return {
      result: {
        ...result,
        columns,
        value: { ...result.value, cause: causeOf(answer.data), events: eventsOf(answer) },
      },
    };
  },
};

/** Returns `sent 2026-12-01 09:00, clicked https://example.com/ 2026-12-01 10:12`. */
const eventsOf = ({ data, zone }: { readonly data: Answer<'outbox show'>; readonly zone: string }): string =>
  data.events
    .map(({ time, event, title }) =>
      [event, ...(title === null ? [] : [title]), formatTime(time, zone, 'table')].join(' '),
    )
    .join(', ');

async function printEml(session: Invocation & Tell & Profiles & Changes, input: Input): Promise<Outcome> {
  const { data } = await requestSandboxOperation(session, input, 'outbox eml', {
    id: input.positionals[0] ?? '',
  });
  const { id, eml } = data;
  const format = await session.format();
  if (format === 'json' || format === 'ndjson' || format === 'yaml')
    return { result: createItemResult({ id, eml }) };
  return { result: { kind: 'raw', body: eml } };
}

function asTableRow(row: Answer<'outbox list'>[number]) {
  return { ...row, subject: row.subject ?? row.text, cause: causeOf(row) };
}

/** Returns `task 3`, `rule click:4` or `sms 12`. */
function causeOf({ cause: { kind, id, rule_kind } }: Answer<'outbox list'>[number]): string {
  const named = rule_kind === null ? id : `${rule_kind}:${id}`;
  return [kind, named].filter((word) => word !== null).join(' ');
}

export const exportMail: Verb = {
  name: 'export',
  summary: 'Write all delivered e-mails to a folder as ID.eml',
  work: 'finds in sandbox',
  exits: { 8: 'some files already exist' },
  example: 'sandbox outbox export --dir mails',
  flags: [dirFlag, dataFlag],
  run: async (session, input) => {
    const dir = resolve(session.context.cwd, input.get(dirFlag));
    session.beforeChange(`write the delivered e-mails to ${dir}`);
    makeOutputFolder(dir);
    let written = 0;
    let existing = 0;
    for await (const id of mailIds(session, input)) {
      const path = join(dir, `${id}.eml`);
      if (await fileExists(path)) existing += 1;
      else {
        const { data } = await requestSandboxOperation(session, input, 'outbox eml', { id });
        // Another process may have created the file in the meantime.
        if (await create(path, data.eml)) written += 1;
        else existing += 1;
      }
    }
    if (existing > 0)
      await session.info(
        `${existing} files already existed and are unchanged; to write all e-mails, choose another --dir.`,
      );
    return {
      result: {
        kind: 'object',
        value: { dir, written, existing },
        columns: [{ name: 'dir' }, { name: 'written', kind: 'number' }, { name: 'existing', kind: 'number' }],
      },
      exit: existing > 0 ? EXIT.partial : EXIT.done,
    };
  },
};

/** Includes the notices that rules send by e-mail. Skips SMS and calls to a URL. */
async function* mailIds(
  session: Invocation & Tell & Profiles & Changes,
  input: Input,
): AsyncGenerator<string> {
  for (let after = ''; ; ) {
    const { data } = await requestSandboxOperation(session, input, 'outbox list', { after, limit: 1000 });
    for (const { id, channel, to } of data) {
      if (!/^(?:t[0-9]+-[0-9]+|d[0-9]+)$/.test(id))
        throw new CliError('sandbox', 'the sandbox returned an invalid id', { exit: EXIT.failed });
      if (channel === 'email' || (channel === 'notification' && isAddress(to))) yield id;
      after = id;
    }
    if (data.length < 1000) return;
  }
}

const fileExists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );

/** Returns false if the file already exists. */
async function create(path: string, text: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx', 0o600);
    try {
      await file.writeFile(text, 'latin1');
    } finally {
      await file.close();
    }
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Other notices go to a phone number or a URL. */
const isAddress = (target: string): boolean => target.includes('@') && !target.includes('/');
