import { setImmediate as letOthersRun } from 'node:timers/promises';
import { sayFinding } from '../../kit/schema/reason.ts';
import type { Finding } from '../../kit/schema/resource.ts';
import { parseContent } from '../../kit/text/dynamic-content.ts';
import {
  createInvalidDynamicContentError,
  createInvalidRequestError,
  createMessageLockedError,
} from '../../service/protocol/service-errors.ts';
import { EMAIL_EDITOR_NUMBERS, missingOptInLink } from '../../service/resources/email-message.ts';
import { findTrackedLinks, insertTrackingBaseUrl, restoreTargets, trackLinks } from '../engine/mail/links.ts';
import { findOptIn } from '../engine/mail/opt-in-links.ts';
import { type Call, requireCallerUserId, requireFeature } from '../request/call.ts';
import { hasSenderAddress } from '../store/accounts.ts';
import { hideMessage } from '../store/messages.ts';
import type { Row } from '../store/schema/tables.ts';
import { type BehaviourOf, insertRecord, type SentValues, updateRecord } from './behaviour.ts';

type Sent = SentValues<'emailMessage'>;
type Stored = Row<'email_message'>;

export const emailMessage: BehaviourOf<'emailMessage', 'email_message'> = {
  prepare: async ({ html }, naming) =>
    typeof html === 'string'
      ? {
          links: await findTrackedLinks(html, letOthersRun),
          optIn: await findOptIn(html, naming, letOthersRun),
        }
      : {},
  // Wire, "text lines": the limit of a line counts the addresses, not the tracking URIs.
  restore: async (call, body) => {
    const { text } = body;
    if (typeof text !== 'string') return body;
    const { accountId } = call.caller;
    return { ...body, text: await restoreTargets(call.db, { ...call, accountId }, text) };
  },
  create: async (call, values) => {
    requireFeature(call.caller.account, 'enableemail');
    await checkContent(call, values, values);
    const editor = values.editor ?? EMAIL_EDITOR_NUMBERS.html;
    const id = await insertRecord(call, 'email_message', values, {
      user_id: requireCallerUserId(call),
      editor,
      editable: isEditableWith(editor),
      tracktextlinks: Number(values.tracktextlinks ?? false),
    });
    await writeLinks(call, id, {}, values);
    return id;
  },
  update: async (call, current, values) => {
    requireFeature(call.caller.account, 'enableemail');
    const { id } = current;
    if (current.editable !== 1) throw createMessageLockedError(id);
    const { html, customoptin } = current;
    await checkContent(call, values, { html, customoptin: customoptin === 1, ...values });
    const { tracktextlinks, ...rest } = values;
    await updateRecord(call, 'email_message', current, {
      ...rest,
      ...(tracktextlinks === undefined ? {} : { tracktextlinks: tracktextlinks ?? false }),
      ...(values.editor === undefined ? {} : { editable: isEditableWith(values.editor) === 1 }),
    });
    await writeLinks(call, id, current, values);
  },
  // Interface, "States": GET hides a deleted message. Tasks that use it are not cancelled and can still read it.
  remove: async (call, current) => hideMessage(call.db, 'email', current.id, call.now),
  // Interface, emailMessage `html`: GET returns the rewritten version.
  present: (call, values) => ({
    ...values,
    html: insertTrackingBaseUrl(values.html, call.trackingBaseUrl),
    text: insertTrackingBaseUrl(values.text, call.trackingBaseUrl),
  }),
};

/** Returns 0 for messages of the Classic Editor and Campaign Designer, which the API can't change (Interface, "States"). */
const isEditableWith = (editor: number): 0 | 1 =>
  editor === EMAIL_EDITOR_NUMBERS.classic || editor === EMAIL_EDITOR_NUMBERS.designer ? 0 : 1;

/** Checks the sent parts (`values`), and the opt-in link of the resulting message. */
async function checkContent(call: Call, values: Sent, message: Sent): Promise<void> {
  const { fromemail } = values;
  if (typeof fromemail === 'string' && !(await hasSenderAddress(call.db, call.caller.accountId, fromemail)))
    throw createInvalidRequestError([
      {
        attribute: 'fromemail',
        value: fromemail,
        reason: `is not a sender address of the account: ${fromemail}`,
      },
    ]);
  const findings = (['html', 'text', 'subject'] as const).flatMap((part) => syntaxErrors(part, values[part]));
  const [first] = findings;
  if (first) throw createInvalidDynamicContentError(sayFinding(first), findings);
  if (message.customoptin === true && !(await hasOptIn(call, String(message.html))))
    throw createInvalidRequestError([missingOptInLink(call.naming)]);
}

async function hasOptIn({ prepared: { optIn }, naming }: Call, html: string): Promise<boolean> {
  const found = optIn?.html === html ? optIn : await findOptIn(html, naming, async () => undefined);
  return found.hasOptIn;
}

function syntaxErrors(attribute: string, content: string | undefined): readonly Finding[] {
  if (content === undefined) return [];
  const parsed = parseContent(content);
  if (parsed.ok) return [];
  return [{ attribute, reason: `at line ${parsed.line}, column ${parsed.column}: ${parsed.problem}` }];
}

/** Rewrites the links of a message as tracking URIs if its HTML, its text or `tracktextlinks` was sent. */
async function writeLinks(call: Call, id: number, current: Partial<Stored>, sent: Sent): Promise<void> {
  const touches = sent.html !== undefined || sent.text !== undefined;
  if (!touches && sent.tracktextlinks === undefined) return;
  const message = {
    accountId: call.caller.accountId,
    messageId: id,
    now: call.now,
    trackingBaseUrl: call.trackingBaseUrl,
  };
  const parts = { html: String(sent.html ?? current.html), text: String(sent.text ?? current.text) };
  const trackText =
    sent.tracktextlinks === undefined ? current.tracktextlinks === 1 : sent.tracktextlinks === true;
  const tracked = await trackLinks(call.db, message, parts, { trackText, found: call.prepared.links });
  await updateRecord(call, 'email_message', { id }, { ...tracked });
}
