import { notFound } from '../../protocol/service-errors.ts';
import { readRuleName } from '../../resources/rule-kinds.ts';
import { mailOf } from '../engine/mail/mime.ts';
import { listOutbox, showDelivery } from '../engine/mail/outbox.ts';
import type { OperationsOf } from './operation.ts';

export const outboxOperations = {
  /** Returns the newest `limit` entries, or those after an entry. An empty `after` begins with the first. */
  'outbox list': async ({ db, account }, { limit, after, before, ...wanted }) => {
    const { to, channel, task, rule, search } = wanted;
    const filter = {
      ...{ to, channel, search, taskId: task },
      rule: rule === undefined ? undefined : readRuleName(rule),
    };
    const entries = await listOutbox(db, { accountId: account.id, limit, after, before, filter });
    return entries.map((entry) => ({ ...entry, cause: { ...entry.cause } }));
  },
  'outbox show': async ({ db, account, trackingBase, naming }, { id }) => {
    const shown = await showDelivery(db, account.id, id, { trackingBase, words: naming });
    if (!shown) throw notFound(`Delivery ${id}`);
    return { ...shown, cause: { ...shown.cause } };
  },
  /** Returns the octets as text, which is safe because they are ASCII. */
  'outbox eml': async ({ db, account, trackingBase, naming }, { id }) => {
    const mail = await mailOf(db, account.id, id, { trackingBase, words: naming });
    if (!mail) throw notFound(`E-mail ${id}`);
    return { id, eml: mail.octets.toString('latin1') };
  },
} satisfies OperationsOf<'outbox'>;
