/** Shows the clock and the next due work, moves the clock, and saves or restores snapshots. */

import { parseTimePhrase } from '../../kit/text/time-phrase.ts';
import { formatTime } from '../../kit/text/timezone.ts';
import { describeAction } from '../../service/automations/rule-words.ts';
import { createInvalidRequestError, ServiceError } from '../../service/protocol/service-errors.ts';
import { removeMarks } from '../../service/resources/campaign-mark.ts';
import type { Answer, CompanyPageRequest, Page, PageActionResult, View } from './page.ts';
import {
  button,
  emptyPageNotice,
  formatCount,
  formatCountWithNoun,
  formatRelativeToNow,
  type Html,
  html,
  renderTime,
} from './parts.ts';

export const clockPage: Page = {
  path: 'clock',
  name: 'Clock',
  show,
  acts: {
    advance: async (call) =>
      moved(call, await call.ask('clock advance', { seconds: Number(call.form.get('seconds')) })),
    set: async (call) => moved(call, await call.ask('clock set', { time: Number(call.form.get('time')) })),
    phrase: setToPhrase,
    run: async (call) => moved(call, await call.ask('clock run', {})),
    save: async (call) => ({
      said: `The snapshot ${(await call.ask('snapshot save', nameIn(call))).name} is saved.`,
    }),
    restore: async (call) => ({
      said: `The data of the snapshot ${(await call.ask('snapshot restore', nameIn(call))).name} is restored.`,
    }),
    delete: async (call) => ({
      said: `The snapshot ${(await call.ask('snapshot delete', nameIn(call))).name} is deleted.`,
    }),
  },
};

/** Sets the clock to a time in words. A refused text stays in its field. */
async function setToPhrase(call: CompanyPageRequest): Promise<PageActionResult> {
  try {
    return moved(call, await call.ask('clock set', { time: phraseIn(call) }));
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status >= 500) throw error;
    const path = call.pathOf(`clock?to=${encodeURIComponent(call.form.get('time') ?? '')}`);
    return { said: error.message, isRefused: true, path };
  }
}

const nameIn = ({ form }: CompanyPageRequest): { readonly name: string } => ({
  name: form.get('name') ?? '',
});

type Due = Answer<'queue'>[number];

const ROWS = 25;
const STEPS = [
  { label: '+1 hour', duration: '1h', seconds: 3600 },
  { label: '+1 day', duration: '1d', seconds: 86_400 },
  { label: '+1 week', duration: '1w', seconds: 7 * 86_400 },
] as const;

async function show(call: CompanyPageRequest): Promise<View> {
  const due = await call.ask('queue', { limit: ROWS + 1 });
  const [next] = due;
  const snapshots = await call.ask('snapshot list', {});
  const { timezone } = call.company;
  const isManual = call.clock.mode === 'manual';
  return {
    title: `Clock: ${formatTime(call.clock.time, timezone, 'long').slice(0, 'Tue 2026-12-01 09:00:00'.length)}`,
    lead: isManual
      ? `A manual clock, in ${timezone}: it moves only when you move it`
      : `The real time of this machine, in ${timezone}`,
    live: 'here',
    body: html`${isManual ? moves(call, next) : null}
<section class="part-of-page"><h2>Due next</h2>
${due.length === 0 ? emptyPageNotice('Nothing is due.', call.command`task create --help`) : queue(call, due.slice(0, ROWS))}
<p class="under">${due.length > ROWS ? html`<span class="soft">And more. </span>` : null}${call.command`sandbox queue`}</p></section>
<section class="part-of-page"><h2>Snapshots</h2>
<p class="soft">A snapshot holds all data, including API keys and the clock, so that you can return to this state.</p>
${snapshotList(call, snapshots)}
<form method="post" class="line"><input type="hidden" name="do" value="save"><label for="snapshot-name">Name</label> <input id="snapshot-name" name="name" required maxlength="60" pattern="[a-z0-9_\\-]+" placeholder="before-campaign" title="Lower-case letters, digits, - and _" autocomplete="off"><button type="submit">Save a snapshot</button></form>
<p class="under">${call.command`sandbox snapshot save before-campaign`}</p></section>`,
  };
}

function moves(call: CompanyPageRequest, next: Due | undefined): Html {
  const steps = STEPS.map(
    ({ label, duration, seconds }) =>
      html`<li>${button(label, 'advance', { seconds })}${call.command`sandbox clock advance ${duration}`}</li>`,
  );
  const at = next?.at;
  const toNext =
    at === undefined
      ? null
      : html`<li>${button('Next event', 'set', { time: Math.max(at, call.clock.time) })}${call.command`sandbox clock set ${formatTime(at, call.company.timezone, 'long').slice(4, 23)}`}</li>`;
  return html`<section class="card moves"><ul>
${steps}${toNext}
<li>${button('Run everything', 'run')}${call.command`sandbox clock run`}</li>
<li><form method="post" class="line"><input type="hidden" name="do" value="phrase"><label for="clock-time">To</label> <input id="clock-time" name="time" value="${call.query.get('to')?.slice(0, 64)}" required maxlength="64" placeholder="tomorrow 09:00" autocomplete="off"><button type="submit">Set</button></form>${call.command`sandbox clock set ${'tomorrow 09:00'}`}</li>
</ul></section>`;
}

function queue(call: CompanyPageRequest, due: readonly Due[]): Html {
  return html`<ul class="rows due">${due.map((item) => {
    const { at } = item;
    return html`<li class="row"><span>${renderTime(call, at)}</span><span class="soft">${item.in <= 0 ? 'now' : formatRelativeToNow(call, at)}</span><span class="what">${whatOf(item)}</span><span class="cause soft">${causeOf(item)}</span></li>`;
  })}</ul>`;
}

function whatOf({ kind, action, target, subscriber, size }: Due): string {
  if (kind === 'task')
    return `${action === 'start' ? 'Send to' : 'Continue sending to'} ${formatCountWithNoun(size ?? 0, 'recipient')} of ${target}`;
  if (kind === 'sms') return `SMS to ${target}`;
  return `${describeAction(action, target)} for subscriber ${subscriber}`;
}

const causeOf = (due: Due): string =>
  [
    due.kind === 'rule' ? `Rule ${due.rule}` : `${due.kind === 'sms' ? 'SMS' : 'Task'} ${due.id}`,
    removeMarks(due.name ?? ''),
  ]
    .filter((word) => word !== '')
    .join(': ');

function snapshotList(call: CompanyPageRequest, snapshots: Answer<'snapshot list'>): Html | null {
  if (snapshots.length === 0) return null;
  return html`<ul class="rows snapshots">${snapshots.map(({ name, saved, octets }) => {
    return html`<li class="row"><span class="who">${name}</span><span class="soft">saved ${renderTime(call, saved)}, ${formatCount(Math.ceil(octets / 1024))} kB</span><span class="actions">${button('Restore', 'restore', { name }, `Replace all data of the sandbox with the snapshot ${name}?`)}${button('Delete', 'delete', { name }, `Delete the snapshot ${name}?`)}</span></li>`;
  })}</ul>
<p class="under">${call.command`sandbox snapshot restore ${String(snapshots[0]?.name)}`}</p>`;
}

/** Parses a time phrase as the command line does, by the sandbox's clock and in the company's zone. */
function phraseIn({ clock: { time: now }, company, form }: CompanyPageRequest): number {
  const read = parseTimePhrase(form.get('time') ?? '', { now, zone: company.timezone });
  if (read.ok) return read.time;
  throw createInvalidRequestError([{ attribute: 'time', reason: read.reason }]);
}

function moved(call: CompanyPageRequest, { time, done: steps }: Answer<'clock run'>): PageActionResult {
  return {
    said: `The clock shows ${formatTime(time, call.company.timezone, 'long')}. ${steps === 0 ? 'Nothing was due.' : `Ran ${formatCountWithNoun(steps, 'due step')}.`}`,
    ...(steps === 0 ? {} : { more: html`<p><a href="${call.pathOf('outbox')}">See the outbox</a></p>` }),
  };
}
