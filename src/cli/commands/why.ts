/** Declares `svc why`, which shows what locks a record, and when the lock ends (contract, "Insight"). */

import { formatRecordId } from '../../client/requests/record-title.ts';
import { readPlaceInSequence, readPlaceInSeries } from '../../features/insight/place-in-campaign.ts';
import { explanationPage, type LockExplanation, withReasons } from '../../features/insight/why.ts';
import {
  explainFolderDeletionLock,
  explainListDeletionLock,
  findTasksThatLockLists,
} from '../../features/insight/why-deletion.ts';
import {
  describeDeletedMessage,
  explainLockedMessage,
  explainUnlockedMessage,
  findMessageUsage,
  findTasksWithMessage,
  isEditable,
} from '../../features/insight/why-message.ts';
import {
  explainWhetherAccountIsLocked,
  explainWhetherSmsIsLocked,
  explainWhetherTaskIsLocked,
  explainWhetherUserIsLocked,
} from '../../features/insight/why-own-state.ts';
import { explainWhetherRuleCanResume, findMissingRuleDependencies } from '../../features/insight/why-rule.ts';
import type { Values } from '../../kit/schema/resource.ts';
import { relativeTime } from '../../kit/text/duration.ts';
import { formatTime } from '../../kit/text/timezone.ts';
import { readRuleOfResource } from '../../service/automations/rules.ts';
import { account } from '../../service/resources/account.ts';
import { accountFeatures } from '../../service/resources/account-features.ts';
import { emailMessage } from '../../service/resources/email-message.ts';
import { folder } from '../../service/resources/folder.ts';
import { sms } from '../../service/resources/sms.ts';
import { smsMessage } from '../../service/resources/sms-message.ts';
import { type MessageRecord, type MessageResource, task } from '../../service/resources/task.ts';
import { user } from '../../service/resources/user.ts';
import type { Group, Input, Outcome, Positional, Verb } from '../command/command.ts';
import { companyPositional } from '../command/flag.ts';
import { CliError, UsageError } from '../errors/errors.ts';
import { EXIT } from '../errors/exit-codes.ts';
import { findRule, kindFlag, rulePositional } from '../nouns/automation/resolve.ts';
import type { Column } from '../output/result.ts';
import { createTextPageOutcome } from '../request/page.ts';
import {
  createReadOptionsToCapture404Error,
  parseRecordId,
  readRecordId,
  recordNotFoundError,
  requireNonEmptyName,
  resolveRecord,
} from '../request/references.ts';
import { isResultPrintedForPeople } from '../request/write-outcome.ts';
import type { Clocks, Invocation, Ports, ServiceAccess, Tell } from '../session/ports.ts';
import { findListByIdOrName, readSandboxLists } from './why/known-lists.ts';

const named: Positional = { name: 'id', describe: 'Id or exact name' };

function whyVerb(
  about: Pick<Verb, 'name' | 'summary' | 'example' | 'about'> & Partial<Pick<Verb, 'positionals' | 'flags'>>,
  answer: (session: Ports, input: Input, text: string) => Promise<LockExplanation>,
): Verb {
  return {
    positionals: [named],
    work: 'finds',
    section: 'States and transitions',
    flags: [],
    ...about,
    companies: 'reads',
    run: async (session, input) =>
      answerOutcome(session, await answer(session, input, input.positionals[0] ?? '')),
  };
}

export const why: Group = {
  name: 'why',
  summary: 'Show what locks a record, and until when',
  commands: [
    whyVerb(
      {
        name: 'email',
        summary: 'Show why an e-mail message cannot be changed',
        about:
          'Looks for tasks and rules that use the message: checks all tasks, and up to 1000 rules of each kind',
        example: 'why email 1',
      },
      (session, _, text) => explainMessageLock(session, emailMessage, text),
    ),
    whyVerb(
      {
        name: 'sms-message',
        summary: 'Show why an SMS message cannot be changed',
        example: 'why sms-message 1',
      },
      (session, _, text) => explainMessageLock(session, smsMessage, text),
    ),
    whyVerb(
      {
        name: 'message',
        summary: 'Show why a message cannot be changed; svc finds out whether it is e-mail or SMS',
        example: 'why message 5',
      },
      (session, _, text) => explainMessageLockInAnyChannel(session, text),
    ),
    whyVerb(
      {
        name: 'folder',
        summary: 'Show why a folder cannot be deleted',
        about:
          'Only a sandbox on this machine shows which lists are in a folder; the HTTP API of the service does not',
        example: 'why folder 1',
      },
      async (session, _, text) =>
        explainFolderDeletionLock(
          await resolveRecord(session, folder, text),
          await readSandboxLists(session),
          async () => (await session.account()).list_count,
          () => holdingTasks(session),
        ),
    ),
    whyVerb(
      {
        name: 'list',
        summary: 'Show why a list cannot be deleted',
        about:
          'The service never deletes a permanent list. ' +
          'Only a sandbox on this machine shows whether a list is permanent; the HTTP API of the service does not',
        example: 'why list 1',
        positionals: [{ name: 'id', describe: 'Id of the list; in a sandbox, also its exact name' }],
      },
      async (session, _, text) => {
        const { id, list } = await findListByIdOrName(session, text);
        return explainListDeletionLock(id, list, await holdingTasks(session, { list_id: id }));
      },
    ),
    whyVerb(
      { name: 'task', summary: 'Show why a task cannot be changed or cancelled', example: 'why task 2' },
      async (session, _, text) => {
        const record = await resolveRecord(session, task, text);
        const now = await session.serviceNow();
        const explanation = explainWhetherTaskIsLocked(record, now);
        if (!(await isResultPrintedForPeople(session))) return explanation;
        const zone = await session.tableZone();
        return withReasons(explanation, await readPlaceInSeries(await session.client(), record, zone, now));
      },
    ),
    whyVerb(
      {
        name: 'automation',
        summary: 'Show why a rule cannot be resumed',
        example: 'why automation open:1',
        positionals: [rulePositional],
        flags: [kindFlag],
      },
      async (session, input) => {
        const found = await findRule(session, input);
        const client = await session.client();
        const explanation = await explainWhetherRuleCanResume(found.resource, found.record, (needs) =>
          findMissingRuleDependencies(client, () => readSandboxLists(session), needs),
        );
        if (!(await isResultPrintedForPeople(session))) return explanation;
        return withReasons(explanation, await readPlaceInSequence(client, readRuleOfResource(found)));
      },
    ),
    whyVerb(
      {
        name: 'sms',
        summary: 'Show whether a single SMS is still waiting to be sent',
        example: 'why sms 1',
        positionals: [{ name: 'id', describe: 'Id of the SMS' }],
      },
      async (session, _, text) => explainWhetherSmsIsLocked(await resolveRecord(session, sms, text)),
    ),
    whyVerb(
      { name: 'user', summary: 'Show whether a user is locked, and why', example: 'why user 2' },
      async (session, _, text) => explainWhetherUserIsLocked(await resolveRecord(session, user, text)),
    ),
    whyVerb(
      {
        name: account.noun,
        summary: 'Show whether an account is locked',
        example: 'why account',
        positionals: [companyPositional],
      },
      async (session) =>
        explainWhetherAccountIsLocked(await (await session.client()).single(accountFeatures)),
    ),
  ],
};

async function holdingTasks(session: ServiceAccess & Clocks, filters?: Values) {
  const now = await session.serviceNow();
  return { ...(await findTasksThatLockLists(await session.client(), now, filters)), now };
}

const COLUMNS: readonly Column[] = [
  { name: 'locked', kind: 'bool' },
  { name: 'by' },
  { name: 'free', kind: 'timestamp' },
];

/** The exit code is 0 whether or not the record is locked. */
async function answerOutcome(
  session: Invocation & Tell & ServiceAccess & Clocks,
  answer: LockExplanation,
): Promise<Outcome> {
  if (!(await isResultPrintedForPeople(session))) {
    const { locked, by, free } = answer;
    return { result: { kind: 'object', value: { locked, by, free }, columns: COLUMNS } };
  }
  const zone = await session.tableZone();
  const now = await session.serviceNow();
  const moment = (time: number): string => `${formatTime(time, zone, 'long')}, ${relativeTime(time, now)}`;
  return createTextPageOutcome(session, explanationPage(answer, moment));
}

async function explainMessageLock(
  session: ServiceAccess & Clocks,
  resource: MessageResource,
  idOrName: string,
): Promise<LockExplanation> {
  const id = parseRecordId(resource, idOrName);
  if (id === undefined)
    return whyMessage(session, resource, await resolveRecord(session, resource, idOrName));
  const look = createReadOptionsToCapture404Error();
  const record = await (await session.client()).get(resource, id, look);
  if (record === undefined) {
    const [first] = await findTasksWithMessage(await session.client(), resource, id);
    if (first === undefined)
      throw recordNotFoundError(resource, formatRecordId(resource, id), look.notFoundError());
    const { message, hint } = describeDeletedMessage(resource, id, first, await session.serviceNow());
    throw new CliError('not-found', message, { exit: EXIT.notFound, hint, cause: look.notFoundError() });
  }
  return whyMessage(session, resource, record);
}

/** @throws an error if both channels have such a message (contract, "Insight") */
async function explainMessageLockInAnyChannel(
  session: ServiceAccess & Clocks,
  idOrName: string,
): Promise<LockExplanation> {
  requireNonEmptyName('message', idOrName);
  const client = await session.client();
  const look = createReadOptionsToCapture404Error();
  const found: { readonly resource: MessageResource; readonly record: MessageRecord }[] = [];
  for (const resource of [emailMessage, smsMessage]) {
    const id = parseRecordId(resource, idOrName);
    const records =
      id === undefined
        ? await client.find(resource, { name: idOrName }, look)
        : [(await client.get(resource, id, look)) ?? []].flat();
    found.push(...records.map((record) => ({ resource, record })));
  }
  const [first, ...others] = found;
  if (first === undefined)
    throw new CliError('not-found', `message ${idOrName} not found`, {
      exit: EXIT.notFound,
      hint: 'svc email list and svc sms-message list show the ids you can use',
      cause: look.notFoundError(),
    });
  if (others.length === 0) return whyMessage(session, first.resource, first.record);
  const commands = found.map(({ resource, record }) => `svc why ${resource.noun} ${String(record.id)}`);
  throw new UsageError(`${JSON.stringify(idOrName)} matches more than one message`, {
    hint: `use the kind and id of one message: ${commands.join(', ')}`,
  });
}

async function whyMessage(
  session: ServiceAccess & Clocks,
  resource: MessageResource,
  record: MessageRecord,
): Promise<LockExplanation> {
  if (isEditable(record)) return explainUnlockedMessage(resource, record);
  const usage = await findMessageUsage(await session.client(), resource, readRecordId(record), record);
  return explainLockedMessage(resource, record, usage, await session.serviceNow());
}
