/** Delivered e-mails as messages that a mail program can read. */
import { notFound } from '../../protocol/faults.ts';
import { mailOf } from '../engine/mail/mime.ts';
import { text } from './arguments.ts';
import { type Operations, ofCompany } from './operation.ts';

export const mailOperations: Operations = {
  /** The octets as text: they are ASCII alone. */
  'outbox eml': ofCompany(async ({ db, account, trackingBase, naming }, args) => {
    const id = text(args, 'id');
    const mail = await mailOf(db, account.id, id, { trackingBase, words: naming });
    if (!mail) throw notFound(`E-mail ${id}`);
    return { id, eml: mail.octets.toString('latin1') };
  }),
};
