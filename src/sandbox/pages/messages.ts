/** Lists the messages of the company, sent or not, and shows one of them before anybody gets it. */

import { buildRuleGraph } from '../../service/automations/graph.ts';
import { createNotFoundError } from '../../service/protocol/service-errors.ts';
import { type Channel, formatTaskName } from '../../service/resources/task.ts';
import { subscriberBy } from './lists.ts';
import { loadMessageParts, renderMessage, respondWithFrame } from './message-views.ts';
import type { Answer, CompanyPageRequest, Page, View } from './page.ts';
import {
  badge,
  breakable,
  campaignBadge,
  channelWord,
  emptyPageNotice,
  formatCount,
  formatCountWithNoun,
  formatRelativeToNow,
  type Html,
  html,
  linkWith,
  nameIn,
  pager,
  readRecordId,
  renderTime,
  statusOf,
  tabs,
  taskStatusBadge,
} from './parts.ts';
import { listRules } from './rules.ts';

export const messagesPage: Page = { path: 'messages', name: 'Messages', show: list };
export const storedMessagePage: Page = { path: 'messages/:id', of: 'messages', show };

const ROWS = 50;

const CHANNELS = [
  ['email', 'E-mail'],
  ['sms', 'SMS'],
] as const;

const SELECTIONS = [
  ['', 'All'],
  ['unsent', 'Not sent yet'],
] as const;

type Message = Answer<'message list'>[number];

async function list(call: CompanyPageRequest): Promise<View> {
  const channel = call.query.get('channel') === 'sms' ? 'sms' : 'email';
  const unsent = call.query.get('show') === 'unsent';
  const search = call.query.get('search')?.trim().slice(0, 200) ?? '';
  const filter = { channel, unsent, ...(search === '' ? {} : { search }) } as const;
  const { rows, newer, older } = await pageOf(call, filter);
  const senders = await rulesBySentMessage(call);
  const link = (changes: Readonly<Record<string, string | undefined>>): string =>
    linkWith(call, 'messages', { before: undefined, after: undefined, ...changes });
  const [before, after] = [
    newer === undefined ? undefined : link({ after: String(newer) }),
    older === undefined ? undefined : link({ before: String(older) }),
  ];
  return {
    title: search === '' ? 'Messages' : `Messages: “${search}”`,
    lead: 'The messages of the company, before and after they are sent',
    live: 'here',
    ...{ before, after },
    body: html`<div class="filters"><form method="get" action="${call.pathOf('messages')}" role="search" class="search" data-search>
<label class="visually-hidden" for="search">Search the messages</label>
<input id="search" type="search" name="search" value="${search}" placeholder="Part of the name or the subject" maxlength="200" autocomplete="off">
<input type="hidden" name="channel" value="${channel}">${unsent ? html`<input type="hidden" name="show" value="unsent">` : null}
<button type="submit">Search</button></form>
${tabs('Channel', channel, CHANNELS, (each) => link({ channel: each }))}
${tabs('Which messages', unsent ? 'unsent' : '', SELECTIONS, (each) => link({ show: each }))}</div>
${
  rows.length === 0
    ? nothing(call, channel, unsent || search !== '')
    : html`<ul class="rows messages">${rows.map((each) => row(call, channel, each, senders))}</ul>`
}
${pager('More messages', { text: '← Newer', href: before, rel: 'prev' }, { text: 'Older →', href: after, rel: 'next' })}
<footer class="same">${channel === 'email' ? call.command`email list` : call.command`sms-message list`}</footer>`,
  };
}

interface MessageFilter {
  readonly channel: Channel;
  readonly unsent: boolean;
  readonly search?: string;
}

/** Returns a page of messages, newest first, and the ids at which the pages beside it begin. */
async function pageOf(call: CompanyPageRequest, filter: MessageFilter) {
  const [before, after] = [readRecordId(call.query.get('before')), readRecordId(call.query.get('after'))];
  if (after !== undefined) {
    const found = await call.ask('message list', { ...filter, after, limit: ROWS + 1 });
    const rows = found.slice(0, ROWS).toReversed();
    // Fewer rows are the newest ones: the first page is shown in full instead.
    if (found.length > ROWS) return { rows, newer: rows[0]?.id, older: rows.at(-1)?.id };
  }
  const place = before === undefined || after !== undefined ? {} : { before };
  const found = await call.ask('message list', { ...filter, ...place, limit: ROWS + 1 });
  const rows = found.slice(-ROWS).toReversed();
  return {
    rows,
    newer: 'before' in place ? rows[0]?.id : undefined,
    older: found.length > ROWS ? rows.at(-1)?.id : undefined,
  };
}

const nothing = (call: CompanyPageRequest, channel: Channel, isFiltered: boolean): Html =>
  emptyPageNotice(
    isFiltered ? 'No message matches.' : 'There are no messages yet.',
    channel === 'email' ? call.command`email create --help` : call.command`sms-message create --help`,
  );

function row(
  call: CompanyPageRequest,
  channel: Channel,
  message: Message,
  senders: ReadonlyMap<string, readonly Sender[]>,
): Html {
  const { id, subject, mdate } = message;
  const rules = senders.get(nodeOf(channel, id)) ?? [];
  return html`<li><a class="row" data-row id="message-${id}" href="${call.pathOf(`messages/${channel}:${id}`)}"><span class="what">${nameIn(message) ?? `Message ${id}`}${campaignBadge(message)}</span><span class="soft subject">${subject.slice(0, 200)}</span><span class="state">${useOf(call, message, rules.length)}</span><span class="soft changed"><span class="visually-hidden">Changed </span>${renderTime(call, mdate)}</span></a></li>`;
}

function useOf(call: CompanyPageRequest, { last, next, sent }: Message, rules: number): Html {
  const ofTasks =
    next !== null
      ? badge(`starts ${formatRelativeToNow(call, next)}`, 'warn')
      : last !== null
        ? badge(`${formatCount(sent)} sent`, 'good')
        : rules === 0
          ? badge('not sent')
          : null;
  return html`${ofTasks}${rules === 0 ? null : html` ${badge(`by ${formatCountWithNoun(rules, 'rule')}`)}`}`;
}

const nodeOf = (channel: Channel, id: number): string =>
  `${channel === 'email' ? channel : 'sms-message'}:${id}`;

/** A rule that sends a message. */
interface Sender {
  readonly ref: string;
  readonly name: string;
}

/** Maps the message of each rule that sends one to the rules, under its name in the graph of rules: `email:9`. */
async function rulesBySentMessage(call: CompanyPageRequest): Promise<ReadonlyMap<string, readonly Sender[]>> {
  const { rules } = await listRules(call);
  const graph = buildRuleGraph(rules, () => undefined);
  const senders = new Map<string, readonly Sender[]>();
  const names = new Map(graph.nodes.flatMap(({ id, rule }) => (rule ? [[id, nameIn(rule) ?? id]] : [])));
  for (const { from, to } of graph.edges) {
    const name = names.get(from);
    if (name !== undefined) senders.set(to, [...(senders.get(to) ?? []), { ref: from, name }]);
  }
  return senders;
}

// One message.

async function show(call: CompanyPageRequest): Promise<View | Response> {
  const { channel, id } = messageOfPath(call);
  const wanted = call.query.get('as')?.trim().slice(0, 200) ?? '';
  const subscriber = wanted === '' ? undefined : await subscriberBy(call, wanted);
  const message = await call.ask('message show', {
    ...{ channel, id },
    ...(subscriber === undefined ? {} : { subscriber }),
  });
  const shown = {
    ...{ ...message, channel, message: id },
    ...{ path: `messages/${channel}:${id}`, isDelivered: false },
  };
  if (call.query.get('frame') === 'html') return respondWithFrame(call, shown);
  const [record] = await call.find(channel === 'email' ? 'emailMessage' : 'smsMessage', { id });
  const tasks = await call.find('task', {
    ...{ channel, message_id: id, sort: 'scheduledtime', reverse: 'true', count: MAX_TASKS + 1 },
  });
  const rules = (await rulesBySentMessage(call)).get(nodeOf(channel, id)) ?? [];
  return {
    title: nameIn(record) ?? `Message ${id}`,
    lead: html`<a href="${call.pathOf(`messages?channel=${channel}`)}">Messages</a> · ${channelWord(channel)} ${id}${record && campaignBadge(record)}`,
    live: 'here',
    body: html`<div class="message">
${await renderMessage(call, await loadMessageParts(call, shown))}
<div class="aside">
<dl class="facts">
${message.subject === null ? null : html`<dt>Subject</dt><dd>${message.subject}</dd>`}
<dt>From</dt><dd>${breakable(message.from)}</dd>
${message.reply_to ? html`<dt>Reply to</dt><dd>${breakable(message.reply_to)}</dd>` : null}
${record === undefined ? null : html`<dt>Made</dt><dd>${renderTime(call, record.cdate)}</dd><dt>Changed</dt><dd>${renderTime(call, record.mdate)}</dd>`}
<dt>Can be changed</dt><dd>${record?.editable ? 'yes' : record?.used ? 'no, because a task uses it' : 'no'}</dd>
</dl>
${channel === 'sms' ? null : readerForm(call, shown.path, wanted, subscriber)}
<section class="card"><h2>Tasks</h2>${
      tasks.length === 0
        ? html`<p class="soft">No task sends this message.</p>`
        : html`<ul class="rows pairs">${tasks.slice(0, MAX_TASKS).map((each) => html`<li><a class="row" href="${call.pathOf(`tasks/${each.id}`)}"><span class="what">${formatTaskName(each)}</span><span class="soft">${renderTime(call, each.scheduledtime)} ${taskStatusBadge(statusOf(call, each))}</span></a></li>`)}</ul>`
    }${tasks.length > MAX_TASKS ? html`<p class="soft">Earlier tasks are not shown.</p>` : null}</section>
<section class="card"><h2>Rules</h2>${
      rules.length === 0
        ? html`<p class="soft">No rule sends this message.</p>`
        : html`<ul class="bare">${rules.map(({ ref, name }) => html`<li><a href="${call.pathOf(`automations/${ref}`)}">${name}</a> <span class="soft">${ref}</span></li>`)}</ul>`
    }</section>
</div>
</div>
<footer class="same">${channel === 'email' ? call.command`email get ${id}` : call.command`sms-message get ${id}`}</footer>`,
  };
}

const MAX_TASKS = 10;

/** Throws `ServiceError` 404 if the path names no channel and id, such as `email:9`. */
function messageOfPath({ id }: CompanyPageRequest): { readonly channel: Channel; readonly id: number } {
  const [, channel, number] = /^(email|sms):(.*)$/.exec(id) ?? [];
  const message = readRecordId(number);
  if (message === undefined) throw createNotFoundError(`Message ${id}`);
  return { channel: channel === 'sms' ? 'sms' : 'email', id: message };
}

/** Draws the choice of the subscriber whose data the message contains. */
function readerForm(
  call: CompanyPageRequest,
  path: string,
  wanted: string,
  subscriber: number | undefined,
): Html {
  const kept = ['view', 'width', 'scheme'].flatMap((name) => {
    const value = call.query.get(name);
    return value === null ? [] : [html`<input type="hidden" name="${name}" value="${value}">`];
  });
  const answer =
    wanted === ''
      ? html`<p class="soft small">Shown without data of a subscriber.</p>`
      : subscriber === undefined
        ? html`<p class="note" role="alert">No subscriber has this address, number or id.</p>`
        : html`<p class="small">As <a href="${call.pathOf(`subscribers/${subscriber}`)}">subscriber ${subscriber}</a> gets it. <a href="${linkWith(call, path, { as: undefined })}">Without data</a></p>`;
  return html`<section class="card"><h2>As somebody gets it</h2><form method="get" action="${call.pathOf(path)}" class="inline-fields">${kept}<label class="visually-hidden" for="as">Subscriber</label> <input id="as" name="as" value="${wanted}" maxlength="200" placeholder="Address, number or id" autocomplete="off"> <button type="submit">Show</button></form>${answer}</section>`;
}
