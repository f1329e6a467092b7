/** Resolves the destination of a click on a tracked link: the stored target, personalised for the reader. */
import { readUrl } from '../../../text/url.ts';
import { messageById } from '../../store/messages.ts';
import type { Db } from '../../store/open.ts';
import { profileOf } from '../../store/outbox.ts';
import type { Row } from '../../store/schema/tables.ts';
import { subscriberById } from '../../store/subscribers.ts';
import { renderText } from './render.ts';

/**
 * Returns the address to redirect to, or undefined if the link's target is no web address. Personalised targets are filled in with
 * percent-encoded values. If the message has `galinkdata`, missing utm_source, utm_medium and utm_campaign are added.
 * @param subscriberId the reader; null if unknown, and personalisation then yields empty values
 */
export async function destinationOf(
  db: Db,
  link: Pick<Row<'email_message_link'>, 'account_id' | 'message_id' | 'target'>,
  subscriberId: number | null,
): Promise<string | undefined> {
  const target = await personalised(db, link.account_id, link.target, subscriberId);
  const url = readUrl(target);
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return undefined;
  const message = await messageById(db, 'email', link.account_id, link.message_id);
  if (message && 'galinkdata' in message && message.galinkdata === 1) addCampaign(url, message.name);
  return url.href;
}

async function personalised(
  db: Db,
  accountId: number,
  target: string,
  subscriberId: number | null,
): Promise<string> {
  if (!/\{[{%]/.test(target)) return target;
  const subscriber = subscriberId === null ? undefined : await subscriberById(db, accountId, subscriberId);
  const profile = subscriber ? await profileOf(db, subscriber.id) : new Map<string, string>();
  const lookup = (name: string): string | undefined => {
    if (name === 'email') return subscriber?.email ?? undefined;
    if (name === 'msisdn') return subscriber?.msisdn ?? undefined;
    return profile.get(name.slice('field.'.length));
  };
  return renderText(target, lookup, encodeURIComponent);
}

function addCampaign(url: URL, name: string): void {
  const campaign = { utm_source: 'newsletter', utm_medium: 'email', utm_campaign: name };
  for (const [parameter, value] of Object.entries(campaign))
    if (!url.searchParams.has(parameter)) url.searchParams.set(parameter, value);
}
