/** Makes a random account in a test sandbox, and a random campaign for it. The same seed gives the same ones. */

import { ClientError } from '../../src/client/requests/errors.ts';
import { SendError } from '../../src/client/sends/errors.ts';
import { applyCampaign } from '../../src/features/campaign/apply/apply.ts';
import { CampaignError } from '../../src/features/campaign/errors.ts';
import type { Campaign, MessageReference, WantedItem } from '../../src/features/campaign/model.ts';
import { readAllRecordsForCampaign } from '../../src/features/campaign/observe.ts';
import { planCampaign } from '../../src/features/campaign/plan/plan.ts';
import type { PlanOptions } from '../../src/features/campaign/plan/situation.ts';
import { seededRandom } from '../../src/sandbox/seeded-random.ts';
import type { SqlRow } from '../../src/sandbox/store/rows.ts';
import type { SimulatedRecipientSettings } from '../../src/service/protocol/control/audience.ts';
import { clientOf, email, rule, sendPortsOf, task, text } from '../campaign/support.ts';
import { EMAIL, putList, putSms, setAccount } from '../support/messages.ts';
import { IDS, NOW, type TestSandbox } from '../support/sandbox.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;

export interface RandomAccount {
  readonly campaign: Campaign;
  readonly zone: string;
  readonly simulatedRecipients: SimulatedRecipientSettings;
  readonly pruned: boolean;
}

interface Options {
  /** True if people are on several lists, on Do Not Contact or suspended, which the interface does not show. */
  readonly hasUnknown: boolean;
}

export async function randomAccount(
  sandbox: TestSandbox,
  seed: number,
  { hasUnknown }: Options,
): Promise<RandomAccount> {
  const random = seededRandom(seed);
  const below = (most: number): number => Math.floor(random() * most);
  const one = <T>(choices: readonly T[]): T => choices[below(choices.length)] as T;
  const chance = (share: number): boolean => random() < share;
  const between = (low: number, high: number): number => low + below(high - low + 1);

  const zone = one(['Europe/London', 'America/New_York', 'Australia/Sydney', 'Asia/Kolkata', 'UTC']);
  const credits = (): number => (hasUnknown || chance(0.7) ? 100_000 : between(0, 120));
  await setAccount(sandbox, {
    timezone: zone,
    emailcreditbalance: credits(),
    smscreditbalance: credits(),
    ...(chance(0.05) ? { enablesms: 0 } : {}),
    ...(chance(0.05) ? { automation_limit: between(0, 4) } : {}),
  });
  const send = async (method: 'POST' | 'PUT', target: string, body: unknown): Promise<number> => {
    const answer = await sandbox.send('admin', method, target, body);
    if (answer.status >= 300) throw new Error(`${method} ${target}: ${answer.status} ${answer.text}`);
    return Number(answer.data['id']);
  };

  // Audiences: lists first, then searches. People are in the order of their audiences.
  const lists: number[] = [];
  for (let count = between(1, 3); count > 0; count -= 1) lists.push(await putList(sandbox));
  const everyone: number[] = [];
  // The people whom the copy has get the ids that they have there. Who reacts depends on the ids.
  const last = { copied: 0, unreachable: 1_000_000 };
  const newSubscriber = async (withEmail: boolean, withNumber: boolean): Promise<number> => {
    const name = everyone.length + 1;
    const own = withEmail || withNumber ? 'copied' : 'unreachable';
    last[own] += 1;
    const id = await sandbox.put('subscriber', {
      id: last[own],
      account_id: IDS.company,
      cdate: NOW,
      email: withEmail ? `someone${name}@people${name % 3}.example` : null,
      email_domain: withEmail ? `people${name % 3}.example` : null,
      msisdn: withNumber ? `447700${String(name).padStart(6, '0')}` : null,
      ...(hasUnknown && chance(0.05) ? { emailsuspended: 1 } : {}),
    });
    everyone.push(id);
    return id;
  };
  const people = async (add: (subscriber: number) => Promise<unknown>): Promise<void> => {
    const size = between(0, 30);
    // Without both, the copy gives an address and a number to as many people as possible.
    const [emails, numbers] = [chance(0.9) ? size : 0, chance(0.6) ? size : 0];
    for (let index = 0; index < size; index += 1) {
      const isKnown = hasUnknown && everyone.length > 0 && chance(0.4);
      await add(isKnown ? one(everyone) : await newSubscriber(index < emails, index < numbers));
    }
  };
  for (const list_id of lists) {
    const added = new Set<number>();
    await people(async (subscriber_id) => {
      if (added.has(subscriber_id)) return;
      added.add(subscriber_id);
      await sandbox.put('subscription', { list_id, subscriber_id, cdate: NOW });
    });
  }
  const searches: number[] = [];
  if (chance(0.3)) {
    const field_id = await sandbox.put('profile_field', { account_id: IDS.company, name: 'Field' });
    const equals = 'yes';
    searches.push(
      await sandbox.put('search', { account_id: IDS.company, name: 'Search', field_id, equals, cdate: NOW }),
    );
    const added = new Set<number>();
    await people(async (subscriber_id) => {
      if (added.has(subscriber_id)) return;
      added.add(subscriber_id);
      await sandbox.put('profile_data', { field_id, subscriber_id, account_id: IDS.company, value: equals });
    });
  }
  if (hasUnknown)
    for (const contactdata of ['people1.example', 'someone3@people0.example'])
      if (chance(0.5))
        await sandbox.put('do_not_contact', { account_id: IDS.company, contactdata, cdate: NOW });
  if (chance(0.3)) await send('POST', '/v1/folder', { name: 'Folder' });

  // Messages, and a finished task of each audience and channel, from which its size is known.
  const emails: number[] = [];
  for (let count = between(1, 3); count > 0; count -= 1)
    emails.push(await send('POST', '/v1/emailMessage', { ...EMAIL, ...content(below) }));
  const texts: number[] = [];
  for (let count = between(1, 2); count > 0; count -= 1)
    texts.push(await putSms(sandbox, { message: 'x'.repeat(one([5, 200, 320])), subinfo: below(2) }));
  const links = (await sandbox.send('admin', 'GET', '/v1/emailMessageLink')).list.map(({ id }) => Number(id));
  const sizeOf = async (channel: string, audience: SqlRow): Promise<number> => {
    const column = channel === 'email' ? 'email' : 'msisdn';
    const members =
      audience['list_id'] === null
        ? (await sandbox.rows('profile_data')).map((row) => row['subscriber_id'])
        : (await sandbox.rows('subscription'))
            .filter((row) => row['list_id'] === audience['list_id'])
            .map((row) => row['subscriber_id']);
    const rows = await sandbox.rows('subscriber');
    return rows.filter((row) => members.includes(row['id'] ?? null) && row[column] !== null).length;
  };
  const audiences: readonly SqlRow[] = [
    ...lists.map((list_id) => ({ list_id, search_id: null })),
    ...searches.map((search_id) => ({ list_id: null, search_id })),
  ];
  const pastEmail = await send('POST', '/v1/emailMessage', EMAIL);
  const pastText = await putSms(sandbox);
  for (const audience of audiences)
    for (const channel of ['email', 'sms']) {
      const size = await sizeOf(channel, audience);
      await sandbox.put('task', {
        ...{ account_id: IDS.company, user_id: IDS.admin, name: `Past ${channel}`, channel, ...audience },
        message_id: channel === 'email' ? pastEmail : pastText,
        ...{ scheduledtime: NOW - 9 * DAY, endtime: NOW - 9 * DAY + 60, cdate: NOW - 10 * DAY },
        ...{ size, sent: size, started: 1, completed: 1 },
        ...(channel === 'email'
          ? { emailuniqueopens: below(size + 1), emailuniqueclicks: below(Math.floor(size / 3) + 1) }
          : {}),
      });
    }

  // Returns the scheduled tasks, and the rules that wait for them.
  const timing = (): Record<string, unknown> => ({
    actiontimediff: one([0, 0, HOUR, DAY, 3 * DAY]),
    actiononweekend: chance(0.6),
    actionhour: chance(0.2) ? `${String(below(24)).padStart(2, '0')}:00:00` : null,
  });
  const action = (kind: 'click' | 'open' | 'subscription'): Record<string, unknown> => {
    const actiontype = one([
      ...['email_autoresponder', 'email_autoresponder', 'sms_autoresponder', 'notify'],
      ...(kind === 'subscription'
        ? ['copytolist', 'movetolist', 'removefromlist']
        : ['addtolist', 'addtolist']),
    ]);
    return { actiontype, actiontarget: String(targetOf(actiontype)) };
  };
  const targetOf = (actiontype: string): number | string => {
    if (actiontype === 'email_autoresponder') return one(emails);
    if (actiontype === 'sms_autoresponder') return one(texts);
    return actiontype === 'notify' ? 'office@example.com' : one(lists);
  };
  const summary = null;
  for (let count = below(4); count > 0; count -= 1) {
    const kind = one(['click', 'open', 'subscription'] as const);
    const watched =
      kind === 'subscription'
        ? { list_id: one(lists) }
        : kind === 'open'
          ? { message_id: one(emails) }
          : links.length > 0 && chance(0.5)
            ? { link_id: one(links), message_id: null }
            : { link_id: null, message_id: one(emails) };
    await sandbox.put(`${kind}_automation`, {
      ...{ account_id: IDS.company, user_id: IDS.admin, name: `${kind} ${count}`, cdate: NOW, mdate: NOW },
      ...(Object.fromEntries(
        Object.entries({ ...watched, ...timing(), ...action(kind) }).map(([name, value]) => [
          name,
          typeof value === 'boolean' ? Number(value) : value,
        ]),
      ) as SqlRow),
      ...{ paused: chance(0.2) ? 1 : 0, summary },
    });
  }
  for (let count = below(3); count > 0; count -= 1) {
    const channel = one(['email', 'sms']);
    const id = await schedule(sandbox, {
      ...{ name: `Scheduled ${count}`, channel, ...one(audiences) },
      message_id: one(channel === 'email' ? emails : texts),
      scheduledtime: NOW + between(1, 20 * 24) * HOUR,
      rate: chance(0.3) ? between(2, 20) : null,
    });
    if (id !== undefined && chance(0.2)) await send('PUT', `/v1/task/${id}`, { cancelled: true });
  }

  // Steps of a sequence, as the file's reader makes them.
  const randomSequence = (): readonly WantedItem[] => {
    const list_id = { id: String(one(lists)) };
    const minutes = Array.from({ length: between(1, 4) }, () => one([0, 60, 1440, 3 * 1440, 10 * 1440]));
    return minutes
      .sort((a, b) => a - b)
      .map((actiontimediff, index) => {
        const isSms = items.some(({ key }) => key === 'sms') && chance(0.3);
        const actionhour = actiontimediff % 1440 === 0 && chance(0.4) ? '09:00:00' : null;
        const isTimed = actiontimediff > 0 || actionhour !== null;
        return rule(`welcome/${index + 1}`, {
          rule: 'subscription',
          name: `Welcome, step ${index + 1}`,
          values: {
            actiontype: isSms ? 'sms_autoresponder' : 'email_autoresponder',
            actiontimediff,
            actionhour,
            ...(isTimed ? { actiononweekend: chance(0.6) } : {}),
          },
          references: { list_id, actiontarget: { key: isSms ? 'sms' : one(keys) } },
        });
      });
  };

  // The campaign.
  const keys = ['news', 'more'].slice(0, between(1, 2));
  const items: WantedItem[] = [
    ...keys.map((key) => email(key, content(below))),
    ...(chance(0.5) ? [text('sms', { message: 'y'.repeat(one([5, 161])) })] : []),
  ];
  const messageKeys = items.map(({ key }) => key);
  for (let count = between(1, 3); count > 0; count -= 1) {
    const audience = one(audiences);
    const isList = audience['list_id'] !== null;
    items.push(
      task(`send${count}`, {
        message: { key: one(messageKeys) },
        list: isList ? String(audience['list_id']) : null,
        search: isList ? null : String(audience['search_id']),
        at: String(NOW + between(1, 25 * 24) * HOUR + below(3600)),
        rate: chance(0.3) ? between(2, 30) : null,
        expectSize: chance(0.1) ? { from: 0, to: between(0, 25) } : null,
        maxCredits: chance(0.1) ? between(0, 60) : null,
      }),
    );
  }
  for (let count = below(4); count > 0; count -= 1) {
    const kind = one(['open', 'click', 'subscription'] as const);
    const { actiontype, actiontarget } = action(kind);
    const own: MessageReference | undefined =
      actiontype === 'email_autoresponder' && chance(0.5) ? { key: one(keys) } : undefined;
    const target: MessageReference = own ?? { id: String(actiontarget) };
    const isNotice = actiontype === 'notify';
    const watched: Record<string, MessageReference> =
      kind === 'subscription' ? { list_id: { id: String(one(lists)) } } : { message_id: { key: one(keys) } };
    items.push(
      rule(`rule${count}`, {
        rule: kind,
        name: `Rule ${count}`,
        values: { actiontype, ...timing(), summary, ...(isNotice ? { actiontarget } : {}) } as never,
        references: { ...watched, ...(isNotice ? {} : { actiontarget: target }) },
      }),
    );
  }
  if (chance(0.6)) items.push(...randomSequence());
  const share = (most: number): number => Math.round(random() * most * 1000) / 1000;
  return {
    zone,
    pruned: false,
    campaign: { campaign: 'Random', company: null, items },
    simulatedRecipients: {
      seed: between(1, 1_000_000),
      shares: {
        ...{ open: share(0.8), click: share(0.4), unsubscribe: share(0.2) },
        ...{ complaint: share(0.1), bounce: share(0.2) },
      },
    },
  };
}

function content(below: (most: number) => number) {
  const links = Array.from({ length: below(4) }, (_, index) => `https://example.com/${index}`);
  return {
    html: `<p>Hello ${links.map((link) => `<a href="${link}">there</a>`).join(' ')}</p>`,
    text: ['Hello', ...links].join('\n'),
  };
}

/** Schedules a task as a user does. Returns its id, or undefined if the service refuses it. */
async function schedule(sandbox: TestSandbox, body: SqlRow): Promise<number | undefined> {
  const answer = await sandbox.send('admin', 'POST', '/v1/task', body);
  return answer.status < 300 ? Number(answer.data['id']) : undefined;
}

/** Applies the campaign as `svc apply` does. Returns the blocked steps, or the error. */
export async function applyForReal(
  sandbox: TestSandbox,
  { campaign }: Pick<RandomAccount, 'campaign'>,
  options: PlanOptions,
): Promise<readonly string[]> {
  const client = clientOf(sandbox);
  try {
    const observed = await readAllRecordsForCampaign(client, campaign);
    const applied = await applyCampaign(planCampaign(campaign, observed, options), {
      ...{ client, sends: sendPortsOf(client) },
      ...{ note: async () => undefined, begin: async () => undefined, end: async () => undefined },
    });
    return applied.flatMap(({ step: { action, kind, key, reason } }) =>
      action === 'blocked' ? [`${kind} ${key} is blocked: ${reason}`] : [],
    );
  } catch (error) {
    if (error instanceof ClientError || error instanceof CampaignError || error instanceof SendError)
      return [error.message];
    throw error;
  }
}
