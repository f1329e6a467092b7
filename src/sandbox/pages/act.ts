/**
 * Performs an action of the recipient, and shows its effects: the rules that it triggered, the actions that they queued, the changed
 * counts.
 */

import { actionWords } from '../../automations/action-words.ts';
import type { Json, JsonObject } from '../../protocol/json.ts';
import { invalid } from '../../protocol/service-errors.ts';
import { counted } from '../../text/words.ts';
import type { Cause } from './causes.ts';
import type { Acted, PageCall } from './page.ts';
import { away, badge, command, count, type Html, html, NONE, time } from './parts.ts';

export async function act(call: PageCall): Promise<Acted> {
  const id = call.params['id'] ?? '';
  const shown = await call.ask('outbox show', { id });
  const action = call.form.get('do') ?? '';
  const cause = shown['cause'] as unknown as Cause;
  const task = cause.kind === 'task' && cause.id !== null ? cause.id : undefined;
  const before = await countsOf(call, task);
  const [said, outcome] = await done(call, action, {
    ...{ id, task, to: String(shown['to']) },
    message: numberIn(shown['message']),
    subscriber: numberIn(shown['subscriber']),
  });
  return { said, more: followed(call, outcome, before, await countsOf(call, task)) };
}

interface Known {
  readonly id: string;
  readonly to: string;
  readonly task: number | undefined;
  readonly message: number | undefined;
  readonly subscriber: number | undefined;
}

async function done(call: PageCall, action: string, known: Known): Promise<readonly [string, JsonObject]> {
  const { to, id } = known;
  const subscriber = (): number => needed(known.subscriber, 'The recipient is no longer a subscriber');
  const task = (): number => needed(known.task, 'Only a message that a task has sent can do that');
  const sent = known.task === undefined ? {} : { task: known.task };
  switch (action) {
    case 'open': {
      const message = needed(known.message, 'There is no message here');
      return [
        `${to} opened the message.`,
        await call.ask('event open', { message, subscriber: subscriber(), ...sent }),
      ];
    }
    case 'click': {
      const link = Number(call.form.get('link'));
      return [
        `${to} clicked the link.`,
        await call.ask('event click', { link, subscriber: subscriber(), ...sent }),
      ];
    }
    case 'unsubscribe':
      if (known.task === undefined || known.subscriber === undefined) {
        const wasSubscribed = await call.follow('unsubscribe', id);
        return [
          wasSubscribed
            ? `${to} unsubscribed, and is on Do Not Contact.`
            : 'The recipient is not subscribed.',
          {},
        ];
      }
      return [
        `${to} unsubscribed: the address is on Do Not Contact, and the subscriber is deleted.`,
        await call.ask('event unsubscribe', { task: task(), subscriber: subscriber() }),
      ];
    case 'complaint':
      return [
        `${to} complained.`,
        await call.ask('event complaint', { task: task(), subscriber: subscriber() }),
      ];
    case 'bounce':
      return [
        `The message to ${to} bounced.`,
        await call.ask('event bounce', { task: task(), subscriber: subscriber() }),
      ];
    case 'confirm':
      await call.follow('confirm', id);
      return [`${to} confirmed the opt-in. See the log.`, {}];
    case 'answer': {
      const [number, text] = [call.form.get('to') ?? '', call.form.get('text') ?? ''];
      const outcome = await call.ask('event sms-in', { to: number, from: to, text });
      return [`${to} answered “${text}” to ${number}.`, outcome];
    }
    default:
      throw invalid([{ attribute: 'do', reason: 'is not an action of this page' }]);
  }
}

function needed<T>(value: T | undefined, message: string): T {
  if (value === undefined) throw invalid([{ attribute: 'do', reason: message }]);
  return value;
}

const numberIn = (value: Json | undefined): number | undefined =>
  typeof value === 'number' ? value : undefined;

const COUNTS = {
  emailuniqueopens: 'opens',
  emailuniqueclicks: 'clicks',
  emailuniqueunsubscriptions: 'unsubscriptions',
  emailuniquecomplaints: 'complaints',
  emailuniquebounces: 'bounces',
  smsuniquebounces: 'bounces',
} as const;

async function countsOf(call: PageCall, task: number | undefined): Promise<JsonObject> {
  return task === undefined ? {} : ((await call.find('task', { id: task }))[0] ?? {});
}

function followed(call: PageCall, outcome: JsonObject, before: JsonObject, after: JsonObject): Html {
  const moved = Object.entries(COUNTS).flatMap(([name, word]) => {
    const [was, is] = [Number(before[name] ?? 0), Number(after[name] ?? 0)];
    return was === is ? [] : [html`<li>Unique ${word} of the task: ${count(was)} → <b>${count(is)}</b></li>`];
  });
  const rules = Array.isArray(outcome['automations'])
    ? (outcome['automations'] as readonly JsonObject[])
    : [];
  const matched = rules.filter((rule) => rule['matched'] === true);
  const others = rules.filter((rule) => rule['matched'] !== true);
  const why = typeof outcome['why'] === 'string' ? html`<p>${outcome['why']}</p>` : NONE;
  return html`${why}${moved.length === 0 ? NONE : html`<ul>${moved}</ul>`}
${matched.length === 0 ? html`<p class="soft">No automation rule was set off.</p>` : html`<ul>${matched.map((rule) => html`<li>${ruleLine(call, rule)}</li>`)}</ul>`}
${others.length === 0 ? NONE : html`<details><summary>${counted(others.length, 'rule')} did not match</summary><ul>${others.map((rule) => html`<li>${ruleLine(call, rule)}</li>`)}</ul></details>`}
${matched.some((rule) => rule['queued'] !== null) ? html`<p>${command(call, 'sandbox', 'queue')}</p>` : NONE}`;
}

function ruleLine(call: PageCall, rule: JsonObject): Html {
  const { queued, why, action, target } = rule;
  const what = typeof action === 'string' ? actionWords(action, String(target)) : '';
  const state =
    rule['matched'] !== true
      ? badge('not triggered')
      : typeof queued === 'number'
        ? badge(`queued, ${away(call, queued)}`, 'warn')
        : badge(rule['done'] === true ? 'done' : 'not done', rule['done'] === true ? 'good' : 'plain');
  return html`<b>${String(rule['name'] ?? rule['rule'])}</b> <span class="soft">${String(rule['rule'])}</span> ${state} ${what}${
    typeof queued === 'number' ? html` at ${time(call, queued)}` : NONE
  }${typeof why === 'string' ? html` <span class="soft">${why}</span>` : NONE}`;
}
