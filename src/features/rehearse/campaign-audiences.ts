/** Finds the lists and searches that campaigns name. The copy of the account needs them, also if no task was sent to them yet. */

import type { Channel } from '../../service/resources/task.ts';
import type { Campaign, MessageReference, WantedTask } from '../campaign/model.ts';

export interface CampaignAudiences {
  readonly lists: ReadonlySet<number>;
  readonly searches: ReadonlySet<number>;
  /** Keys of `audienceKey`. */
  readonly sends: ReadonlySet<string>;
  /** The rule sends SMS to people, whichever list they are on. */
  readonly hasSmsRule: boolean;
}

export type AudienceKind = 'list' | 'search';

/** Returns `list 3 sms`. */
export const audienceKey = (kind: AudienceKind, id: number, channel: Channel): string =>
  `${kind} ${id} ${channel}`;

export function audiencesOfCampaigns(campaigns: readonly Campaign[]): CampaignAudiences {
  const lists = new Set<number>();
  const searches = new Set<number>();
  const sends = new Set<string>();
  let hasSmsRule = false;
  for (const campaign of campaigns)
    for (const item of campaign.items)
      if (item.kind === 'task') {
        if (item.list !== null) lists.add(Number(item.list));
        if (item.search !== null) searches.add(Number(item.search));
        sends.add(audienceOfTask(campaign, item));
      } else if (item.kind === 'automation') {
        const { actiontarget, list_id, email_list_id } = item.references;
        const action = String(item.values['actiontype']);
        for (const each of [list_id, email_list_id, /list$/.test(action) ? actiontarget : undefined])
          if (hasId(each)) lists.add(Number(each.id));
        if (action === 'sms_autoresponder') hasSmsRule = true;
      }
  return { lists, searches, sends, hasSmsRule };
}

const hasId = (reference: MessageReference | undefined): reference is { readonly id: string } =>
  reference !== undefined && 'id' in reference && Number(reference.id) > 0;

export function audienceOfTask({ items }: Pick<Campaign, 'items'>, task: WantedTask): string {
  const { message } = task;
  const own = items.find((item) => item.kind === 'message' && 'key' in message && item.key === message.key);
  const channel = own?.kind === 'message' ? own.channel : (task.channel ?? 'email');
  return task.list === null
    ? audienceKey('search', Number(task.search), channel)
    : audienceKey('list', Number(task.list), channel);
}
