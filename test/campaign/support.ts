/** A campaign over a sandbox in memory, planned and applied as the command line does, without a file. */
import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { type Client, createClient } from '../../src/client/requests/client.ts';
import type { SendDependencies } from '../../src/client/sends/ports.ts';
import { applyCampaign } from '../../src/features/campaign/apply/apply.ts';
import type {
  Campaign,
  Step,
  WantedItem,
  WantedMessage,
  WantedRule,
  WantedTask,
} from '../../src/features/campaign/model.ts';
import { readAllRecordsForCampaign } from '../../src/features/campaign/observe.ts';
import { planCampaign } from '../../src/features/campaign/plan/plan.ts';
import type { PlanOptions } from '../../src/features/campaign/plan/situation.ts';
import type { Transport } from '../../src/service/protocol/wire.ts';
import { virtualClock } from '../client/fakes.ts';
import { putList, putSubscriber } from '../support/messages.ts';
import { createTestSandbox, IDS, KEYS, NOW, type TestSandbox } from '../support/sandbox.ts';

export const HOUR = 3600;

export interface CampaignRun {
  readonly sandbox: TestSandbox;
  readonly list: number;
  readonly other: number;
  readonly client: Client;
  readonly plan: (items: readonly WantedItem[], options?: Partial<PlanOptions>) => Promise<readonly Step[]>;
  /** @returns the performed steps as text: `create task spring` */
  readonly apply: (
    items: readonly WantedItem[],
    options?: Partial<PlanOptions>,
  ) => Promise<readonly string[]>;
  /** Expects that no step is left. */
  readonly isSettled: (items: readonly WantedItem[]) => Promise<void>;
  /** Tasks that are neither cancelled nor completed. */
  readonly live: () => ReturnType<TestSandbox['rows']>;
  /** Changes a record by hand, as the company's admin. */
  readonly put: (target: string, body: unknown) => ReturnType<TestSandbox['send']>;
}

export function clientOf(
  sandbox: TestSandbox,
  transport: Transport = (request) => sandbox.service.handle(request),
): Client {
  return createClient({
    credentials: { kind: 'company', companyId: IDS.company, userId: IDS.admin, apiKey: KEYS.company },
    transport,
    random: randomBytes,
    clock: virtualClock(NOW * 1000),
    serviceClockAlone: true,
  });
}

/** Returns the ports of guarded sends for a test in which no signal ends the run and no hold is awaited. */
export function sendPortsOf(client: Client, more: Partial<SendDependencies> = {}): SendDependencies {
  return {
    clientWith: async () => client,
    signal: new AbortController().signal,
    clock: virtualClock(NOW * 1000),
    latestNow: async () => client.latestTime() ?? 0,
    warn: async () => undefined,
    info: async () => undefined,
    withSignalGuard: (work) => work(),
    secondInterrupt: () => undefined,
    countDown: async () => undefined,
    uncaughtError: () => undefined,
    ...more,
  };
}

/** @param applied items that are applied already: once, and then copied for each test */
export async function openCampaign(
  around?: (sandbox: TestSandbox) => Transport,
  applied: readonly WantedItem[] = [],
): Promise<CampaignRun> {
  const sandbox = await createTestSandbox({
    holding: {
      kind: `campaign ${JSON.stringify(applied)}`,
      put: async (empty) => {
        await putRecipients(empty);
        if (applied.length > 0) await runOn(empty).apply(applied);
      },
    },
  });
  return runOn(sandbox, around);
}

const LISTS = { list: 1, other: 2 } as const;

async function putRecipients(sandbox: TestSandbox): Promise<void> {
  const [list, other] = [await putList(sandbox), await putList(sandbox)];
  expect({ list, other }).toEqual(LISTS);
  for (const each of [1, 2, 3])
    await putSubscriber(sandbox, [list], {
      email: `someone${each}@example.com`,
      msisdn: `44770090000${each}`,
    });
  await putSubscriber(sandbox, [other], { email: 'other@example.com' });
}

function runOn(sandbox: TestSandbox, around?: (sandbox: TestSandbox) => Transport): CampaignRun {
  const client = clientOf(sandbox, around?.(sandbox));
  const campaignOf = (items: readonly WantedItem[]): Campaign => ({
    campaign: 'Spring',
    company: null,
    items,
  });
  const withDefaults = (options: Partial<PlanOptions> = {}): PlanOptions => ({
    overwrite: false,
    prune: false,
    zone: 'Europe/London',
    ...options,
  });
  const planOf: CampaignRun['plan'] = async (items, options) =>
    planCampaign(
      campaignOf(items),
      await readAllRecordsForCampaign(client, campaignOf(items)),
      withDefaults(options),
    ).steps;
  return {
    sandbox,
    ...LISTS,
    client,
    plan: planOf,
    isSettled: async (items) => {
      expect(inWords(await planOf(items)).filter((line) => !line.startsWith('keep'))).toEqual([]);
    },
    live: async () =>
      (await sandbox.rows('task')).filter((row) => row['cancelled'] !== 1 && row['completed'] !== 1),
    put: (target, body) => sandbox.send('admin', 'PUT', target, body),
    apply: async (items, options) => {
      const done: string[] = [];
      const observed = await readAllRecordsForCampaign(client, campaignOf(items));
      await applyCampaign(planCampaign(campaignOf(items), observed, withDefaults(options)), {
        client,
        sends: sendPortsOf(client),
        note: async (line) => {
          done.push(line);
        },
        begin: async () => undefined,
        end: async ({ step }) => {
          done.push(`${step.action} ${step.kind} ${step.key ?? step.id}`);
        },
      });
      return done;
    },
  };
}

export const email = (key: string, values: Partial<WantedMessage['values']> = {}): WantedMessage => ({
  kind: 'message',
  key,
  channel: 'email',
  name: `Message ${key}`,
  values: {
    fromname: 'Company',
    replyemail: 'office@example.com',
    subject: 'Hello',
    html: '<p>Hello <a href="https://example.com/a">there</a> <a href="mailto:office@example.com">us</a></p>',
    text: 'Hello\nhttps://example.com/a\n',
    ...values,
  } as WantedMessage['values'],
  files: {},
});

export const text = (key: string, values: Partial<WantedMessage['values']> = {}): WantedMessage => ({
  kind: 'message',
  key,
  channel: 'sms',
  name: `Text ${key}`,
  values: { fromname: 'Company', message: 'Hello', ...values } as WantedMessage['values'],
  files: {},
});

export const task = (key: string, more: Partial<WantedTask> = {}): WantedTask => ({
  kind: 'task',
  key,
  name: `Task ${key}`,
  channel: null,
  message: { key: 'spring' },
  list: '1',
  search: null,
  at: String(NOW + 24 * HOUR),
  rate: null,
  expectSize: null,
  maxCredits: null,
  hold: null,
  ...more,
});

export const rule = (key: string, more: Partial<WantedRule> = {}): WantedRule => ({
  kind: 'automation',
  key,
  rule: 'subscription',
  name: `Rule ${key}`,
  values: { actiontype: 'email_autoresponder', actiontimediff: 60, actiononweekend: true, summary: null },
  references: { list_id: { id: '1' }, actiontarget: { key: 'spring' } },
  paused: false,
  ...more,
});

/** Returns steps as text, such as `keep task spring`. */
export const inWords = (steps: readonly Step[]): readonly string[] =>
  steps.map(({ action, kind, key, id, blockedBy }) =>
    [action, kind, key ?? id, ...(blockedBy ? [blockedBy] : [])].join(' '),
  );

/** Opens a campaign in which someone else acts right before the first request of the given kind. */
export async function interrupted(
  before: string,
  act: (sandbox: CampaignRun['sandbox']) => Promise<unknown>,
): Promise<CampaignRun> {
  let isDone = false;
  return openCampaign((sandbox) => async (request) => {
    if (!isDone && `${request.method} ${request.path}` === before) {
      isDone = true;
      await act(sandbox);
    }
    return sandbox.service.handle(request);
  });
}
