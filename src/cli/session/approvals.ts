/**
 * Refuses writes that may send messages to people, if the profile requires approvals (contract, "Sends and campaigns, once more"). Such a
 * write needs the approvals of a plan, and only `svc apply` has them.
 */

import { bodyOf } from '../../client/journal/raw-request.ts';
import type { ProfileInUse } from '../../client/profiles/profile.ts';
import type { RawRequest } from '../../client/requests/connection.ts';
import type { Write } from '../../client/requests/write.ts';
import type { Approvals } from '../../features/campaign/approval/approvals.ts';
import { fromWireName, type Naming } from '../../service/protocol/naming.ts';
import { API_PREFIX } from '../../service/protocol/wire.ts';
import { automations } from '../../service/resources/rule-kinds.ts';
import { sms } from '../../service/resources/sms.ts';
import { task } from '../../service/resources/task.ts';
import { UsageError } from '../errors/errors.ts';

export const PERMISSION_TO_SEND_PROOF_MESSAGE = 'proof';

export type SendPermission = Approvals | typeof PERMISSION_TO_SEND_PROOF_MESSAGE;

/** Ways in which a write may send messages to people: by a task, by a single SMS, or by a rule. */
export type SendKind = 'tasks' | 'sms' | 'rules';

const SENDING: ReadonlyMap<string, SendKind> = new Map<string, SendKind>([
  [task.name.toLowerCase(), 'tasks'],
  [sms.name.toLowerCase(), 'sms'],
  ...automations.map(({ name }) => [name.toLowerCase(), 'rules'] as const),
]);

/** Returns undefined if it sends none. */
export function findSendKind(write: Write, naming: Naming): SendKind | undefined {
  if (write.request !== undefined) return findSendKindOfRawRequest(write.request, naming);
  const { method, resource, body } = write;
  if (method === 'DELETE') return undefined;
  const sending = SENDING.get(resource.name.toLowerCase());
  return method === 'PUT' && onlyStopsSending(sending, body) ? undefined : sending;
}

/** The path begins with `/v1`, and the body uses the names of `naming`. */
export function findSendKindOfRawRequest(request: RawRequest, naming: Naming): SendKind | undefined {
  const { method, path, query = '' } = request;
  if (method !== 'POST' && method !== 'PUT') return undefined;
  const sending = sendKindAt(path);
  const body = bodyOf(request);
  if (sending === undefined || method !== 'PUT' || body === null || query !== '') return sending;
  const neutral = Object.entries(body).map(([name, value]) => [fromWireName(naming, name), value]);
  return onlyStopsSending(sending, Object.fromEntries(neutral)) ? undefined : sending;
}

/**
 * Ignores the case and the percent-encoding of its name, because a service may ignore both. Returns `tasks` if the path cannot be decoded.
 */
function sendKindAt(path: string): SendKind | undefined {
  const [name = ''] = path.slice(API_PREFIX.length).split('/');
  try {
    return SENDING.get(decodeURIComponent(name).toLowerCase());
  } catch {
    return 'tasks';
  }
}

/** Allows a write that also renames the record, as `svc apply` does. */
function onlyStopsSending(
  sending: SendKind | undefined,
  body: { readonly [name: string]: unknown },
): boolean {
  const stop = sending === 'tasks' ? 'cancelled' : sending === 'rules' ? 'paused' : undefined;
  if (stop === undefined || body[stop] !== true) return false;
  return Object.keys(body).every((name) => name === stop || name === 'name' || name === 'id');
}

/**
 * @param approvals the approvals of the plan, which must come from `checkApprovals`, or the permission to send a proof
 * @throws UsageError if approvals are missing
 */
export async function refuseUnapprovedWrite(
  profile: ProfileInUse | undefined,
  sending: SendKind | undefined,
  approvals: SendPermission | undefined,
): Promise<void> {
  if (approvals === PERMISSION_TO_SEND_PROOF_MESSAGE && sending === 'tasks') return;
  if (profile?.requireApprovals === undefined || sending === undefined) return;
  if (profile.approvalsFor === 'tasks' && sending !== 'tasks') return;
  const { name, requireApprovals: count } = profile;
  if (approvals !== undefined && approvals !== PERMISSION_TO_SEND_PROOF_MESSAGE) {
    const { areApprovalsSufficient } = await import('../../features/campaign/approval/approvals.ts');
    if (areApprovalsSufficient(approvals, profile)) return;
  }
  const people = count === 1 ? 'a person' : `${count} people`;
  throw new UsageError(
    `profile ${name} cannot ${ACTIONS[sending]} without a plan that ${people} approved; nothing was sent`,
    { hints: [sending === 'sms' ? 'to send SMS without a plan, ask the owner of the profile' : PLAN_HINT] },
  );
}

const ACTIONS: Readonly<Record<SendKind, string>> = {
  tasks: 'schedule tasks',
  sms: 'send SMS',
  rules: 'create, change or resume rules',
};

const PLAN_HINT = 'run svc plan FILE --out PLAN, then svc approve PLAN, then svc apply PLAN.';
