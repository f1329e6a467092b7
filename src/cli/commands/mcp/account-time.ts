/** The present time of the service and the company's time zone, which results of tools have: an assistant has no clock of its own. */

import { createServiceClock } from '../../../client/requests/service-clock.ts';
import { readTimezone } from '../../../kit/text/timezone.ts';
import type { WireResponse } from '../../../service/protocol/wire.ts';
import type { Invocation, Profiles, ServiceAccess } from '../../session/ports.ts';

export interface AccountTime {
  readonly observe: (response: WireResponse) => void;
  /** Forgets the service's time, because a command of the sandbox may have moved its clock. */
  readonly forget: () => void;
  /** Returns undefined before the first response, and if svc cannot read the account's zone now. */
  readonly read: () => Promise<PresentTime | undefined>;
}

interface PresentTime {
  /** Unix seconds by the service's clock. */
  readonly now: number;
  readonly zone: string;
}

export async function createAccountTime(
  session: Invocation & ServiceAccess & Profiles,
): Promise<AccountTime> {
  const { context, globals } = session;
  const { naming, profile } = await session.resolved();
  let clock = createServiceClock(naming);
  let zone: string | undefined;
  const readZone = async (): Promise<string | undefined> => {
    zone ??= readTimezone((await session.account()).timezone) ?? globals.tz ?? profile?.tz ?? 'UTC';
    return zone;
  };
  return {
    observe: (response) => {
      const now = context.clock.now();
      clock.observe(response, now, now);
    },
    forget: () => {
      clock = createServiceClock(naming);
    },
    read: async () => {
      const now = clock.stoppedAt() ?? clock.now(context.clock.now());
      const known = now === undefined ? undefined : await readZone().catch(() => undefined);
      return now === undefined || known === undefined ? undefined : { now, zone: known };
    },
  };
}
