/**
 * Contract, "Campaigns as files", 4: where a profile demands approvals, no task is scheduled but by `svc apply`, whatever the
 * flags. What is judged is the request, so no verb can forget it.
 */
import type { Approvals } from '../../campaign/approval/approvals.ts';
import type { RawRequest } from '../../client/raw-request.ts';
import { bodyOf } from '../../journal/raw-request.ts';
import type { Profile } from '../../profiles/profile.ts';
import { fromWireName, type Naming } from '../../protocol/naming.ts';
import { API_PREFIX, type Transport } from '../../protocol/wire.ts';
import { task } from '../../resources/task.ts';
import type { Resource, Values } from '../../schema/resource.ts';
import { UsageError } from '../errors/errors.ts';

/** Whether this write of a client makes a task go out that would not have, or at another time, or to others. */
export const schedules = (resource: Resource, method: 'POST' | 'PUT', body: Values): boolean =>
  resource.name === task.name && !(method === 'PUT' && isCancellation(body));

/** The same of a request, in the words of the deployment. @param path from `/v1` on */
export function requestSchedules(request: RawRequest, naming: Naming): boolean {
  const { method, path, query = '' } = request;
  if ((method !== 'POST' && method !== 'PUT') || !isOfTasks(path)) return false;
  const body = bodyOf(request);
  if (method !== 'PUT' || body === null || query !== '') return true;
  return !isCancellation(
    Object.fromEntries(Object.entries(body).map(([name, value]) => [fromWireName(naming, name), value])),
  );
}

/** However it is written: nothing is gained by what one service reads and another doesn't. */
function isOfTasks(path: string): boolean {
  const [name = ''] = path.slice(API_PREFIX.length).split('/');
  try {
    return decodeURIComponent(name).toLowerCase() === task.name.toLowerCase();
  } catch {
    return true;
  }
}

/** A task that is cancelled goes out to nobody; its new name with it is how apply sets one aside. */
const isCancellation = (body: { readonly [name: string]: unknown }): boolean =>
  body['cancelled'] === true &&
  Object.keys(body).every((name) => name === 'cancelled' || name === 'name' || name === 'id');

/**
 * @param approvals of the client that would send it; none but those of `checkApprovals` count
 * @throws UsageError where the profile demands approvals that aren't there
 */
export async function refuseUnapproved(
  profile: Profile | undefined,
  approvals: Approvals | undefined,
): Promise<void> {
  if (profile?.requireApprovals === undefined) return;
  const { name, requireApprovals: count } = profile;
  if (approvals !== undefined) {
    const { fulfils } = await import('../../campaign/approval/approvals.ts');
    if (fulfils(approvals, profile)) return;
  }
  const people = count === 1 ? 'a person' : `${count} people`;
  throw new UsageError(
    `profile ${name} schedules only what ${people} approved, in a plan; nothing was sent`,
    {
      hints: [
        'svc plan FILE --out PLAN makes the plan of a campaign file, svc approve PLAN --identity KEYFILE approves it, and svc apply PLAN does it.',
      ],
    },
  );
}

/** Behind every client of such a profile: what none of them stopped is not sent either. @param basePath before `/v1` */
export function approvedTransport(
  transport: Transport,
  profile: Profile,
  {
    approvals,
    naming,
    basePath,
  }: {
    readonly approvals: Approvals | undefined;
    readonly naming: Naming;
    readonly basePath: string;
  },
): Transport {
  return async (request, signal) => {
    const path = request.path.slice(basePath.length);
    if (requestSchedules({ ...request, path }, naming)) await refuseUnapproved(profile, approvals);
    return transport(request, signal);
  };
}
