/** Finds the ids in a campaign that belong to one account, and replaces them with those of another (`svc promote`). */

import { parseIntegerDigits } from '../../kit/schema/integer.ts';
import { messageAttributesOfRule } from '../../service/resources/rule-kinds.ts';
import type { Channel } from '../../service/resources/task.ts';
import { itemPositionKey } from './file/attributes.ts';
import type { Campaign, WantedItem } from './model.ts';

/** Keys are item and attribute, such as `task spring list_id`, and `company` for that of the file. */
export type PromotedIds = Readonly<Record<string, { readonly from: string; readonly to: string }>>;

export interface IdInCampaign {
  readonly item: WantedItem;
  readonly attribute: string;
  readonly id: string;
  /** Noun of the record. */
  readonly names: 'list' | 'search' | 'message' | 'link' | 'record';
  /** Set for a message whose channel the campaign gives. */
  readonly channel?: Channel;
}

export const keyOfId = ({
  item: { kind, key },
  attribute,
}: Pick<IdInCampaign, 'item' | 'attribute'>): string => itemPositionKey(kind, key, attribute);

export const COMPANY_OF_FILE = 'company';

export const listIdsOfCampaign = ({ items }: Campaign): readonly IdInCampaign[] => items.flatMap(idsOfItem);

function idsOfItem(item: WantedItem): readonly IdInCampaign[] {
  const adopted: readonly IdInCampaign[] =
    'adopted' in item && item.adopted
      ? [{ item, attribute: 'id', id: item.adopted.id, names: 'record' }]
      : [];
  if (item.kind === 'task') {
    const { list, search, message, channel } = item;
    return [
      ...adopted,
      ...(list === null ? [] : [{ item, attribute: 'list_id', id: list, names: 'list' } as const]),
      ...(search === null ? [] : [{ item, attribute: 'search_id', id: search, names: 'search' } as const]),
      ...('id' in message
        ? [
            {
              item,
              attribute: 'message_id',
              id: message.id,
              names: 'message',
              channel: channel ?? 'email',
            } as const,
          ]
        : []),
    ];
  }
  if (item.kind !== 'automation') return adopted;
  const channels = messageAttributesOfRule(item.rule, item.values);
  const references = Object.entries(item.references).flatMap(
    ([attribute, reference]): readonly IdInCampaign[] => {
      if (!('id' in reference) || reference.id === NO_LIST) return [];
      const channel = channels[attribute];
      const names = channel !== undefined ? 'message' : attribute === 'link_id' ? 'link' : 'list';
      return [{ item, attribute, id: reference.id, names, ...(channel === undefined ? {} : { channel }) }];
    },
  );
  return [...adopted, ...references];
}

/** Id by which an action names the list of its rule. */
const NO_LIST = '0';

/** @throws RangeError if the campaign has another id, or none, where one is replaced */
export function replacePromotedIds(campaign: Campaign, ids: PromotedIds): Campaign {
  const left = new Set(Object.keys(ids));
  const replaced = (item: WantedItem, attribute: string, id: string): string =>
    replacedAt(keyOfId({ item, attribute }), id);
  const replacedAt = (key: string, id: string): string => {
    const pair = Object.hasOwn(ids, key) ? ids[key] : undefined;
    if (pair === undefined) return id;
    if (pair.from !== id) throw new RangeError(`${key} is ${id}, not ${pair.from}`);
    left.delete(key);
    return pair.to;
  };
  const items = campaign.items.map((item): WantedItem => {
    if (item.kind === 'task') {
      const { list, search, message } = item;
      return {
        ...item,
        list: list === null ? null : replaced(item, 'list_id', list),
        search: search === null ? null : replaced(item, 'search_id', search),
        message: 'id' in message ? { id: replaced(item, 'message_id', message.id) } : message,
      };
    }
    if (item.kind !== 'automation') return item;
    const references = Object.entries(item.references).map(([attribute, reference]) => [
      attribute,
      'id' in reference ? { id: replaced(item, attribute, reference.id) } : reference,
    ]);
    return { ...item, references: Object.fromEntries(references) };
  });
  const company =
    campaign.company === null
      ? null
      : parseIntegerDigits(replacedAt(COMPANY_OF_FILE, String(campaign.company)));
  const [stray] = left;
  if (stray !== undefined) throw new RangeError(`${stray} has no id`);
  return { ...campaign, company, items };
}
