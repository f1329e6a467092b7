import { notFound } from '../../protocol/faults.ts';
import { listOutbox, showDelivery } from '../engine/mail/outbox.ts';
import { type Arguments, number, optional, text } from './arguments.ts';
import { type Operations, ofCompany } from './operation.ts';

/** Entries of one answer. */
const MOST = 1000;

export const outboxOperations: Operations = {
  /** The newest `limit`, or those after an entry: `after` empty begins with the first. */
  'outbox list': ofCompany(async ({ db, account }, args) => {
    const limit =
      optional(args, 'limit', (given, name) => number(given, name, { least: 1, most: MOST })) ?? MOST;
    const after = afterIn(args);
    const entries = await listOutbox(db, {
      accountId: account.id,
      limit,
      ...(after === undefined ? {} : { after }),
    });
    return entries.map((entry) => ({ ...entry, cause: { ...entry.cause } }));
  }),
  'outbox show': ofCompany(async ({ db, account, trackingBase, naming }, args) => {
    const id = text(args, 'id');
    const shown = await showDelivery(db, account.id, id, { trackingBase, words: naming });
    if (!shown) throw notFound(`Delivery ${id}`);
    return { ...shown, cause: { ...shown.cause } };
  }),
};

const afterIn = (args: Arguments): string | undefined =>
  args['after'] === '' ? '' : optional(args, 'after', text);
