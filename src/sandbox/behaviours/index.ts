/** The behaviour of each resource. A resource with an empty behaviour uses only the generic operations. */

import type { Scalar } from '../../kit/schema/field.ts';
import type { Values } from '../../kit/schema/resource.ts';
import {
  createConflictError,
  createFolderTargetedByTaskError,
  createForbiddenError,
  createMessageLockedError,
  createPermanentListInFolderError,
  refuseFindings,
} from '../../service/protocol/service-errors.ts';
import { mapTimedRuleKinds } from '../../service/resources/rule-kinds.ts';
import { LIST_DELETION_BLOCK_SECONDS } from '../../service/resources/task.ts';
import { type Call, requireCallerUserId, requireFeature } from '../request/call.ts';
import type { RecordNamed } from '../request/present.ts';
import { addDoNotContact, findDoNotContactId } from '../store/do-not-contact.ts';
import { deleteList, hasTaskForListSince, listsInFolder } from '../store/lists.ts';
import { hideMessage } from '../store/messages.ts';
import {
  addProfileData,
  changeProfileData,
  hasProfileData,
  type ProfileDataKey,
  removeProfileData,
} from '../store/profile-data.ts';
import { deleteRow, findRowOfAccount, insertRow } from '../store/rows.ts';
import { smsAutomation, timedAutomation } from './automations.ts';
import {
  type BehaviourOf,
  insertRecord,
  type ResourceBehaviour,
  type ResourceBehaviours,
  type SentValues,
  updateRecord,
} from './behaviour.ts';
import { emailOptIn, list, subscriber, subscriberProfileField, subscription } from './companions.ts';
import { emailMessage } from './email-message.ts';
import { checkSubscriberReference } from './references.ts';
import { task } from './task.ts';
import { user } from './user.ts';

const sms: BehaviourOf<'sms', 'sms'> = {
  create: async (call, values) => {
    requireFeature(call.caller.account, 'enablesms');
    // Interface, sms `senddate`: null or omitted means immediately; a past time is treated the same.
    const due = Math.max(call.now, Math.ceil(values.senddate ?? call.now));
    return insertRecord(call, 'sms', values, { user_id: requireCallerUserId(call), due });
  },
};

const smsDestination: BehaviourOf<'smsDestination', 'sms_destination'> = {
  // Interface, smsDestination PUT: only the admin can set the keyword.
  permit: (call, method) => {
    if (method === 'PUT' && !call.caller.isAdmin)
      throw createForbiddenError('Only the admin can set the keyword');
  },
  update: (call, current, values) => updateRecord(call, 'sms_destination', current, values),
};

const smsMessage: BehaviourOf<'smsMessage', 'sms_message'> = {
  create: async (call, values) => {
    requireFeature(call.caller.account, 'enablesms');
    return insertRecord(call, 'sms_message', values, { user_id: requireCallerUserId(call) });
  },
  update: async (call, current, values) => {
    requireFeature(call.caller.account, 'enablesms');
    if (current.editable !== 1) throw createMessageLockedError(current.id);
    await updateRecord(call, 'sms_message', current, values);
  },
  // Interface, "States": GET hides a deleted message. Tasks that use it are not cancelled and can still read it.
  remove: async (call, current) => hideMessage(call.db, 'sms', current.id, call.now),
};

/** For each feature, the attributes that are null while it is off, with their values when it is switched on. */
const DEPENDENT = [
  ['enablecustommaildomain', { custommaildomaintype: 'fixed_email', maildomainprimary: null }],
  ['enablesendbulkemail', { enablesplittest: false }],
  ['enablesubscriberprofilefields', { subscriberprofilefield_limit: null }],
  ['enablesms', { enablesubscriptionmo: true }],
] as const;

const accountFeatures: BehaviourOf<'accountFeatures', 'account'> = {
  // Interface, accountFeatures: attributes of a feature are null while it is off, and get their defaults when it is switched on again.
  adjust: (current, sent) => {
    const moved: Record<string, Scalar> = {};
    for (const [feature, dependents] of DEPENDENT) {
      const isOn = sent[feature] ?? current[feature];
      if (sent[feature] === undefined || isOn === current[feature]) continue;
      for (const [attribute, initial] of Object.entries(dependents)) moved[attribute] = isOn ? initial : null;
    }
    const changed = { ...moved, ...sent };
    const after = { ...current, ...changed };
    // Interface: `custommaildomaintype` is "null when enablecustommaildomain is false, otherwise default fixed_email".
    return after.enablecustommaildomain && after.custommaildomaintype === null
      ? { ...changed, custommaildomaintype: 'fixed_email' }
      : changed;
  },
  update: (call, current, values) => updateRecord(call, 'account', current, values),
};

const folder: BehaviourOf<'folder', 'folder'> = {
  create: async (call, values) => {
    const id = await insertRecord(call, 'folder', values);
    // A user who sees only some folders must see a new folder of their own.
    if (call.caller.restricted && call.caller.userId !== null)
      await insertRow(call.db, 'folder_access', { user_id: call.caller.userId, folder_id: id });
    return id;
  },
  update: (call, current, values) => updateRecord(call, 'folder', current, values),
  // Interface, folder DELETE: its lists are deleted as if one by one; a permanent or targeted list prevents it.
  remove: async (call, { id }) => {
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

const doNotContact: BehaviourOf<'doNotContact', 'do_not_contact'> = {
  create: async (call, values) => {
    const contactdata = String(values.contactdata);
    const existing = await findDoNotContactId(call.db, call.caller.accountId, contactdata);
    if (existing !== undefined)
      throw createConflictError(`${contactdata} is on the Do Not Contact list`, existing);
    return addDoNotContact(call.db, call.caller.accountId, contactdata, call.now);
  },
  remove: (call, { id }) => deleteRow(call.db, 'do_not_contact', id),
};

const form: BehaviourOf<'form', 'form'> = {
  // Interface, form DELETE: a non-admin user can delete only forms they created.
  remove: async (call, { id, user_id }) => {
    if (!call.caller.isAdmin && user_id !== call.caller.userId)
      throw createForbiddenError(`Form ${id} was made by another user`);
    await deleteRow(call.db, 'form', id);
  },
};

type ProfileData = SentValues<'subscriberProfileData'>;
type StoredData = RecordNamed<'subscriberProfileData'>;

export const subscriberProfileData: ResourceBehaviour<ProfileData, Values, StoredData> = {
  // Wire, "PUT of subscriberProfileData by its pair": it stores the value if none is stored yet.
  upserts: true,
  create: async (call, values) => {
    const key = keyOf(values);
    await requireBoth(call, key, values);
    const id = `${key.fieldId}_${key.subscriberId}`;
    if (await hasProfileData(call.db, key))
      throw createConflictError(`Subscriber profile data ${id} already exists`, id);
    await addProfileData(call.db, call.caller.accountId, key, String(values.value));
    return id;
  },
  update: async (call, current, values) => {
    refuseOtherKeys(current, values);
    await changeProfileData(call.db, keyOf(current), String(values.value));
  },
  remove: (call, current) => removeProfileData(call.db, keyOf(current)),
};

const keyOf = (values: ProfileData): ProfileDataKey => ({
  fieldId: Number(values.subscriberprofilefield_id),
  subscriberId: Number(values.subscriber_id),
});

async function requireBoth(call: Call, key: ProfileDataKey, values: ProfileData): Promise<void> {
  const attribute = 'subscriberprofilefield_id';
  refuseFindings([
    await checkSubscriberReference(call, 'subscriber_id', values.subscriber_id),
    (await findRowOfAccount(call.db, 'profile_field', call.caller.accountId, key.fieldId))
      ? undefined
      : { attribute, reason: `is not a profile field: ${values[attribute]}` },
  ]);
}

/** Refuses a key that differs from the one in `id`. A request may repeat the two keys of the record, but not change them. */
function refuseOtherKeys(current: StoredData, values: ProfileData): void {
  refuseFindings(
    (['subscriber_id', 'subscriberprofilefield_id'] as const)
      .filter((name) => values[name] !== undefined && values[name] !== current[name])
      .map((attribute) => ({ attribute, reason: 'differs from the one in id' })),
  );
}

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
