/** Do Not Contact, and deletions. */

import { IDS, NOW } from '../../support/sandbox.ts';
import { at, idAt, NOTHING, type Outcome } from './outcome.ts';
import type { Real } from './real.ts';
import { block, dropList, isTargeted, type Model } from './state.ts';
import type { StepOf } from './steps.ts';

export async function changeBlocks(
  model: Model,
  real: Real,
  step: StepOf<'block'> | StepOf<'block with subscribers kept'> | StepOf<'unblock'>,
): Promise<Outcome> {
  const contact = step.kind === 'unblock' ? at([...model.blocked], step.entry) : step.contact;
  if (contact === undefined) return NOTHING;
  const exists = model.blocked.has(contact);
  switch (step.kind) {
    case 'block': {
      const { status: got } = await real.send('POST', '/v1/doNotContact', { contactdata: contact });
      if (exists) return { expected: 409, got };
      block(model, contact);
      return { expected: 202, got };
    }
    // No documented action leaves such subscribers, but a send must still check Do Not Contact.
    case 'block with subscribers kept':
      if (exists) return NOTHING;
      await real.put('do_not_contact', { account_id: IDS.company, contactdata: contact, cdate: NOW });
      model.blocked.add(contact);
      return { expected: 200, got: 200 };
    case 'unblock': {
      const { status: got } = await real.send('DELETE', `/v1/doNotContact?contactdata=${contact}`);
      model.blocked.delete(contact);
      return { expected: 200, got };
    }
  }
}

export async function remove(
  model: Model,
  real: Real,
  step: StepOf<'delete list'> | StepOf<'delete folder'> | StepOf<'delete message'>,
): Promise<Outcome> {
  switch (step.kind) {
    case 'delete list':
      return deleteList(model, real, idAt(model.made.list, step.list));
    case 'delete folder':
      return deleteFolder(model, real, idAt(model.made.folder, step.folder));
    case 'delete message': {
      const message = at(model.messages, step.message);
      if (!message) return NOTHING;
      const { status: got } = await real.send('DELETE', `/v1/${message.channel}Message/${message.id}`);
      if (message.deleted) return { expected: 404, got };
      message.deleted = true;
      return { expected: 200, got };
    }
  }
}

async function deleteList(model: Model, real: Real, id: number): Promise<Outcome> {
  const { status: got } = await real.control('list delete', { id });
  if (!model.lists.has(id)) return { expected: 404, got };
  if (isTargeted(model, id)) return { expected: 409, got };
  dropList(model, id);
  return { expected: 200, got };
}

/** Interface, folder DELETE: its lists are deleted as if each had been deleted; 423 subcode 4. */
async function deleteFolder(model: Model, real: Real, id: number): Promise<Outcome> {
  const { status: got } = await real.send('DELETE', `/v1/folder/${id}`);
  if (!model.folders.has(id)) return { expected: 404, got };
  const lists = [...model.lists].flatMap(([list, folder]) => (folder === id ? [list] : []));
  if (lists.some((list) => isTargeted(model, list))) return { expected: 423, got };
  for (const list of lists) dropList(model, list);
  model.folders.delete(id);
  return { expected: 200, got };
}
