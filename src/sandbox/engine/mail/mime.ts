/** Composes a delivered e-mail as the octets of a message (RFC 5322). The result is deterministic: the same mail gives the same octets. */
import { createHash } from 'node:crypto';
import type { ContentMarkupNames } from '../../../kit/schema/resource.ts';
import { isEmailAddress } from '../../../kit/text/address.ts';
import { encodeWindows1252, findUnmappableCharacters } from '../../../kit/text/windows-1252.ts';
import { accountById } from '../../store/accounts.ts';
import type { Db } from '../../store/open.ts';
import { type DeliveryDetails, showDelivery } from './outbox.ts';
import { trackingUri } from './render.ts';

export interface Mail {
  readonly id: string;
  readonly envelope: { readonly from: string; readonly to: string };
  /** Header and body in ASCII; lines end with CR LF. */
  readonly octets: Buffer;
}

export interface MailOptions {
  readonly trackingBaseUrl: string;
  readonly words?: ContentMarkupNames;
}

/** Returns the message behind an entry of the outbox. Undefined if the entry is no e-mail: an SMS, or a call to a `notifyurl`. */
export async function loadOutboxMail(
  db: Db,
  accountId: number,
  id: string,
  options: MailOptions,
): Promise<Mail | undefined> {
  const shown = await showDelivery(db, accountId, id, options);
  if (!shown || shown.channel === 'sms' || !isEmailAddress(shown.to)) return undefined;
  const account = await accountById(db, accountId);
  const from = mailboxIn(shown.from, account?.contactemail ?? NOBODY);
  const octets = await compose(shown, {
    from,
    messageId: `<${accountId}.${id}@${DOMAIN}>`,
    unsubscribe: shown.channel === 'email' ? trackingUri({ ...options, recipient: id }, 'unsubscribe') : null,
  });
  return { id, envelope: { from: from.address, to: shown.to }, octets };
}

/** Domain of generated senders and message ids. It is reserved and can't be registered (RFC 6761). */
const DOMAIN = 'sandbox.invalid';

const NOBODY = `nobody@${DOMAIN}`;

interface Mailbox {
  readonly name: string;
  readonly address: string;
}

/** Splits `Name <address>`, or an address. Any other sender, such as a phone number, becomes the name beside `fallbackAddress`. */
function mailboxIn(from: string, fallbackAddress: string): Mailbox {
  const [, name, address] = /^(.*) <([^<>]*)>$/s.exec(from) ?? [];
  if (name !== undefined && address !== undefined && isEmailAddress(address))
    return { name: oneLine(name), address };
  return isEmailAddress(from)
    ? { name: '', address: from }
    : { name: oneLine(from), address: fallbackAddress };
}

interface Head {
  readonly from: Mailbox;
  readonly messageId: string;
  readonly unsubscribe: string | null;
}

async function compose(shown: DeliveryDetails, head: Head): Promise<Buffer> {
  const { default: MimeNode } = await import('nodemailer/lib/mime-node');
  const { text, html } = shown;
  const parts = [
    // A message without content gets an empty text part.
    ...(text || !html ? [{ type: 'text/plain', ...encode(text ?? '') }] : []),
    ...(html ? [{ type: 'text/html', ...encode(html) }] : []),
  ];
  const boundary = boundaryOutside(parts.map(({ octets }) => octets));
  const sealed = { baseBoundary: boundary, disableFileAccess: true, disableUrlAccess: true };
  const [only] = parts;
  const root = new MimeNode(parts.length === 1 && only ? typeOf(only) : 'multipart/alternative', sealed);
  root.setHeader('From', head.from);
  root.setHeader('To', { name: '', address: shown.to });
  if (shown.reply_to !== null && isEmailAddress(shown.reply_to))
    root.setHeader('Reply-To', { name: '', address: shown.reply_to });
  root.setHeader('Subject', oneLine(shown.subject ?? ''));
  root.setHeader('Date', new Date(shown.time * 1000));
  root.setHeader('Message-ID', head.messageId);
  if (head.unsubscribe !== null)
    root.setHeader('List-Unsubscribe', { prepared: true, value: `<${head.unsubscribe}>` });
  for (const part of parts) {
    const node = parts.length === 1 ? root : root.createChild(typeOf(part), sealed);
    node.setHeader('Content-Transfer-Encoding', 'quoted-printable');
    node.setContent(part.octets);
  }
  return root.build();
}

/**
 * Returns a boundary that occurs in no part, so that no content can forge a part. It is derived from the content, so that the same mail gives
 * the same octets.
 */
function boundaryOutside(parts: readonly Buffer[]): string {
  for (let turn = 0; ; turn += 1) {
    const hash = createHash('sha256').update(String(turn));
    for (const part of parts) hash.update(part);
    const boundary = hash.digest('hex').slice(0, 32);
    if (!parts.some((part) => part.includes(boundary))) return boundary;
  }
}

interface Encoded {
  readonly charset: 'windows-1252' | 'utf-8';
  readonly octets: Buffer;
}

const typeOf = ({ type, charset }: { readonly type: string } & Encoded): string =>
  `${type}; charset=${charset}`;

/** Encodes content as Windows-1252 (interface, emailMessage), or as UTF-8 if personalised values have other characters. */
function encode(content: string): Encoded {
  const lines = content.replaceAll(/\r\n|\r|\n/g, '\r\n');
  return findUnmappableCharacters(lines, 1).length === 0
    ? { charset: 'windows-1252', octets: Buffer.from(encodeWindows1252(lines)) }
    : { charset: 'utf-8', octets: Buffer.from(lines, 'utf8') };
}

/** Removes line breaks, so that no value can end a header and begin another. */
const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim();
