/** Shows the rules: how lists, rules and messages depend on each other, and the next action of each rule. */
import type { RuleGraph } from '../../service/automations/graph.ts';
import { describePlaceInSequence, findRuleSequences } from '../../service/automations/rule-sequences.ts';
import { describeAction, describeDelayAndAction } from '../../service/automations/rule-words.ts';
import { type AutomationRule, readRule } from '../../service/automations/rules.ts';
import { RULE_KINDS, ruleKindLabel, ruleResource } from '../../service/resources/rule-kinds.ts';
import { drawRuleGraph } from './graph-drawing.ts';
import type { Answer, CompanyPageRequest, Page, PageActionResult, View } from './page.ts';
import {
  badge,
  button,
  campaignBadge,
  emptyPageNotice,
  formatCountWithNoun,
  formatRelativeToNow,
  type Html,
  html,
  nameIn,
  pager,
  renderTime,
  tabs,
} from './parts.ts';
import {
  createGraphNodeFormatter,
  describeTrigger,
  formatRuleGraphNode,
  type LoadedRules,
  loadRuleFromPagePath,
  loadRules,
  MAX_RULES_PER_KIND,
} from './rules.ts';

export const automationsPage: Page = { path: 'automations', name: 'Automations', show };

/** Maximum number of rules that the graph draws. A larger graph is unreadable. */
const MAX_DRAWN_RULES = 40;

async function show(call: CompanyPageRequest): Promise<View> {
  const all = await loadRules(call);
  const kind = RULE_KINDS.find((each) => each === call.query.get('kind'));
  const rules = kind === undefined ? all.rules : all.rules.filter((rule) => rule.kind === kind);
  return {
    title: kind === undefined ? 'Automations' : `Automations: ${kind} rules`,
    lead: leadOf(all),
    live: 'here',
    body:
      all.rules.length === 0
        ? emptyPageNotice(
            'There are no rules yet. A rule acts when a subscriber joins a list, opens a message, clicks a link or sends an SMS.',
            call.command`automation create --help`,
          )
        : html`${kind === undefined ? drawing(call, all) : null}${loops(call, all.graph)}
<div class="filters">${tabs(
            'Kind of rule',
            kind ?? '',
            [['', 'All'], ...RULE_KINDS.map((each) => [each, ruleKindLabel(each)] as const)],
            (each) => call.pathOf(each === '' ? 'automations' : `automations?kind=${each}`),
          )}</div>
${await rows(call, all, rules)}
${all.hasMoreRules ? html`<p class="soft">Only the first ${MAX_RULES_PER_KIND} rules of each kind are shown.</p>` : null}
<footer class="same"><p>${call.command`automation list ${kind === undefined ? [] : ['--kind', kind]}`}</p><p>${call.command`automation graph`}</p></footer>`,
  };
}

function leadOf({ rules, graph }: LoadedRules): string {
  const paused = rules.filter((rule) => rule.paused).length;
  const going = graph.loops.filter((loop) => !loop.paused).length;
  return [
    formatCountWithNoun(rules.length, 'rule'),
    ...(paused === 0 ? [] : [`${paused} paused`]),
    ...(going === 0 ? [] : [formatCountWithNoun(going, 'loop')]),
  ].join(', ');
}

function drawing(call: CompanyPageRequest, { graph, rules, nameOfNode, isGone }: LoadedRules): Html {
  if (rules.length > MAX_DRAWN_RULES)
    return html`<p class="soft only">The graph is too large to draw (${rules.length} rules). Print it instead: ${call.command`automation graph --format mermaid`}</p>`;
  return html`<div class="wide drawing" tabindex="0" role="group" aria-label="Graph of lists, rules and messages">${drawRuleGraph(
    graph,
    (id) => {
      const rule = rules.find(({ ref }) => ref === id);
      const about = formatRuleGraphNode(id);
      return {
        name: nameOfNode(id) ?? about,
        about: isGone(id) ? 'deleted' : rule?.paused ? `${about}, paused` : about,
        href: rule ? call.pathOf(`automations/${id}`) : isGone(id) ? undefined : hrefOf(call, id),
        isGone: isGone(id),
      };
    },
  )}</div>
<p class="soft small scroll-hint">Scroll sideways to see the whole graph.</p>`;
}

const hrefOf = (call: CompanyPageRequest, id: string): string | undefined =>
  id.startsWith('list:') ? call.pathOf(`lists/${id.slice('list:'.length)}`) : undefined;

/** Lists the loops, those without a paused rule first: a paused rule stops a loop. */
function loops(call: CompanyPageRequest, { loops: found }: RuleGraph): Html | null {
  if (found.length === 0) return null;
  const shown = found.slice(0, 20);
  return html`<section class="card loops"><h2>${found.length === 1 ? 'A loop' : 'Loops'}</h2>
<p>These rules trigger each other. The sandbox stops such a loop after one round and logs it.</p>
<ul>${shown.map(({ rules, paused }) => {
    return html`<li>${rules.map((rule, at) => html`${at === 0 ? null : ', '}<a href="${call.pathOf(`automations/${rule}`)}">${rule}</a>`)} ${paused ? badge('stopped by a paused rule') : badge('loop', 'bad')}</li>`;
  })}</ul>${found.length > shown.length ? html`<p class="soft">There are more loops.</p>` : null}
<p>${call.command`automation graph --check`}</p></section>`;
}

async function rows(
  call: CompanyPageRequest,
  all: LoadedRules,
  rules: readonly AutomationRule[],
): Promise<Html> {
  if (rules.length === 0) return emptyPageNotice('There are no rules of this kind.');
  const items: Html[] = [];
  for (const rule of rules) {
    const [next] = await call.ask('queue', { rule: rule.ref, after: '', limit: 1 });
    const isLoop = all.graph.loops.some((loop) => !loop.paused && loop.rules.includes(rule.ref));
    items.push(html`<li><a class="row" data-row id="${rule.ref.replace(':', '-')}" href="${call.pathOf(`automations/${rule.ref}`)}">
<span class="what">${nameIn(rule) ?? rule.ref}${campaignBadge(rule)} ${rule.paused ? badge('paused', 'warn') : null}${isLoop ? badge('loop', 'bad') : null}</span>
<span class="soft ref">${rule.ref}</span>
<span class="does">${describeTrigger(rule, all)}: ${describeDelayAndAction(rule, createGraphNodeFormatter(all))}</span>
<span class="soft due">${next === undefined ? null : `next ${formatRelativeToNow(call, next.at)}`}</span></a></li>`);
  }
  return html`<ul class="rows rules">${items}</ul>`;
}

export const automationPage: Page = {
  path: 'automations/:id',
  of: 'automations',
  show: showRule,
  acts: { pause, resume },
};

const ROWS = 25;

async function showRule(call: CompanyPageRequest): Promise<View> {
  const { kind, id, record } = await loadRuleFromPagePath(call);
  const ref = `${kind}:${id}`;
  const rule = readRule(kind, record);
  const all = await loadRules(call);
  const queue = await call.ask('queue', { rule: ref, after: call.query.get('after') ?? '', limit: ROWS + 1 });
  const done = await call.ask('rule done', { rule: ref, limit: ROWS });
  const loops = all.graph.loops.filter(({ rules }) => rules.includes(ref));
  const sequence = all.hasMoreRules ? undefined : findRuleSequences(all.rules).get(ref);
  return {
    title: nameIn(rule) ?? ref,
    lead: html`<a href="${call.pathOf('automations')}">Automations</a> · ${ref}${campaignBadge(rule)}`,
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
${sequence === undefined ? null : html`<dt>Sequence</dt><dd>${describePlaceInSequence(rule, sequence)}</dd>`}
${record.summary === null ? null : html`<dt>Summary</dt><dd>${record.summary}</dd>`}
${
  loops.length === 0
    ? null
    : html`<dt>Loops</dt><dd>${loops.slice(0, 5).map(({ rules, paused }) => html`<div>${rules.join(', ')} ${paused ? badge('stopped by a paused rule') : badge('loop', 'bad')}</div>`)}</dd>`
}
<dt>Made</dt><dd>${renderTime(call, record.cdate)} <span class="soft">by user ${record.user_id}</span></dd>
<dt>Changed</dt><dd>${renderTime(call, record.mdate)}</dd>
</dl>
<section class="card deeds"><h2>Actions</h2><ul><li>${
      rule.paused
        ? html`${button('Resume', 'resume')}${call.command`automation resume ${ref}`}`
        : html`${button('Pause', 'pause')}<span class="soft small">A paused rule reacts to no events. Queued actions still run.</span>${call.command`automation pause ${ref}`}`
    }</li></ul></section>
</div>
</div>
<footer class="same">${call.command`automation get ${ref}`}</footer>`,
  };
}

async function pause(call: CompanyPageRequest): Promise<PageActionResult> {
  return {
    said: `${await setPaused(call, true)} is paused: no event triggers the rule until you resume it.`,
  };
}

async function resume(call: CompanyPageRequest): Promise<PageActionResult> {
  return { said: `${await setPaused(call, false)} is active again.` };
}

async function setPaused(call: CompanyPageRequest, paused: boolean): Promise<string> {
  const { kind, id } = await loadRuleFromPagePath(call);
  await call.change(ruleResource(kind).name, id, { paused });
  return `${kind}:${id}`;
}

function queued(call: CompanyPageRequest, ref: string, found: Answer<'queue'>): Html {
  const rows = found.slice(0, ROWS);
  const last = rows.at(-1);
  const later =
    found.length > ROWS ? call.pathOf(`automations/${ref}?after=${last?.at}-rule-${last?.id}`) : undefined;
  return html`<section class="card"><h2>Queue</h2>${
    rows.length === 0
      ? html`<p class="soft">No actions are queued.</p>`
      : html`<ul class="rows timed">${rows.map(
          (row) =>
            html`<li><span class="row"><span class="at">${renderTime(call, row.at)} <span class="soft">${formatRelativeToNow(call, row.at)}</span></span><span>${describeAction(row.action, row.target)}, for <a href="${call.pathOf(`subscribers/${row.subscriber}`)}">subscriber ${row.subscriber}</a></span></span></li>`,
        )}</ul>${pager('More of the queue', undefined, { text: 'Later →', href: later })}`
  }<p>${call.command`sandbox queue --rule ${ref}`}</p></section>`;
}

const CHANNELS: Readonly<Record<string, string>> = {
  email: 'sent an e-mail to',
  sms: 'sent an SMS to',
  notification: 'notified',
};

function latestActions(call: CompanyPageRequest, ref: string, rows: Answer<'rule done'>): Html {
  return html`<section class="card"><h2>Latest actions</h2>${
    rows.length === 0
      ? emptyPageNotice(
          'The rule has done nothing yet. An event triggers it.',
          call.command`sandbox event --help`,
        )
      : html`<ul class="rows timed">${rows.map((row) => html`<li><span class="row"><span class="at">${renderTime(call, row.time)}</span><span>${describeAct(call, row)}</span></span></li>`)}</ul>`
  }<p>${call.command`sandbox rule done ${ref}`}</p></section>`;
}

function describeAct(call: CompanyPageRequest, row: Answer<'rule done'>[number]): Html {
  const [action, target] = [row.action ?? '', row.target ?? ''];
  if (row.why !== null) return html`${badge('skipped', 'warn')} ${row.why}`;
  if (row.delivery !== null)
    return html`${CHANNELS[action] ?? action} <a href="${call.pathOf(`outbox/${row.delivery}`)}">${target}</a>`;
  return html`${describeAction(action, target)}, for <a href="${call.pathOf(`subscribers/${row.subscriber}`)}">subscriber ${row.subscriber}</a>`;
}
