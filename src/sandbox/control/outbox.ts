import type { JsonObject } from '../../protocol/json.ts';
import { createNotFoundError } from '../../protocol/service-errors.ts';
import { readRuleReference } from '../../resources/rule-kinds.ts';
import { loadOutboxMail } from '../engine/mail/mime.ts';
import { findOutboxEntry, listOutbox, type OutboxEntry, showDelivery } from '../engine/mail/outbox.ts';
import type { Db } from '../store/open.ts';
import { listOutboxSends, type OutboxSendSummary, positionOfOutboxSend } from '../store/outbox-sends.ts';
import type { ControlOperationsForNoun } from './operation.ts';

export const outboxControlOperations = {
  /**
   * Returns at most `limit` entries of the outbox. Two entry ids can restrict the result:
   * - Without `before` and `after`, returns the newest entries.
   * - With `before`, returns the newest of the entries that are older than the entry `before`.
   * - With `after`, returns the entries that follow the entry `after`. If `after` is an empty text, returns the oldest entries.
   */
  'outbox list': async ({ db, account }, { limit, after, before, snippets, ...wanted }) => {
    const { to, channel, task, rule, search } = wanted;
    const filter = {
      ...{ to, channel, search, taskId: task },
      rule: rule === undefined ? undefined : readRuleReference(rule),
    };
    const entries = await listOutbox(db, { accountId: account.id, limit, after, before, filter, snippets });
    return entries.map((entry) => ({ ...entry, cause: { ...entry.cause } }));
  },
  /** Returns the sends (tasks, rules and single messages), newest first, each with its newest message. */
  'outbox send list': async ({ db, account, now }, { channel, before, limit }) => {
    const place = /^([0-9.]+):([0-9]+)$/.exec(before ?? '');
    const { sends, total } = await listOutboxSends(db, {
      ...{ accountId: account.id, channel, limit, now },
      before: place === null ? undefined : { last: Number(place[1]), order: Number(place[2]) },
    });
    const rows: JsonObject[] = [];
    for (const send of sends) {
      const newest = await newestOf(db, account.id, send);
      const { last, order } = positionOfOutboxSend(send);
      if (newest)
        rows.push({
          ...{ ...newest, cause: { ...newest.cause } },
          ...{ last, messages: send.messageCount, place: `${last}:${order}` },
        });
    }
    return { total, sends: rows };
  },
  'outbox show': async ({ db, account, trackingBaseUrl, naming }, { id }) => {
    const shown = await showDelivery(db, account.id, id, { trackingBaseUrl, words: naming });
    if (!shown) throw createNotFoundError(`Delivery ${id}`);
    return { ...shown, cause: { ...shown.cause } };
  },
  /** Returns the octets of the e-mail as text. They are ASCII, so no octet is lost. */
  'outbox eml': async ({ db, account, trackingBaseUrl, naming }, { id }) => {
    const mail = await loadOutboxMail(db, account.id, id, { trackingBaseUrl, words: naming });
    if (!mail) throw createNotFoundError(`E-mail ${id}`);
    return { id, eml: mail.octets.toString('latin1') };
  },
} satisfies ControlOperationsForNoun<'outbox'>;

async function newestOf(
  db: Db,
  accountId: number,
  send: OutboxSendSummary,
): Promise<OutboxEntry | undefined> {
  const { id, rule_kind: kind } = send;
  if (send.kind === 'delivery') return findOutboxEntry(db, accountId, `d${id}`);
  const filter = kind === null ? { taskId: id } : { rule: { kind, id } };
  return (await listOutbox(db, { accountId, limit: 1, filter, snippets: true }))[0];
}
