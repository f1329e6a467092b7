/** The behaviour of each resource. A resource with an empty behaviour uses only the generic operations. */
import {
  createConflictError,
  createFolderTargetedByTaskError,
  createForbiddenError,
  createMessageLockedError,
  createPermanentListInFolderError,
} from '../../protocol/service-errors.ts';
import { mapTimedRuleKinds } from '../../resources/rule-kinds.ts';
import { LIST_DELETION_BLOCK_SECONDS } from '../../resources/task-targets.ts';
import type { Scalar } from '../../schema/field.ts';
import type { Values } from '../../schema/resource.ts';
import { requireCallerUserId, requireFeature } from '../request/call.ts';
import { toSqlRow } from '../request/present.ts';
import { addDoNotContact, findDoNotContactId } from '../store/do-not-contact.ts';
import { deleteList, hasTaskForListSince, listsInFolder } from '../store/lists.ts';
import { hideMessage } from '../store/messages.ts';
import { createField, requireFreeFieldName } from '../store/profile-data.ts';
import { deleteRow, insertRow, listRowsOfAccount } from '../store/rows.ts';
import type { ResourceBehaviour, ResourceBehaviours } from './behaviour.ts';
import { emailMessage } from './email-message.ts';
import { emailOptIn } from './email-opt-in.ts';
import { list, updateListOrField } from './list.ts';
import { createRowRemover, insertRecord, updateRecord } from './records.ts';
import { smsAutomation } from './sms-automation.ts';
import { subscriber } from './subscriber.ts';
import { subscriberProfileData } from './subscriber-profile-data.ts';
import { subscription } from './subscription.ts';
import { task } from './task.ts';
import { timedAutomation } from './timed-automation.ts';
import { user } from './user.ts';

const sms: ResourceBehaviour = {
  create: async (call, values) => {
    requireFeature(call.caller.account, 'enablesms');
    // Interface, sms `senddate`: null or omitted means immediately; a past time is treated the same.
    const due = Math.max(call.now, Math.ceil(Number(values['senddate'] ?? call.now)));
    return insertRecord(call, 'sms', values, { user_id: requireCallerUserId(call), due });
  },
};

const smsDestination: ResourceBehaviour = {
  // Interface, smsDestination PUT: only the admin can set the keyword.
  permit: (call, method) => {
    if (method === 'PUT' && !call.caller.isAdmin)
      throw createForbiddenError('Only the admin can set the keyword');
  },
  update: (call, current, values) => updateRecord(call, 'sms_destination', current, values),
};

const smsMessage: ResourceBehaviour = {
  create: async (call, values) => {
    requireFeature(call.caller.account, 'enablesms');
    return insertRecord(call, 'sms_message', values, { user_id: requireCallerUserId(call) });
  },
  update: async (call, current, values) => {
    requireFeature(call.caller.account, 'enablesms');
    if (current['editable'] !== 1) throw createMessageLockedError(Number(current['id']));
    await updateRecord(call, 'sms_message', current, values);
  },
  // Interface, "States": GET hides a deleted message. Tasks that use it are not cancelled and can still read it.
  remove: async (call, current) => hideMessage(call.db, 'sms', Number(current['id']), call.now),
};

/**
 * Serves profile fields under /v1. Only a sandbox started with `--companions` (an option that adds resources to those of the interface) has
 * this resource.
 */
const subscriberProfileField: ResourceBehaviour = {
  create: (call, values) =>
    createField(call.db, call.caller.account, {
      ...toSqlRow(values),
      name: String(values['name']),
      cdate: call.now,
    }),
  update: async (call, current, values) => {
    const id = Number(current['id']);
    const { name, columnheader } = { ...current, ...toSqlRow(values) };
    await requireFreeFieldName(
      call.db,
      call.caller.accountId,
      { name: String(name), columnheader: columnheader ?? null },
      id,
    );
    await updateListOrField(call, 'profile_field', id, values);
  },
  remove: async (call, current) => {
    const id = Number(current['id']);
    const search = (await listRowsOfAccount(call.db, 'search', call.caller.accountId)).find(
      ({ field_id }) => field_id === id,
    );
    if (search) throw createConflictError(`Saved search ${search.id} uses this profile field`);
    await deleteRow(call.db, 'profile_field', id);
  },
};

/**
 * For each feature, the attributes that depend on it, with their values when the feature is switched on. While the feature is off, these
 * attributes are null.
 */
const DEPENDENT: Readonly<Record<string, Values>> = {
  enablecustommaildomain: { custommaildomaintype: 'fixed_email', maildomainprimary: null },
  enablesendbulkemail: { enablesplittest: false },
  enablesubscriberprofilefields: { subscriberprofilefield_limit: null },
  enablesms: { enablesubscriptionmo: true },
};

const accountFeatures: ResourceBehaviour = {
  // Interface, accountFeatures: attributes of a feature are null while it is off, and get their defaults when it is switched on again.
  adjust: (current, sent) => {
    const moved: Record<string, Scalar> = {};
    for (const [feature, dependents] of Object.entries(DEPENDENT)) {
      const isOn = sent[feature] ?? current[feature];
      if (sent[feature] === undefined || isOn === current[feature]) continue;
      for (const [attribute, initial] of Object.entries(dependents)) moved[attribute] = isOn ? initial : null;
    }
    return { ...moved, ...sent };
  },
  update: (call, current, values) => updateRecord(call, 'account', current, values),
};

const folder: ResourceBehaviour = {
  create: async (call, values) => {
    const id = await insertRecord(call, 'folder', values);
    // A user who sees only some folders must see a new folder of their own.
    if (call.caller.restricted && call.caller.userId !== null)
      await insertRow(call.db, 'folder_access', { user_id: call.caller.userId, folder_id: id });
    return id;
  },
  update: (call, current, values) => updateRecord(call, 'folder', current, values),
  // Interface, folder DELETE: its lists are deleted as if one by one; a permanent or targeted list prevents it.
  remove: async (call, current) => {
    const id = Number(current['id']);
    const lists = await listsInFolder(call.db, id);
    const permanent = lists.find((list) => list.permanent === 1);
    if (permanent) throw createPermanentListInFolderError(permanent.id);
    const since = call.now - LIST_DELETION_BLOCK_SECONDS;
    for (const list of lists)
      if (await hasTaskForListSince(call.db, list, since)) throw createFolderTargetedByTaskError(id);
    for (const list of lists) await deleteList(call.db, list, call.now);
    await deleteRow(call.db, 'folder', id);
  },
};

const doNotContact: ResourceBehaviour = {
  create: async (call, values) => {
    const contactdata = String(values['contactdata']);
    const existing = await findDoNotContactId(call.db, call.caller.accountId, contactdata);
    if (existing !== undefined)
      throw createConflictError(`${contactdata} is on the Do Not Contact list`, existing);
    return addDoNotContact(call.db, call.caller.accountId, contactdata, call.now);
  },
  remove: createRowRemover('do_not_contact'),
};

const form: ResourceBehaviour = {
  // Interface, form DELETE: a non-admin user can delete only forms they created.
  remove: async (call, current) => {
    if (!call.caller.isAdmin && current['user_id'] !== call.caller.userId)
      throw createForbiddenError(`Form ${current['id']} was made by another user`);
    await deleteRow(call.db, 'form', Number(current['id']));
  },
};

export const behaviours = {
  ...mapTimedRuleKinds(timedAutomation),
  smsAutomation,
  account: {},
  accountFeatures,
  doNotContact,
  emailMessage,
  emailMessageLink: {},
  form,
  sms,
  smsDestination,
  smsMessage,
  subscriberProfileData,
  task,
  user,
  folder,
  list,
  subscriber,
  subscription,
  subscriberProfileField,
  // `request/log-in.ts` handles POST of this resource, because the request is not signed.
  token: {},
  emailOptIn,
} satisfies ResourceBehaviours;
