/** What a task is, in words. */
import type { JsonObject } from '../../../protocol/envelope.ts';
import { channelOf } from '../../request/credits.ts';

export const channelWord = (record: JsonObject): string => (channelOf(record) === 'sms' ? 'SMS' : 'e-mail');

/** `list 3`, `search 4`: neither has a name that the interface gives. */
export function targetWords({ list_id: list = null, search_id: search = null }: JsonObject): string {
  return list !== null ? `list ${String(list)}` : `search ${String(search ?? '-')}`;
}
