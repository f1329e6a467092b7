/** Serves the links of delivered messages: a picture, a redirect, and three small pages. */
import type { HttpBindings } from '@hono/node-server';
import type { Context, Hono } from 'hono';
import { readUrl } from '../../kit/text/address.ts';
import { ServiceError } from '../../service/protocol/service-errors.ts';
import { readServiceTime } from '../engine/clock.ts';
import { type RecipientEvent, recordRecipientEvent } from '../engine/events.ts';
import { renderText } from '../engine/mail/render.ts';
import type { Service } from '../service.ts';
import { addDoNotContact } from '../store/do-not-contact.ts';
import { findTrackedLink, messageById } from '../store/messages.ts';
import type { Db } from '../store/open.ts';
import { type DeliveryRecipient, findDeliveryRecipient } from '../store/outbox.ts';
import { readProfileValues } from '../store/profile-data.ts';
import { findRowOfAccount, insertRow } from '../store/rows.ts';
import type { Row } from '../store/schema/tables.ts';
import { confirmSubscription } from '../store/subscribers.ts';
import { RESPONSE_SECURITY_HEADERS } from './wire.ts';

type App = Hono<{ Bindings: HttpBindings }>;

/** Adds the routes of the links in messages. A link contains only ids; its destination is read from the database. */
export function addTrackingRoutes(app: App, service: Service): void {
  app.get('/t/o/:recipient', async (context) => {
    await withRecipient(service, context, (db, recipient, now) => opened(db, recipient, now));
    return new Response(PIXEL, { headers: { ...PAGE_HEADERS, 'content-type': 'image/gif' } });
  });
  app.get('/t/c/:link', (context) => redirect(service, context));
  app.get('/t/c/:link/:recipient', (context) => redirect(service, context));
  app.get('/t/u/:recipient', async (context) => {
    const recipient = await findDeliveryRecipient(service.store.db, context.req.param('recipient'));
    if (!recipient) return notFound();
    return htmlPage(200, 'Unsubscribe', `Stop messages to ${recipient.address}?`, 'Unsubscribe');
  });
  app.post('/t/u/:recipient', async (context) => {
    const recipient = await withRecipient(service, context, unsubscribed);
    if (!recipient) return notFound();
    return htmlPage(200, 'Unsubscribed', `${recipient.address} will get no more messages.`);
  });
  app.get('/t/i/:recipient', async (context) => {
    const recipient = await findDeliveryRecipient(service.store.db, context.req.param('recipient'));
    if (!recipient) return notFound();
    return htmlPage(200, 'Confirm', `Send messages to ${recipient.address}?`, 'Confirm');
  });
  app.post('/t/i/:recipient', async (context) => {
    let leadsTo = '';
    const recipient = await withRecipient(service, context, async (db, who, now) => {
      leadsTo = (await confirmed(db, who, now)) ?? '';
    });
    if (!recipient) return notFound();
    const page = htmlPage(200, 'Confirmed', `${recipient.address} is confirmed.`);
    const url = /^https?:/i.test(leadsTo) ? readUrl(leadsTo) : undefined;
    // A form whose policy allows only this host can't be answered with a redirect, because browsers would block it.
    if (url !== undefined) page.headers.set('refresh', `0; url=${url.href}`);
    return page;
  });
  app.get('/t/f/:recipient', async (context) => {
    const recipient = await findDeliveryRecipient(service.store.db, context.req.param('recipient'));
    if (!recipient) return notFound();
    return htmlPage(200, 'Send to a friend', 'The sandbox does not forward messages to friends.');
  });
  app.notFound(() => notFound());
}

/** Performs the action of the button on a page under `/t/`. Returns false if no delivery has this id. */
export async function performLinkAction(
  service: Service,
  act: 'unsubscribe' | 'confirm',
  deliveryId: string,
): Promise<boolean> {
  const work = act === 'unsubscribe' ? unsubscribed : confirmed;
  return (await asRecipient(service, deliveryId, work)) !== undefined;
}

/** The smallest transparent GIF. */
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

const notFound = (): Response => htmlPage(404, 'Not found', 'This page does not exist.');

/** Does `work` for the recipient that the path names, in one transaction. A HEAD request only finds the recipient. */
async function withRecipient(
  service: Service,
  context: Context<{ Bindings: HttpBindings }>,
  work: Work,
): Promise<DeliveryRecipient | undefined> {
  const { method } = context.req;
  return asRecipient(service, context.req.param('recipient') ?? '', method === 'HEAD' ? undefined : work);
}

type Work = (db: Db, recipient: DeliveryRecipient, now: number) => Promise<unknown>;

async function asRecipient(
  { store, environment }: Service,
  id: string,
  work: Work | undefined,
): Promise<DeliveryRecipient | undefined> {
  // A delivered message never changes its account, so this read needs no transaction.
  const found = await findDeliveryRecipient(store.db, id);
  if (!found || !work) return found;
  const scope = { kind: 'account', id: found.accountId } as const;
  return store.transaction(async (db) => {
    const recipient = await findDeliveryRecipient(db, id);
    if (recipient) await work(db, recipient, await readServiceTime(db, environment.machineNow()));
    return recipient;
  }, scope);
}

async function opened(
  db: Db,
  { accountId, messageId, subscriberId, taskId }: DeliveryRecipient,
  now: number,
) {
  if (messageId === null || subscriberId === null) return;
  await recordIfThere(db, accountId, { kind: 'open', messageId, subscriberId, taskId }, now);
}

/** Redirects to the target that is stored with the link. After personalisation for the recipient, the target must be a web address. */
async function redirect(service: Service, context: Context<{ Bindings: HttpBindings }>): Promise<Response> {
  const { db } = service.store;
  const linkId = Number(/^[0-9]{1,15}$/.exec(context.req.param('link') ?? '')?.[0] ?? 0);
  const link = await findTrackedLink(db, linkId);
  if (!link) return notFound();
  const { accountId: account_id, messageId: message_id, target } = link;
  const recipient = await findDeliveryRecipient(db, context.req.param('recipient') ?? '');
  const isOfRecipient = recipient?.messageId === message_id && recipient.accountId === account_id;
  const subscriberId = isOfRecipient ? recipient.subscriberId : null;
  const location = await resolveLinkDestination(db, { account_id, message_id, target }, subscriberId);
  if (location === undefined) return notFound();
  if (subscriberId !== null)
    await withRecipient(service, context, async (inside, { accountId, taskId }, now) => {
      await recordIfThere(inside, accountId, { kind: 'click', linkId, subscriberId, taskId }, now);
    });
  return new Response(null, { status: 302, headers: { ...PAGE_HEADERS, location } });
}

async function unsubscribed(db: Db, recipient: DeliveryRecipient, now: number): Promise<void> {
  const { accountId, subscriberId, taskId, address } = recipient;
  if (taskId !== undefined && subscriberId !== null)
    await recordIfThere(db, accountId, { kind: 'unsubscribe', taskId, subscriberId }, now);
  else await addDoNotContact(db, accountId, address, now);
}

/** Confirms the subscription that a message asked about, and logs it. Returns the address to redirect the recipient to, if any. */
async function confirmed(db: Db, recipient: DeliveryRecipient, now: number): Promise<string | null> {
  await insertRow(db, 'log', { time: now, kind: 'opt-in', text: `${recipient.address} has confirmed` });
  if (recipient.subscriptionId === undefined) return null;
  return (await confirmSubscription(db, recipient.subscriptionId, now))?.confirmationredirect ?? null;
}

/** Records the event. Ignores a subscriber, message or task that no longer exists: a recipient should not see an error for it. */
async function recordIfThere(db: Db, accountId: number, event: RecipientEvent, now: number): Promise<void> {
  try {
    await recordRecipientEvent(db, accountId, event, now);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
  }
}

/** Headers of a page under `/t/`. Such a page has no script, loads nothing, and contains only the sandbox's own text. */
const PAGE_HEADERS = {
  ...RESPONSE_SECURITY_HEADERS,
  'content-security-policy':
    "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  'referrer-policy': 'same-origin',
} as const;

/** @param button label of a button that sends a POST to the page's own address */
function htmlPage(status: number, title: string, text: string, button?: string): Response {
  const form =
    button === undefined ? '' : `<form method="post"><button type="submit">${asText(button)}</button></form>`;
  const body = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${asText(title)}</title></head>
<body><h1>${asText(title)}</h1><p>${asText(text)}</p>${form}</body></html>
`;
  return new Response(body, {
    status,
    headers: { ...PAGE_HEADERS, 'content-type': 'text/html; charset=utf-8' },
  });
}

const asText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/**
 * Returns the web address to redirect to, with percent-encoded personalised values (empty without `subscriberId`). With `galinkdata`, adds
 * missing utm_source, utm_medium and utm_campaign.
 */
export async function resolveLinkDestination(
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
  const subscriber =
    subscriberId === null ? undefined : await findRowOfAccount(db, 'subscriber', accountId, subscriberId);
  const profile = subscriber ? await readProfileValues(db, subscriber.id) : new Map<string, string>();
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
