/** Determines the current time by the service's clock and by this machine's clock, and the time zones for input and output. */

import type { ResolvedCredentials } from '../../client/profiles/credentials.ts';
import type { Client } from '../../client/requests/client.ts';
import type { Clock } from '../../client/requests/ports.ts';
import { formatDuration } from '../../kit/text/duration.ts';
import { readTimezone } from '../../kit/text/timezone.ts';
import { isLoopback } from '../../service/protocol/wire.ts';
import { type AccountRecord, account } from '../../service/resources/account.ts';
import { UsageError } from '../errors/errors.ts';
import { once } from './once.ts';
import type { Clocks, UnknownZone } from './ports.ts';

/** Difference in seconds between the service's clock and this machine's clock, above which svc prints a warning. */
const MAX_CLOCK_DIFFERENCE = 5 * 60;

export function createClocks(parts: {
  readonly clock: Pick<Clock, 'now'>;
  readonly tz: string | undefined;
  readonly client: () => Promise<Client>;
  readonly resolved: () => Promise<ResolvedCredentials>;
  readonly ownAccount: () => Promise<AccountRecord>;
  readonly knownAccount: () => AccountRecord | undefined;
  readonly warn: (line: string) => Promise<void>;
}): Clocks {
  const { clock, tz, client, resolved, ownAccount, knownAccount, warn } = parts;
  const clientWithTime = async (): Promise<Client> => {
    const asking = await client();
    if (asking.serviceTime() === undefined) await asking.exists(account, {});
    return asking;
  };
  const hasServiceClockAlone = async (): Promise<boolean> =>
    isLoopback(new URL((await resolved()).origin).hostname);
  const warnIfClocksDiffer = once(async () => {
    const apart = ((await client()).serviceTime() ?? 0) - Math.floor(clock.now() / 1000);
    if (Math.abs(apart) <= MAX_CLOCK_DIFFERENCE) return;
    const way = apart < 0 ? 'behind' : 'ahead of';
    await warn(
      `the service's clock is ${formatDuration(Math.abs(apart))} ${way} this machine's clock; svc rejects a time that is in the past on either clock`,
    );
  });
  const companyZone = once(async () => {
    const { credentials } = await resolved();
    if (credentials.companyId === undefined) return 'UTC';
    return readTimezone((await ownAccount()).timezone);
  });
  const profileZone = async (): Promise<string | undefined> => (await resolved()).profile?.tz;
  const zoneOrOther = async (): Promise<string | undefined> =>
    (await companyZone()) ?? tz ?? (await profileZone());
  const displayZone = async (): Promise<string> => (await zoneOrOther()) ?? 'UTC';
  const unknownZone = async (): Promise<UnknownZone> => {
    const { profile } = await resolved();
    const setting = profile && `svc profile set ${profile.name} tz Europe/London`;
    const { timezone } = await ownAccount();
    return {
      reason:
        typeof timezone === 'string' && timezone !== ''
          ? `svc does not know the company's time zone ${timezone.slice(0, 64)}`
          : "svc does not know the company's time zone, because the account has no valid one",
      remedy: `add --tz Europe/London${setting === undefined ? '' : `, or run ${setting}`}`,
      setting,
    };
  };
  return {
    serviceNow: async () => (await clientWithTime()).serviceTime() ?? clock.now() / 1000,
    stoppedAt: async () => (await clientWithTime()).stoppedAt(),
    latestNow: async () => {
      const answered = await clientWithTime();
      if (!(await hasServiceClockAlone())) await warnIfClocksDiffer();
      return answered.latestTime() ?? clock.now() / 1000;
    },
    earliestNow: async () => {
      const machine = clock.now() / 1000;
      const service = (await clientWithTime()).serviceTime() ?? machine;
      return (await hasServiceClockAlone()) ? service : Math.min(service, machine);
    },
    companyZone,
    unknownZone,
    displayZone,
    requiredZone: async () => {
      const zone = await zoneOrOther();
      if (zone !== undefined) return zone;
      const { reason, remedy } = await unknownZone();
      throw new UsageError(`this command needs a time zone, but ${reason}`, { hint: remedy });
    },
    budgetZone: once(async () => {
      const zone = (await companyZone()) ?? (await profileZone());
      if (zone !== undefined) return zone;
      const { reason, setting } = await unknownZone();
      throw new UsageError(
        `budget: the day and the hour of this send are not known, because ${reason}; nothing was sent`,
        { hint: setting && `run ${setting}` },
      );
    }),
    inputZone: once(async () => tz ?? (await profileZone()) ?? (await companyZone())),
    tableZone: async () => {
      const { credentials, profile } = await resolved();
      const isOwn = profile !== undefined && profile.companyId === credentials.companyId;
      const zone = isOwn && knownAccount() === undefined ? profile.companyZone : undefined;
      return readTimezone(zone) ?? displayZone();
    },
  };
}
