/** All operations of the control plane. The compiler reports a missing or an undeclared operation. */

import { atLeastOne } from '../../kit/schema/rules.ts';
import { SANDBOX_PAGE_NAMES } from '../../service/protocol/control/observe.ts';
import type { ControlOperationName } from '../../service/protocol/control.ts';
import {
  createConflictError,
  createInvalidRequestError,
  createNotFoundError,
  ServiceError,
} from '../../service/protocol/service-errors.ts';
import { readRuleReference } from '../../service/resources/rule-kinds.ts';
import { deleteSnapshot, listSnapshots, restoreSnapshot, saveSnapshot } from '../data/snapshots.ts';
import { readClockMode, readServiceTime } from '../engine/clock.ts';
import { loadOutboxMail } from '../engine/mail/mime.ts';
import {
  findOutboxEntry,
  listOutbox,
  type OutboxEntry,
  showDelivery,
  showMessage,
} from '../engine/mail/outbox.ts';
import type { RequestProblems } from '../http/request-problems.ts';
import { countAllRecords, firstCompanyId, listCompanies, userOf } from '../store/accounts.ts';
import {
  createList,
  deleteListIfAllowed,
  type ListWithSubscriptionCount,
  listLists,
} from '../store/lists.ts';
import {
  findLoggedRequest,
  type ListedRequest,
  listLoggedRequests,
  listLogLines,
  MAX_LOGGED_REQUESTS,
} from '../store/logs.ts';
import { listMessages } from '../store/messages.ts';
import type { Db, Store } from '../store/open.ts';
import { clearOutbox } from '../store/outbox.ts';
import { listOutboxSends, type OutboxSendSummary, positionOfOutboxSend } from '../store/outbox-sends.ts';
import { countReactionsByPeriod, findLatestReaction, listLinkClicks } from '../store/recipients.ts';
import { insertRow, requireRowOfAccount, updateRow } from '../store/rows.ts';
import { listLeftOutSubscribers } from '../store/tasks.ts';
import { setFolderAccess, UNLOCKED, userIdByName } from '../store/users.ts';
import { clockControlOperations, dueWorkOperations } from './clock.ts';
import { eventSimulationOperations } from './events.ts';
import type { ControlCall, ControlOperationsForNoun, Operations } from './operation.ts';
import { accountRecordOperations, subscriberOperations, taskOf } from './records.ts';
import { controlTokenOperations } from './tokens.ts';

const statusOperations = {
  status: async ({ service, faultInjection, dataDir, endpoint }) => {
    const { db } = service.store;
    const { baseUrl, pid } = endpoint();
    return {
      running: true,
      baseUrl,
      pid,
      dataDir: dataDir.path,
      clock: await readClockMode(db),
      time: await readServiceTime(db, service.environment.machineNow()),
      ...(await countAllRecords(db)),
      faults: faultInjection.list().length,
    };
  },
  /** Returns a link to a page, and its end in Unix seconds. The link works once, and starts a session in the browser. */
  open: async ({ service, sessions, endpoint }, { page, company }) => {
    const path = pathOf(page ?? 'outbox', company ?? (await firstCompanyId(service.store.db)) ?? 0);
    const { secret, expires } = sessions.createLink(path);
    return { url: `${endpoint().baseUrl}/open/${secret}`, expires };
  },
  /** Stops this sandbox. A signal could reach another process that reuses the pid. */
  stop: async ({ askToStop, endpoint }) => {
    askToStop();
    return { stopping: true, pid: endpoint().pid };
  },
  /** Lists events that the sandbox logged, such as a loop of rules, or a message that no provider accepted. */
  'log list': async ({ service }, { limit }) => listLogLines(service.store.db, limit),
} satisfies ControlOperationsForNoun<'status' | 'open' | 'stop' | 'log'>;

/** Returns the path of a page from its name, its path or its URL on any host. Throws `ServiceError` 404 for an unknown page. */
function pathOf(page: string, company: number): string {
  const path = page.replace(/^https?:\/\/[^/]+/, '').replace(/^\/(ui(\/|$))?/, '');
  const [, named = company, rest = ''] = /^(?:([0-9]{1,15})(?:\/|$))?(.*)$/s.exec(path) ?? [];
  if (!/^[\w.:/-]*(\?[\w.:%&=+@-]*)?$/.test(rest) || /(^|\/)\.|^\/|\/\//.test(rest))
    throw createInvalidRequestError([
      { attribute: 'page', reason: 'must be a page of the sandbox, such as outbox or clock' },
    ]);
  const [first = ''] = rest.split(/[/?]/);
  if (first !== '' && !SANDBOX_PAGE_NAMES.includes(first)) throw createNotFoundError(`Page ${first}`);
  return `/ui/${named}/${first === '' ? `outbox${rest}` : rest}`;
}

const companyOperations = {
  'company list': async ({ service }) =>
    (await listCompanies(service.store.db)).map((company) => ({
      id: company.id,
      name: company.name,
      partner_id: company.partner_id,
      adminUserId: company.adminUserId,
      timezone: company.timezone,
      locked: company.locked === 1,
      emailcreditbalance: company.emailcreditbalance,
      smscreditbalance: company.smscreditbalance,
    })),
  'company key': async ({ service }, { id }) => {
    const company = (await listCompanies(service.store.db)).find((each) => each.id === id);
    if (!company) throw createNotFoundError(`Company ${id}`);
    const { name, api_key: apiKey, adminUserId } = company;
    return { id, name, apiKey, adminUserId };
  },
  'credits set': async ({ db, account }, { email, sms }) => {
    if (email === undefined && sms === undefined)
      throw createInvalidRequestError([atLeastOne('email', 'sms')]);
    const balance = {
      emailcreditbalance: email ?? account.emailcreditbalance,
      smscreditbalance: sms ?? account.smscreditbalance,
    };
    await updateRow(db, 'account', account.id, balance);
    return { id: account.id, ...balance };
  },
  /** Restricts a user to the given folders. If `folders` is empty, the user sees all folders. */
  'user restrict': async ({ db, account }, { id, folders }) => {
    const user = await userOf(db, account.id, id);
    if (!user) throw createNotFoundError(`User ${id}`);
    if (user.isadmin === 1)
      throw createInvalidRequestError([{ attribute: 'id', reason: 'is the admin, who sees everything' }]);
    for (const folderId of folders) await requireRowOfAccount(db, 'folder', account.id, folderId, 'Folder');
    await setFolderAccess(db, id, folders);
    return { id, username: user.username, folders: [...folders] };
  },
  'user unlock': async ({ db, account }, { user: reference }) => {
    const id = typeof reference === 'number' ? reference : await userIdByName(db, account.id, reference);
    const user = id === undefined ? undefined : await userOf(db, account.id, id);
    if (!user) throw createNotFoundError(`User ${reference}`);
    await updateRow(db, 'user', user.id, UNLOCKED);
    return { id: user.id, username: user.username, locked: false };
  },
} satisfies ControlOperationsForNoun<'company' | 'credits' | 'user'>;

const snapshotOperations = {
  'snapshot save': async ({ service: { store }, dataDir }, { name }) => {
    requireSqlite(store);
    return { ...(await saveSnapshot(store, dataDir, name)) };
  },
  'snapshot restore': async ({ service: { store, environment }, dataDir }, { name }) => {
    requireSqlite(store);
    const shown = await restoreSnapshot(store, dataDir, name);
    return store.transaction(async (db) => {
      const time = await readServiceTime(db, environment.machineNow());
      await insertRow(db, 'log', { time, kind: 'snapshot', text: `Snapshot ${shown.name} restored` });
      return { ...shown, time };
    });
  },
  'snapshot list': async ({ dataDir }) => listSnapshots(dataDir).map((each) => ({ ...each })),
  'snapshot delete': async ({ dataDir }, { name }) => {
    deleteSnapshot(dataDir, name);
    return { name };
  },
} satisfies ControlOperationsForNoun<'snapshot'>;

/** Refuses snapshots on PostgreSQL, which has its own tools. A snapshot is a copy of the database file. */
function requireSqlite({ isShared }: Store): void {
  if (isShared)
    throw createConflictError(
      'A snapshot copies the database in the data folder, but this sandbox uses PostgreSQL: use pg_dump to save its data',
    );
}

export const operationsOnSubscriberLists = {
  'list create': async (call, { name, folder, permanent }) => {
    const { db, account, now } = call;
    if (folder !== undefined) await requireRowOfAccount(db, 'folder', account.id, folder, 'Folder');
    const row = { name, folder_id: folder ?? null, permanent: permanent ? 1 : 0, cdate: now };
    return shownList(call, await createList(db, account, row));
  },
  'list list': async ({ db, account }) => (await listLists(db, account.id)).map(asList),
  'list delete': async ({ db, account, now }, { id }) => {
    await deleteListIfAllowed(db, await requireRowOfAccount(db, 'list', account.id, id, 'List'), now);
    return { id };
  },
} satisfies ControlOperationsForNoun<'list'>;

async function shownList({ db, account }: ControlCall, id: number) {
  const [row] = await listLists(db, account.id, id);
  if (!row) throw createNotFoundError(`List ${id}`);
  return asList(row);
}

const asList = (row: ListWithSubscriptionCount) => ({ ...row, permanent: row.permanent === 1 });

const requestOperations = {
  /** Lists the requests to the service, including those that are not in the database yet. */
  requests: async ({ service, requests }, { explain, ...filters }) => {
    await requests.flush();
    const { db } = service.store;
    if (explain === undefined) return (await listLoggedRequests(db, filters)).map(listedRequest);
    const row = await findLoggedRequest(db, explain);
    if (row === undefined)
      throw new ServiceError(
        404,
        `request ${explain} not found among the last ${MAX_LOGGED_REQUESTS} requests`,
      );
    const { headers, body, answer, ...listed } = row;
    const sent = headers === null ? null : (JSON.parse(headers) as Readonly<Record<string, string>>);
    return [{ ...listedRequest(listed), ...explained(row.problems), headers: sent, body, answer }];
  },
} satisfies ControlOperationsForNoun<'requests'>;

function listedRequest({ failed, why, signed, signature, expected, problems: _, ...came }: ListedRequest) {
  return { ...came, check: failed, why, signed, signature, expected };
}

/** Returns the explanation of a request. `problems` is null for a successful request. */
const explained = (
  problems: string | null,
): RequestProblems | { readonly message: null; readonly fields: [] } =>
  problems === null ? { message: null, fields: [] } : JSON.parse(problems);

const faultOperations = {
  'fault set': async ({ faultInjection }, { kind, rate, times = null, match = null, delay }) => {
    const wanted = { kind, rate, times, match, delay };
    faultInjection.add(wanted);
    return wanted;
  },
  'fault clear': async ({ faultInjection }) => ({ cleared: faultInjection.clear() }),
  'fault list': async ({ faultInjection }) => faultInjection.list().map((each) => ({ ...each })),
} satisfies ControlOperationsForNoun<'fault'>;

const taskOperations = {
  'task show': async (call, { id }) => {
    const { name, channel, size, started, sent, skipped, credits, stopped } = await taskOf(call, id);
    return { id, name, channel, size, started: started === 1, sent, skipped, credits, stopped };
  },
  'task skipped': async (call, { id, after, limit }) =>
    (await listLeftOutSubscribers(call.db, await taskOf(call, id), { after, limit })).map((row) => ({
      ...row,
    })),
  'task clicks': async (call, { id, limit }) =>
    (await listLinkClicks(call.db, (await taskOf(call, id)).id, limit)).map((row) => ({ ...row })),
  'task activity': async (call, { id, every }) => {
    const { started, scheduledtime } = await taskOf(call, id);
    const latest = started === 1 ? await findLatestReaction(call.db, id) : undefined;
    if (latest === undefined) return [];
    const start = Math.floor(scheduledtime);
    const seconds = Math.max(every ?? choosePeriod(latest - start), (latest - start) / MAX_PERIODS);
    const periods = { start, end: latest, seconds: Math.ceil(seconds) };
    return (await countReactionsByPeriod(call.db, id, periods)).map((period) => ({ ...period }));
  },
} satisfies ControlOperationsForNoun<'task'>;

/** Maximum number of periods of one response. A shorter period that was asked for is lengthened. */
const MAX_PERIODS = 1000;
const SHOWN_PERIODS = 24;

const [MINUTE, HOUR, DAY] = [60, 3_600, 86_400];
const PERIODS = [
  ...[5 * MINUTE, 15 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 7 * DAY, 30 * DAY],
];

/** Returns the length of the periods, in seconds, that divide a time into at most 24 parts. */
const choosePeriod = (seconds: number): number =>
  PERIODS.find((each) => seconds < each * SHOWN_PERIODS) ?? 365 * DAY;

const outboxControlOperations = {
  /** Returns the newest entries, the newest before `before`, or the oldest after `after` (empty for the first ones). */
  'outbox list': async ({ db, account }, { limit, after, before, snippets, ...wanted }) => {
    const { to, channel, task, rule, search, state, subject, until } = wanted;
    const filter = {
      ...{ to, channel, search, state, subject, until, taskId: task },
      rule: rule === undefined ? undefined : readRuleReference(rule),
    };
    const entries = await listOutbox(db, { accountId: account.id, limit, after, before, filter, snippets });
    return entries.map((entry) => ({ ...entry, cause: { ...entry.cause } }));
  },
  /** Returns the sends (tasks, rules and single messages), newest first, each with its newest message. */
  'outbox send list': async ({ db, account, now }, { channel, task, rule, before, limit }) => {
    const place = /^([0-9.]+):([0-9]+)$/.exec(before ?? '');
    const { sends, total } = await listOutboxSends(db, {
      ...{ accountId: account.id, channel, limit, now, taskId: task },
      rule: rule === undefined ? undefined : readRuleReference(rule),
      before: place === null ? undefined : { last: Number(place[1]), order: Number(place[2]) },
    });
    const rows = [];
    for (const send of sends) {
      const newest = await newestOf(db, account.id, send);
      const { last, order } = positionOfOutboxSend(send);
      const { messageCount: messages, opened, clicked, bounced } = send;
      if (newest)
        rows.push({
          ...{ ...newest, cause: { ...newest.cause } },
          ...{ last, messages, opened, clicked, bounced, place: `${last}:${order}` },
        });
    }
    return { total, sends: rows };
  },
  'outbox clear': async ({ db, account }) => ({ messages: await clearOutbox(db, account.id) }),
  'outbox show': async ({ db, account, trackingBaseUrl, naming }, { id }) => {
    const shown = await showDelivery(db, account.id, id, { trackingBaseUrl, words: naming });
    if (!shown) throw createNotFoundError(`Delivery ${id}`);
    return { ...shown, cause: { ...shown.cause }, events: shown.events.map((each) => ({ ...each })) };
  },
  /** Returns the octets of the e-mail as text. They are ASCII, so no octet is lost. */
  'outbox eml': async ({ db, account, trackingBaseUrl, naming }, { id }) => {
    const mail = await loadOutboxMail(db, account.id, id, { trackingBaseUrl, words: naming });
    if (!mail) throw createNotFoundError(`E-mail ${id}`);
    return { id, eml: mail.octets.toString('latin1') };
  },
} satisfies ControlOperationsForNoun<'outbox'>;

const messageOperations = {
  'message list': async ({ db, account }, { channel, ...page }) =>
    (await listMessages(db, account.id, { ...page, channel })).map((row) => ({ ...row })),
  'message show': async ({ db, account, trackingBaseUrl, naming }, wanted) => {
    const shown = await showMessage(db, account.id, wanted, { trackingBaseUrl, words: naming });
    if (!shown) throw createNotFoundError(`Message ${wanted.id}`);
    return { ...shown };
  },
} satisfies ControlOperationsForNoun<'message'>;

async function newestOf(
  db: Db,
  accountId: number,
  send: OutboxSendSummary,
): Promise<OutboxEntry | undefined> {
  const { id, rule_kind: kind } = send;
  if (send.kind === 'delivery') return findOutboxEntry(db, accountId, `d${id}`);
  const filter = kind === null ? { taskId: id } : { rule: { kind, id } };
  return (await listOutbox(db, { accountId, limit: 1, filter, snippets: true }))[0];
}

export const operations = {
  ...statusOperations,
  ...operationsOnSubscriberLists,
  ...subscriberOperations,
  ...accountRecordOperations,
  ...companyOperations,
  ...eventSimulationOperations,
  ...clockControlOperations,
  ...dueWorkOperations,
  ...outboxControlOperations,
  ...messageOperations,
  ...taskOperations,
  ...requestOperations,
  ...faultOperations,
  ...snapshotOperations,
  ...controlTokenOperations,
} satisfies Operations;

export type Answer<N extends ControlOperationName> = Awaited<ReturnType<(typeof operations)[N]>>;
