/** Shows the rules: how lists, rules and messages depend on each other, and the next action of each rule. */
import type { RuleGraph } from '../../automations/graph.ts';
import { actionText } from '../../automations/rule-words.ts';
import type { AutomationRule } from '../../automations/rules.ts';
import { kindLabel, RULE_KINDS } from '../../resources/rule-kinds.ts';
import { graphDrawing } from './graph-drawing.ts';
import type { Page, PageCall, View } from './page.ts';
import { away, badge, command, counted, empty, type Html, html, NONE, tabs } from './parts.ts';
import { aboutOf, calledIn, OF_A_KIND, type Rules, rulesOf, triggerWords } from './rules.ts';

export const automations: Page = { path: 'automations', name: 'Automations', show };

/** Highest number of rules that are drawn. A larger graph is unreadable. */
const DRAWN = 40;

async function show(call: PageCall): Promise<View> {
  const all = await rulesOf(call);
  const kind = RULE_KINDS.find((each) => each === call.query.get('kind'));
  const rules = kind === undefined ? all.rules : all.rules.filter((rule) => rule.kind === kind);
  return {
    title: kind === undefined ? 'Automations' : `Automations: ${kind} rules`,
    lead: leadOf(all),
    live: 'here',
    body:
      all.rules.length === 0
        ? empty(
            'There are no rules yet. A rule acts when a subscriber joins a list, opens a message, clicks a link or sends an SMS.',
            command(call, 'automation', 'create', '--help'),
          )
        : html`${kind === undefined ? drawing(call, all) : NONE}${loops(call, all.graph)}
<div class="filters">${tabs('Kind of rule', kind ?? '', [
            { value: '', label: 'All', href: call.pathOf('automations') },
            ...RULE_KINDS.map((each) => ({
              value: each,
              label: kindLabel(each),
              href: call.pathOf(`automations?kind=${each}`),
            })),
          ])}</div>
${await rows(call, all, rules)}
${all.isCut ? html`<p class="soft">Of each kind the first ${OF_A_KIND} are shown.</p>` : NONE}
<footer class="same"><p>${command(call, 'automation', 'list', ...(kind === undefined ? [] : ['--kind', kind]))}</p><p>${command(call, 'automation', 'graph')}</p></footer>`,
  };
}

function leadOf({ rules, graph }: Rules): string {
  const paused = rules.filter((rule) => rule.paused).length;
  const going = graph.loops.filter((loop) => !loop.paused).length;
  return [
    counted(rules.length, 'rule'),
    ...(paused === 0 ? [] : [`${paused} paused`]),
    ...(going === 0 ? [] : [counted(going, 'loop')]),
  ].join(', ');
}

function drawing(call: PageCall, { graph, rules, named, isGone }: Rules): Html {
  if (rules.length > DRAWN)
    return html`<p class="soft">${rules.length} rules are more than a drawing shows: ${command(call, 'automation', 'graph', '--format', 'mermaid')}</p>`;
  return html`<div class="wide drawing" tabindex="0" role="group" aria-label="Graph of lists, rules and messages">${graphDrawing(
    graph,
    (id) => {
      const rule = rules.find(({ ref }) => ref === id);
      const about = aboutOf(id);
      return {
        name: named(id) ?? about,
        about: isGone(id) ? 'deleted' : rule?.paused ? `${about}, paused` : about,
        href: rule ? call.pathOf(`automations/${id}`) : isGone(id) ? undefined : hrefOf(call, id),
        isGone: isGone(id),
      };
    },
  )}</div>
<p class="soft small scroll-hint">Scroll sideways to see the whole graph.</p>`;
}

const hrefOf = (call: PageCall, id: string): string | undefined =>
  id.startsWith('list:') ? call.pathOf(`lists/${id.slice('list:'.length)}`) : undefined;

/** Lists the loops. Loops that no paused rule stops come first. */
function loops(call: PageCall, { loops: found, isCut }: RuleGraph): Html {
  if (found.length === 0) return NONE;
  const shown = found.slice(0, 20);
  return html`<section class="card loops"><h2>${found.length === 1 ? 'A loop' : 'Loops'}</h2>
<p>These rules set each other off. The sandbox stops such a chain after one round and says so in its log.</p>
<ul>${shown.map(({ rules, paused }) => {
    const round = [...rules, rules[0] ?? ''];
    return html`<li>${round.map((rule, at) => html`${at === 0 ? NONE : ' → '}<a href="${call.pathOf(`automations/${rule}`)}">${rule}</a>`)} ${paused ? badge('stopped by a pause') : badge('loop', 'bad')}</li>`;
  })}</ul>${found.length > shown.length || isCut ? html`<p class="soft">And more of them.</p>` : NONE}
<p>${command(call, 'automation', 'graph', '--check')}</p></section>`;
}

async function rows(call: PageCall, all: Rules, rules: readonly AutomationRule[]): Promise<Html> {
  if (rules.length === 0) return empty('There are no rules of this kind.');
  const items: Html[] = [];
  for (const rule of rules) {
    const [next] = await call.ask('queue', { rule: rule.ref, after: '', limit: 1 });
    const isLoop = all.graph.loops.some((loop) => !loop.paused && loop.rules.includes(rule.ref));
    items.push(html`<li><a class="row" data-row id="${rule.ref.replace(':', '-')}" href="${call.pathOf(`automations/${rule.ref}`)}">
<span class="what">${rule.name === '' ? rule.ref : rule.name} ${rule.paused ? badge('paused', 'warn') : NONE}${isLoop ? badge('loop', 'bad') : NONE}</span>
<span class="soft ref">${rule.ref}</span>
<span class="does">${triggerWords(rule, all)}: ${actionText(rule, calledIn(all))}</span>
<span class="soft due">${next === undefined ? NONE : `next ${away(call, Number(next['at']))}`}</span></a></li>`);
  }
  return html`<ul class="rows rules">${items}</ul>`;
}
