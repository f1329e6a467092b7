/** Records of a service as the items of a campaign have written them, and a plan from records alone, without a sandbox. */
import {
  computeWantedMessageHash,
  computeWantedRuleHash,
  computeWantedTaskHash,
  messageIdentityOfKey,
} from '../../../src/features/campaign/content.ts';
import {
  computeCampaignNameHash,
  computeFolderNameHash,
  computeItemKeyHash,
} from '../../../src/features/campaign/marks.ts';
import type {
  ObservedCompanyRecords,
  WantedItem,
  WantedMessage,
  WantedRule,
  WantedTask,
} from '../../../src/features/campaign/model.ts';
import { planCampaign } from '../../../src/features/campaign/plan/plan.ts';
import type { PlanOptions } from '../../../src/features/campaign/plan/situation.ts';
import type { JsonObject } from '../../../src/service/protocol/envelope.ts';
import { appendCampaignMark } from '../../../src/service/resources/campaign-mark.ts';
import type { RuleKind } from '../../../src/service/resources/rule-kinds.ts';
import { NOW } from '../../support/sandbox.ts';
import { email, rule, task } from '../support.ts';

export const folder = (name = 'News') => ({ kind: 'folder', key: 'news', name }) as const;
export const spring = email('spring');
export const sale = task('sale');
export const welcome = rule('welcome');
export const ITEMS: readonly WantedItem[] = [folder(), spring, sale, welcome];

export const marked = (
  item: Pick<WantedItem, 'kind' | 'key' | 'name'>,
  content: string,
  campaign = 'Spring',
): string =>
  appendCampaignMark(item.name, {
    campaignHash: computeCampaignNameHash(campaign),
    keyHash: computeItemKeyHash(item.kind, item.key),
    contentHashOrReason: content,
  });

export const folderRow = (more: JsonObject = {}): JsonObject => ({
  id: 1,
  name: marked(folder(), computeFolderNameHash('News')),
  list_count: 0,
  ...more,
});
export const messageRow = (item: WantedMessage, id: number, more: JsonObject = {}): JsonObject => ({
  id,
  fromemail: null,
  ...item.values,
  name: marked(item, computeWantedMessageHash(item)),
  editable: 1,
  used: false,
  ...more,
});
export const taskRow = (item: WantedTask, id: number, more: JsonObject = {}): JsonObject => ({
  id,
  name: marked(item, computeWantedTaskHash(item, messageIdentityOfKey('spring'), Number(item.at))),
  channel: 'email',
  message_id: 1,
  list_id: 1,
  search_id: null,
  rate: item.rate,
  scheduledtime: Number(item.at),
  cancelled: false,
  completed: false,
  ...more,
});
const identities = { list_id: 'id:1', actiontarget: messageIdentityOfKey('spring') };
export const ruleRow = (item: WantedRule, id: number, more: JsonObject = {}): JsonObject => ({
  id,
  name: marked(item, computeWantedRuleHash(item, identities, item.paused)),
  ...item.values,
  actionhour: null,
  list_id: 1,
  actiontarget: '1',
  paused: item.paused,
  ...more,
});

export interface Rows {
  readonly folders?: readonly JsonObject[];
  readonly emails?: readonly JsonObject[];
  readonly texts?: readonly JsonObject[];
  readonly tasks?: readonly JsonObject[];
  readonly rules?: readonly JsonObject[];
  /** Rules of other kinds. */
  readonly others?: Partial<Record<RuleKind, readonly JsonObject[]>>;
  readonly now?: number;
}
export const MADE: Required<Rows> = {
  folders: [folderRow()],
  emails: [messageRow(spring, 1)],
  texts: [],
  tasks: [taskRow(sale, 1)],
  rules: [ruleRow(welcome, 1)],
  others: {},
  now: NOW,
};
export const NONE: Required<Rows> = { ...MADE, folders: [], emails: [], tasks: [], rules: [] };

export function planOf(items: readonly WantedItem[], rows: Rows, options: Partial<PlanOptions> = {}) {
  const { folders = [], emails = [], texts = [], tasks = [], rules = [], others = {}, now = NOW } = rows;
  const observed = {
    ...{
      now,
      account: {},
      folders,
      messages: { email: emails, sms: texts },
      links: new Map(),
      tasks,
      requests: 0,
    },
    rules: { click: [], open: [], subscription: rules, date: [], sms: [], ...others },
  } as unknown as ObservedCompanyRecords;
  return planCampaign({ campaign: 'Spring', company: null, items }, observed, {
    ...{ overwrite: false, prune: false, zone: 'Europe/London' },
    ...options,
  });
}
export const stepsOf = (...args: Parameters<typeof planOf>) => planOf(...args).steps;
