/** Shows one rule: its action, its queued actions, and its latest actions. */

import { describeAction, describeDelayAndAction } from '../../automations/rule-words.ts';
import { readRule } from '../../automations/rules.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { createInvalidRequestError } from '../../protocol/service-errors.ts';
import { ruleResource } from '../../resources/rule-kinds.ts';
import type { CompanyPageRequest, Page, PageActionResult, View } from './page.ts';
import {
  badge,
  button,
  copyableCommand,
  EMPTY_HTML,
  emptyPageNotice,
  formatRelativeToNow,
  type Html,
  html,
  renderTime,
} from './parts.ts';
import { createGraphNodeFormatter, describeTrigger, loadRuleFromPagePath, loadRules } from './rules.ts';

export const automationPage: Page = { path: 'automations/:id', of: 'automations', show, act };

const ROWS = 25;

async function show(call: CompanyPageRequest): Promise<View> {
  const { kind, id, record } = await loadRuleFromPagePath(call);
  const ref = `${kind}:${id}`;
  const rule = readRule(kind, record);
  const all = await loadRules(call);
  const queue = await call.ask('queue', { rule: ref, after: call.query.get('after') ?? '', limit: ROWS + 1 });
  const done = await call.ask('rule done', { rule: ref, limit: ROWS });
  const loops = all.graph.loops.filter(({ rules }) => rules.includes(ref));
  return {
    title: rule.name === '' ? ref : rule.name,
    lead: html`<a href="${call.pathOf('automations')}">Automations</a> · ${ref}`,
    live: 'here',
    body: html`<div class="two">
<div>
${queued(call, ref, queue)}
${latestActions(call, ref, done)}
</div>
<div class="aside">
<dl class="facts">
<dt>State</dt><dd>${rule.paused ? badge('paused', 'warn') : badge('active', 'good')}</dd>
<dt>When</dt><dd>${describeTrigger(rule, all)}</dd>
<dt>Does</dt><dd>${describeDelayAndAction(rule, createGraphNodeFormatter(all))}</dd>
${typeof record['summary'] === 'string' ? html`<dt>Summary</dt><dd>${record['summary']}</dd>` : EMPTY_HTML}
${
  loops.length === 0
    ? EMPTY_HTML
    : html`<dt>Loops</dt><dd>${loops.slice(0, 5).map(({ rules, paused }) => html`<div>${[...rules, rules[0] ?? ''].join(' → ')} ${paused ? badge('stopped by a paused rule') : badge('loop', 'bad')}</div>`)}</dd>`
}
<dt>Made</dt><dd>${renderTime(call, Number(record['cdate']))} <span class="soft">by user ${String(record['user_id'])}</span></dd>
<dt>Changed</dt><dd>${renderTime(call, Number(record['mdate']))}</dd>
</dl>
<section class="card deeds"><h2>Actions</h2><ul><li>${
      rule.paused
        ? html`${button('Resume', 'resume')}${copyableCommand(call, 'automation', 'resume', ref)}`
        : html`${button('Pause', 'pause')}<span class="soft small">A paused rule reacts to no events. Queued actions still run.</span>${copyableCommand(call, 'automation', 'pause', ref)}`
    }</li></ul></section>
</div>
</div>
<footer class="same">${copyableCommand(call, 'automation', 'get', ref)}</footer>`,
  };
}

async function act(call: CompanyPageRequest): Promise<PageActionResult> {
  const { kind, id } = await loadRuleFromPagePath(call);
  const wanted = call.form.get('do');
  if (wanted !== 'pause' && wanted !== 'resume')
    throw createInvalidRequestError([{ attribute: 'do', reason: 'is not an action of this page' }]);
  await call.change(ruleResource(kind).name, id, { paused: wanted === 'pause' });
  return {
    said:
      wanted === 'pause'
        ? `${kind}:${id} is paused: no event triggers the rule until you resume it.`
        : `${kind}:${id} is active again.`,
  };
}

function queued(call: CompanyPageRequest, ref: string, found: readonly JsonObject[]): Html {
  const rows = found.slice(0, ROWS);
  const last = rows.at(-1);
  return html`<section class="card"><h2>Queue</h2>${
    rows.length === 0
      ? html`<p class="soft">No actions are queued.</p>`
      : html`<ul class="rows timed">${rows.map(
          (row) =>
            html`<li><span class="row"><span class="at">${renderTime(call, Number(row['at']))} <span class="soft">${formatRelativeToNow(call, Number(row['at']))}</span></span><span>${describeAction(String(row['action']), String(row['target']))}, for <a href="${call.pathOf(`subscribers/${String(row['subscriber'])}`)}">subscriber ${String(row['subscriber'])}</a></span></span></li>`,
        )}</ul>${
          found.length > ROWS
            ? html`<nav class="pager" aria-label="More of the queue"><span></span><a href="${call.pathOf(`automations/${ref}?after=${String(last?.['at'])}-rule-${String(last?.['id'])}`)}">Later →</a></nav>`
            : EMPTY_HTML
        }`
  }<p>${copyableCommand(call, 'sandbox', 'queue', '--rule', ref)}</p></section>`;
}

const CHANNELS: Readonly<Record<string, string>> = {
  email: 'sent an e-mail to',
  sms: 'sent an SMS to',
  notification: 'notified',
};

function latestActions(call: CompanyPageRequest, ref: string, rows: readonly JsonObject[]): Html {
  return html`<section class="card"><h2>Latest actions</h2>${
    rows.length === 0
      ? emptyPageNotice(
          'The rule has done nothing yet. An event triggers it.',
          copyableCommand(call, 'sandbox', 'event', '--help'),
        )
      : html`<ul class="rows timed">${rows.map((row) => html`<li><span class="row"><span class="at">${renderTime(call, Number(row['time']))}</span><span>${describeAct(call, row)}</span></span></li>`)}</ul>`
  }<p>${copyableCommand(call, 'sandbox', 'rule', 'done', ref)}</p></section>`;
}

function describeAct(call: CompanyPageRequest, row: JsonObject): Html {
  const [action, target] = [String(row['action'] ?? ''), String(row['target'] ?? '')];
  if (typeof row['why'] === 'string') return html`${badge('skipped', 'warn')} ${row['why']}`;
  if (typeof row['delivery'] === 'string')
    return html`${CHANNELS[action] ?? action} <a href="${call.pathOf(`outbox/${row['delivery']}`)}">${target}</a>`;
  return html`${describeAction(action, target)}, for <a href="${call.pathOf(`subscribers/${String(row['subscriber'])}`)}">subscriber ${String(row['subscriber'])}</a>`;
}
