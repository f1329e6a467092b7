/** Finds the lint errors of a message. Loaded when a command writes or sends one, because the rules are a fifth of its code. */

import type { Client } from '../../client/requests/client.ts';
import type { Id } from '../../kit/schema/integer.ts';
import type { Resource } from '../../kit/schema/resource.ts';
import { lintEmail } from '../../service/lint/email.ts';
import type { ContentOrigin, LinkTarget, LintFinding, MessageContent } from '../../service/lint/finding.ts';
import { lintSms } from '../../service/lint/sms.ts';
import { emailMessageLink } from '../../service/resources/email-message-link.ts';
import { smsMessage } from '../../service/resources/sms-message.ts';
import type { Profiles, ServiceAccess } from '../session/ports.ts';
import { readRecordId } from './references.ts';

/** @param message its content, with the attributes that are `stored` */
export async function findLintErrors(
  session: ServiceAccess & Profiles,
  { name }: Resource,
  record: { readonly id?: unknown },
  message: Pick<ContentOrigin, 'files' | 'stored'> & { readonly content: MessageContent },
): Promise<readonly LintFinding[]> {
  const { content, stored, files } = message;
  const isError = ({ severity }: LintFinding): boolean => severity === 'error';
  if (name === smsMessage.name) return lintSms(content, { file: files['message'] ?? null }).filter(isError);
  const { naming } = await session.resolved();
  const needsTargets = stored.has('html') || stored.has('text');
  const targets = needsTargets ? await readLinkTargets(await session.client(), readRecordId(record)) : [];
  return lintEmail(content, { files, stored, words: naming, targets }).filter(isError);
}

/** Stored content has tracking addresses (interface, "emailMessageLink"). */
export async function readLinkTargets(client: Client, id: Id): Promise<readonly LinkTarget[]> {
  const links = await client.find(emailMessageLink, { message_id: id });
  return links.flatMap(({ type, target }) =>
    (type === 'html' || type === 'text') && typeof target === 'string' ? [{ part: type, target }] : [],
  );
}
