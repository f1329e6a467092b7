/** Adds to `email delete` and `sms-message delete` a warning, before the confirmation, about rules that lose their message. */
import { type AutomationRule, readRule } from '../../../automations/rules.ts';
import type { Client } from '../../../client/client.ts';
import { ClientError } from '../../../client/errors.ts';
import { titleOf } from '../../../client/record-title.ts';
import type { JsonObject } from '../../../protocol/envelope.ts';
import { automations } from '../../../resources/catalogue.ts';
import { emailMessage } from '../../../resources/email-message.ts';
import { emailMessageLink } from '../../../resources/email-message-link.ts';
import type { RuleKind } from '../../../resources/rule-kinds.ts';
import type { Resource } from '../../../schema/resource.ts';
import type { Verb } from '../../command/command.ts';
import { readRecordId } from '../../request/references.ts';
import type { ServiceAccess } from '../../session/access.ts';
import type { StderrNotePrinter } from '../../session/notes.ts';
import { createVerbToDeleteRecord } from '../generic/delete.ts';

export const createVerbToDeleteMessage = (resource: Resource): Verb =>
  createVerbToDeleteRecord(resource, (session, record) => sayDependents(session, resource, record));

async function sayDependents(
  session: ServiceAccess & StderrNotePrinter,
  resource: Resource,
  record: JsonObject,
): Promise<void> {
  const title = titleOf(resource, record);
  try {
    const isEmail = resource.name === emailMessage.name;
    for (const rule of await dependentRules(await session.client(), isEmail, String(readRecordId(record))))
      await session.warn(`${rule} uses ${title}, and does nothing without it`);
  } catch (error) {
    // A user who may delete messages may still lack permission to read rules.
    if (!(error instanceof ClientError) || error.kind !== 'refused') throw error;
    await session.warn(`cannot find the rules that use ${title}: ${error.message}`);
  }
}

/**
 * Returns the titles of the rules that depend on the message. Such a rule sends the message, or is triggered when a recipient opens the
 * message or clicks a link in the message.
 */
async function dependentRules(client: Client, isEmail: boolean, id: string): Promise<readonly string[]> {
  const links = new Set<string>();
  if (isEmail)
    for await (const link of client.list(emailMessageLink, { filters: { message_id: id } }))
      links.add(String(link['id']));
  const found: string[] = [];
  for (const resource of automations)
    for await (const record of client.list(resource, {}))
      if (uses(readRule(resource.variant as RuleKind, record), { isEmail, id, links }))
        found.push(titleOf(resource, record));
  return found;
}

function uses(
  rule: AutomationRule,
  {
    isEmail,
    id,
    links,
  }: { readonly isEmail: boolean; readonly id: string; readonly links: ReadonlySet<string> },
): boolean {
  // Rules of kind sms answer with an SMS. The other kinds wait for an e-mail message.
  if (rule.kind === 'sms') return !isEmail && rule.message === id;
  const sends = rule.actiontype === (isEmail ? 'email_autoresponder' : 'sms_autoresponder');
  if (sends && rule.actiontarget === id) return true;
  return isEmail && (rule.message === id || (rule.link !== null && links.has(rule.link)));
}
