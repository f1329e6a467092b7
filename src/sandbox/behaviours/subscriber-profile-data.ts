import { createConflictError, createInvalidRequestError } from '../../protocol/service-errors.ts';
import type { Finding, Values } from '../../schema/resource.ts';
import type { Call } from '../request/call.ts';
import {
  addProfileData,
  changeProfileData,
  hasProfileData,
  type ProfileDataKey,
  removeProfileData,
} from '../store/profile-data.ts';
import { findRowOfAccount, type SqlRow } from '../store/rows.ts';
import type { ResourceBehaviour } from './behaviour.ts';

export const subscriberProfileData: ResourceBehaviour = {
  // Wire, "PUT of subscriberProfileData by its pair": it stores the value if none is stored yet.
  upserts: true,
  create: async (call, values) => {
    const key = keyOf(values);
    await requireBoth(call, key, values);
    const id = `${key.fieldId}_${key.subscriberId}`;
    if (await hasProfileData(call.db, key))
      throw createConflictError(`Subscriber profile data ${id} already exists`, id);
    await addProfileData(call.db, call.caller.accountId, key, String(values['value']));
    return id;
  },
  update: async (call, current, values) => {
    const key = keyOf(current);
    refuseOtherKeys(key, values);
    await changeProfileData(call.db, key, String(values['value']));
  },
  remove: (call, current) => removeProfileData(call.db, keyOf(current)),
};

const keyOf = (values: SqlRow | Readonly<Record<string, unknown>>): ProfileDataKey => ({
  fieldId: Number(values['subscriberprofilefield_id']),
  subscriberId: Number(values['subscriber_id']),
});

async function requireBoth(call: Call, key: ProfileDataKey, values: Values): Promise<void> {
  const findings: Finding[] = [];
  if (!(await findRowOfAccount(call.db, 'subscriber', call.caller.accountId, key.subscriberId)))
    findings.push({ attribute: 'subscriber_id', reason: `is not a subscriber: ${values['subscriber_id']}` });
  if (!(await findRowOfAccount(call.db, 'profile_field', call.caller.accountId, key.fieldId)))
    findings.push({
      attribute: 'subscriberprofilefield_id',
      reason: `is not a profile field: ${values['subscriberprofilefield_id']}`,
    });
  if (findings.length > 0) throw createInvalidRequestError(findings);
}

/**
 * Refuses a subscriber_id or subscriberprofilefield_id that differs from the one in `id`. These two ids identify the record, so a request
 * may repeat the ids but can't change them.
 */
function refuseOtherKeys(key: ProfileDataKey, values: Readonly<Record<string, unknown>>): void {
  const findings = [
    { attribute: 'subscriber_id', own: key.subscriberId },
    { attribute: 'subscriberprofilefield_id', own: key.fieldId },
  ].filter(({ attribute, own }) => values[attribute] !== undefined && values[attribute] !== own);
  if (findings.length > 0)
    throw createInvalidRequestError(
      findings.map(({ attribute }) => ({ attribute, reason: 'differs from the one in id' })),
    );
}
