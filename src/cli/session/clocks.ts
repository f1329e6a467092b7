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

export interface Clocks {
  /** Returns the service's time in Unix seconds, based on the time in its responses. */
  readonly serviceNow: () => Promise<number>;
  /** Returns the Unix seconds at which a sandbox's clock is stopped, or undefined if the clock runs. */
  readonly stoppedAt: () => Promise<number | undefined>;
  /**
   * Returns the later of the service's time and this machine's time, in Unix seconds. For a service at a loopback address (a sandbox),
   * returns the service's time, because the user can move a sandbox's clock. For any other service, warns once on stderr if the two clocks
   * are more than 5 minutes apart.
   */
  readonly latestNow: () => Promise<number>;
  readonly earliestNow: () => Promise<number>;
  /**
   * Returns undefined if the account has none, or one that this machine does not know. Callers must not replace it by a guess: a send would
   * go out hours early or late.
   */
  readonly companyZone: () => Promise<string | undefined>;
  /**
   * Returns the company's zone; if svc does not know it, that of `--tz`, else of the profile.
   * @throws UsageError without any of them
   */
  readonly requiredZone: () => Promise<string>;
  /** Returns the zone for times that svc shows together with their zone: like `requiredZone`, but UTC instead of an error. */
  readonly displayZone: () => Promise<string>;
  /** Returns the zone for times in tables: the company's zone in the profile, unless this run has read the account, else `displayZone`. */
  readonly tableZone: () => Promise<string>;
  /**
   * Returns the zone in which svc reads a local time: that of `--tz`, else of the profile, else of the company, never of the machine.
   * Returns undefined if none of them is known.
   */
  readonly inputZone: () => Promise<string | undefined>;
  /** Returns the zone of a budget's days and hours: the company's, else that of the profile. Throws UsageError without either. */
  readonly budgetZone: () => Promise<string>;
  readonly unknownZone: () => Promise<UnknownZone>;
}

/** Words without a full stop. */
export interface UnknownZone {
  readonly reason: string;
  readonly remedy: string;
  /** Undefined without a profile. */
  readonly setting: string | undefined;
}

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
