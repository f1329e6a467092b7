/** Contract, "Campaigns as files": a `plan` right after an export "has nothing to do", whatever records the company has. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { replaceHtmlLinks, replaceTextLinks } from '../../../src/kit/text/html-links.ts';
import { anyText } from '../../support/any-text.ts';
import { depth } from '../../support/depth.ts';
import { NOW } from '../../support/sandbox.ts';
import { type CampaignRun, HOUR, openCampaign } from '../support.ts';
import { exportOf, hasNothingToDo } from './support.ts';

const DAY = 24 * HOUR;

/** Generates names. Another test covers blank names and names that look like a mark. */
const name = fc
  .oneof(anyText({ minLength: 1, maxLength: 60 }), fc.constantFrom('Sale', 'sale', 'Sale 2', '7'))
  .filter((text) => text.trim() !== '' && !/[\u0000\p{Cs}]|\[svc-/u.test(text));
/** Generates texts from characters that Windows-1252 contains. */
const words = fc.string({ unit: fc.constantFrom(...'abc <>&"\'{}$\n\t.,;:#é€'), maxLength: 40 });
const address = fc
  .tuple(
    fc.constantFrom('http://', 'https://', 'HTTPS://'),
    fc.constantFrom('a.example', '127.0.0.1:8080', 'b.example/1/2'),
    fc.string({ unit: fc.constantFrom(...'a1/?&=%#.,)é'), maxLength: 12 }),
  )
  .map((parts) => parts.join(''));
const link = fc
  .tuple(
    fc.oneof(
      address,
      fc.constantFrom('mailto:a@example.com', '#top', 'https://a.example/{{ field["City"] }}'),
    ),
    words,
  )
  .map(
    ([href, text]) =>
      `<a name="n" href='${href.replaceAll('&', '&amp;')}'>${text.replaceAll('<', '&lt;')}</a>`,
  );
const html = fc.array(fc.oneof(link, words), { maxLength: 8 }).map((parts) => parts.join('\n'));
const textPart = fc.array(fc.oneof(address, words), { maxLength: 6 }).map((parts) => parts.join(' '));

const email = fc.record({
  fromemail: fc.constant(null),
  fromname: words.map((text) => text.replaceAll(/[\n\t]/g, '')),
  replyemail: fc.constant('office@example.com'),
  subject: words.map((text) => text.replaceAll(/[\n\t]/g, '')),
  name,
  html,
  text: textPart,
  galinkdata: fc.boolean(),
  friendlink: fc.boolean(),
  tracktextlinks: fc.boolean(),
  editor: fc.constantFrom(1, 4),
});
const sms = fc.record({
  fromname: fc.constantFrom('Company', '447700900000'),
  message: fc.string({ unit: fc.constantFrom(...'abc é€\n\r{}$[]'), minLength: 1, maxLength: 60 }),
  name,
  subinfo: fc.boolean(),
});
const task = fc.record({
  channel: fc.constantFrom('email', 'sms'),
  message_id: fc.integer({ min: 1, max: 3 }),
  name,
  scheduledtime: fc.integer({ min: NOW + HOUR, max: NOW + 400 * DAY }),
  list_id: fc.constantFrom(1, 2),
  search_id: fc.constant(null),
  rate: fc.option(fc.integer({ min: 1, max: 9999 }), { nil: undefined }),
});
const timing = fc.oneof(
  fc.record({ actiontimediff: fc.integer({ min: 0, max: 400_000 }), actiononweekend: fc.boolean() }),
  fc.record({
    actionhour: fc.constantFrom('00:00:00', '23:00:00'),
    actiontimediff: fc.integer({ min: 0, max: 9 }).map((days) => days * 1440),
    actiononweekend: fc.boolean(),
  }),
);
const action = fc.oneof(
  fc.record({ actiontype: fc.constant('addtolist'), actiontarget: fc.constantFrom('1', '2') }),
  fc.record({
    actiontype: fc.constantFrom('email_autoresponder', 'sms_autoresponder'),
    actiontarget: fc.constantFrom('1', '2', '3'),
  }),
  fc.record({ actiontype: fc.constant('notify'), actiontarget: fc.constant('shop@example.com') }),
);
const shared = fc.record({
  name,
  summary: fc.option(name, { nil: null }),
  paused: fc.boolean(),
});
const timed = (own: fc.Arbitrary<object>) =>
  fc.tuple(shared, timing, action, own).map((parts): object => Object.assign({}, ...parts));
const message = fc.record({ message_id: fc.integer({ min: 1, max: 3 }) });
const rule = fc.oneof(
  fc.tuple(fc.constant('openAutomation'), timed(message)),
  fc.tuple(
    fc.constant('dateAutomation'),
    timed(fc.record({ actiontimediff: fc.integer({ min: -9, max: 9 }).map((days) => days * DAY) })),
  ),
  fc.tuple(fc.constant('clickAutomation'), timed(message.map((of) => ({ ...of, link_id: null })))),
  fc.tuple(
    fc.constant('clickAutomation'),
    timed(fc.integer({ min: 1, max: 5 }).map((link_id) => ({ link_id, message_id: null }))),
  ),
  fc.tuple(fc.constant('subscriptionAutomation'), timed(fc.constant({ list_id: 1 }))),
  // Often steps of a sequence.
  fc.tuple(
    fc.constant('subscriptionAutomation'),
    fc
      .tuple(
        fc.constantFrom('1', '2', '3', 'b', 'c', 'Ü').map((step) => ({ name: `Welcome, step ${step}` })),
        timing,
        fc.constantFrom('email_autoresponder', 'sms_autoresponder'),
        fc.constantFrom('1', '2'),
        fc.constantFrom(null, null, null, 'A note'),
      )
      .map(([named, at, actiontype, actiontarget, summary]): object => ({
        ...{ ...named, ...at, actiontype, actiontarget, summary },
        ...{ list_id: 1, paused: false },
      })),
  ),
  fc.tuple(
    fc.constant('subscriptionAutomation'),
    fc.tuple(shared, timing).map(([of, at]): object => ({
      ...of,
      ...at,
      list_id: 2,
      actiontype: 'removefromlist',
      actiontarget: '0',
    })),
  ),
  fc.tuple(
    fc.constant('smsAutomation'),
    fc
      .tuple(
        shared,
        fc.record({
          keyword: fc.option(fc.constantFrom('SALE', 'Stop1'), { nil: null }),
          list_id: fc.constantFrom(1, 2),
          message_id: fc.option(fc.integer({ min: 1, max: 3 }), { nil: null }),
          email_list_id: fc.option(fc.constantFrom(1, 2), { nil: null }),
          notifyurl: fc.option(fc.constant('https://example.com/hook'), { nil: null }),
        }),
      )
      .map((parts): object => Object.assign({}, ...parts)),
  ),
);

type Made = typeof company extends fc.Arbitrary<infer T> ? T : never;

const company = fc.record({
  emails: fc.array(email, { minLength: 1, maxLength: 4 }),
  /** New content for some existing messages, so that the order of link ids changes. */
  edits: fc.array(fc.tuple(fc.integer({ min: 1, max: 4 }), html, textPart), { maxLength: 3 }),
  texts: fc.array(sms, { maxLength: 3 }),
  rules: fc.array(rule, { maxLength: 5 }),
  tasks: fc.array(task, { maxLength: 4 }),
  campaign: fc.constantFrom('Company', 'Spring', `\${{ x }}`, '# 1'),
});

interface Filled {
  readonly taken: number;
  /** The links in each part of each e-mail message as last written, by id. */
  readonly links: ReadonlyMap<string, Readonly<Record<'html' | 'text', readonly string[]>>>;
}

function hrefsIn(replace: typeof replaceHtmlLinks, part: string): readonly string[] {
  const hrefs: string[] = [];
  replace(part, ({ href }) => {
    hrefs.push(href);
    return undefined;
  });
  return hrefs;
}

const linksOf = (parts: { readonly html: string; readonly text: string }) => ({
  html: hrefsIn(replaceHtmlLinks, parts.html),
  text: hrefsIn(replaceTextLinks, parts.text),
});

/** Fills the sandbox. Records that the service refuses are missing from the result. */
async function fill({ sandbox }: CampaignRun, made: Made): Promise<Filled> {
  let taken = 0;
  const links = new Map<string, ReturnType<typeof linksOf>>();
  const send = async (method: 'POST' | 'PUT', path: string, body: object): Promise<boolean> => {
    const { status } = await sandbox.send('admin', method, `/v1/${path}`, body);
    expect(status).toBeLessThan(500);
    if (method === 'POST' && status < 300) taken += 1;
    return status < 300;
  };
  for (const each of made.emails)
    if (await send('POST', 'emailMessage', each)) links.set(String(links.size + 1), linksOf(each));
  for (const [id, html, text] of made.edits)
    if (await send('PUT', `emailMessage/${id}`, { html, text }))
      links.set(String(id), linksOf({ html, text }));
  for (const each of made.texts) await send('POST', 'smsMessage', each);
  for (const [resource, each] of made.rules) await send('POST', resource, each);
  for (const each of made.tasks) await send('POST', 'task', each);
  return { taken, links };
}

const RUNS = depth('SVC_EXPORT_RUNS', { few: 4, full: 1000 });

it('an export has an empty plan for every record that the service accepts', {
  timeout: 360_000,
}, async () => {
  let all = 0;
  await fc.assert(
    fc.asyncProperty(company, async (made) => {
      const run = await openCampaign();
      const { taken, links } = await fill(run, made);
      const found = await exportOf(run.client, made.campaign);
      await hasNothingToDo(found);
      expect(found.exported.omitted).toEqual([]);
      expect(found.read.campaign.items).toHaveLength(taken);
      for (const { channelOrRuleKind, id, contents } of found.exported.items) {
        if (channelOrRuleKind !== 'email') continue;
        const [html = '', text = ''] = contents.values();
        expect(linksOf({ html, text })).toEqual(links.get(id));
      }
      all += taken;
    }),
    { numRuns: RUNS },
  );
  // The sandbox accepts most records; otherwise the test would compare nothing. With few runs, some may have almost none.
  expect(all).toBeGreaterThan(RUNS);
});
