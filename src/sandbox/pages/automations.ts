/** Shows the rules: how lists, rules and messages depend on each other, and the next action of each rule. */
import type { RuleGraph } from '../../automations/graph.ts';
import { describeDelayAndAction } from '../../automations/rule-words.ts';
import type { AutomationRule } from '../../automations/rules.ts';
import { RULE_KINDS, ruleKindLabel } from '../../resources/rule-kinds.ts';
import { drawRuleGraph } from './graph-drawing.ts';
import type { CompanyPageRequest, Page, View } from './page.ts';
import {
  badge,
  copyableCommand,
  EMPTY_HTML,
  emptyPageNotice,
  formatCountWithNoun,
  formatRelativeToNow,
  type Html,
  html,
  tabs,
} from './parts.ts';
import {
  createGraphNodeFormatter,
  describeTrigger,
  formatRuleGraphNode,
  type LoadedRules,
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
            copyableCommand(call, 'automation', 'create', '--help'),
          )
        : html`${kind === undefined ? drawing(call, all) : EMPTY_HTML}${loops(call, all.graph)}
<div class="filters">${tabs('Kind of rule', kind ?? '', [
            { value: '', label: 'All', href: call.pathOf('automations') },
            ...RULE_KINDS.map((each) => ({
              value: each,
              label: ruleKindLabel(each),
              href: call.pathOf(`automations?kind=${each}`),
            })),
          ])}</div>
${await rows(call, all, rules)}
${all.hasMoreRules ? html`<p class="soft">Only the first ${MAX_RULES_PER_KIND} rules of each kind are shown.</p>` : EMPTY_HTML}
<footer class="same"><p>${copyableCommand(call, 'automation', 'list', ...(kind === undefined ? [] : ['--kind', kind]))}</p><p>${copyableCommand(call, 'automation', 'graph')}</p></footer>`,
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
    return html`<p class="soft">The graph is too large to draw (${rules.length} rules). Print it instead: ${copyableCommand(call, 'automation', 'graph', '--format', 'mermaid')}</p>`;
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

/**
 * Lists the loops, which are rules that trigger each other. Loops in which no rule is paused come first, because a paused rule stops a
 * loop.
 */
function loops(call: CompanyPageRequest, { loops: found, hasMoreLoops }: RuleGraph): Html {
  if (found.length === 0) return EMPTY_HTML;
  const shown = found.slice(0, 20);
  return html`<section class="card loops"><h2>${found.length === 1 ? 'A loop' : 'Loops'}</h2>
<p>These rules trigger each other. The sandbox stops such a loop after one round and logs it.</p>
<ul>${shown.map(({ rules, paused }) => {
    const round = [...rules, rules[0] ?? ''];
    return html`<li>${round.map((rule, at) => html`${at === 0 ? EMPTY_HTML : ' → '}<a href="${call.pathOf(`automations/${rule}`)}">${rule}</a>`)} ${paused ? badge('stopped by a paused rule') : badge('loop', 'bad')}</li>`;
  })}</ul>${found.length > shown.length || hasMoreLoops ? html`<p class="soft">There are more loops.</p>` : EMPTY_HTML}
<p>${copyableCommand(call, 'automation', 'graph', '--check')}</p></section>`;
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
<span class="what">${rule.name === '' ? rule.ref : rule.name} ${rule.paused ? badge('paused', 'warn') : EMPTY_HTML}${isLoop ? badge('loop', 'bad') : EMPTY_HTML}</span>
<span class="soft ref">${rule.ref}</span>
<span class="does">${describeTrigger(rule, all)}: ${describeDelayAndAction(rule, createGraphNodeFormatter(all))}</span>
<span class="soft due">${next === undefined ? EMPTY_HTML : `next ${formatRelativeToNow(call, Number(next['at']))}`}</span></a></li>`);
  }
  return html`<ul class="rows rules">${items}</ul>`;
}
