/** Determines the current time by the service's clock and by this machine's clock, and the time zones for input and output. */
import type { Client } from '../../client/client.ts';
import type { Clock } from '../../client/ports.ts';
import type { ResolvedCredentials } from '../../profiles/credentials.ts';
import type { JsonObject } from '../../protocol/envelope.ts';
import { isLoopback } from '../../protocol/wire.ts';
import { account } from '../../resources/account.ts';
import { formatDuration } from '../../text/duration.ts';
import { isTimezone } from '../../text/timezone.ts';
import { once } from './once.ts';

/** Functions that return the current time and the time zones of a run. */
export interface Clocks {
  /** Returns the service's time in Unix seconds, based on the time in its responses. Relative times such as `+2h` count from this time. */
  readonly serviceNow: () => Promise<number>;
  /** Returns the Unix seconds at which a sandbox's clock is stopped, or undefined if the clock runs. */
  readonly stoppedAt: () => Promise<number | undefined>;
  /**
   * Returns the later of the service's time and this machine's time, in Unix seconds. A send time must be later than the returned time. For
   * a service at a loopback address (a sandbox), returns the service's time, because the user can move a sandbox's clock. For any other
   * service, warns once on stderr if the two clocks are more than 5 minutes apart.
   */
  readonly latestNow: () => Promise<number>;
  /** Returns the earlier of the two times that `latestNow` compares: a time that has certainly been reached, if one clock is right. */
  readonly earliestNow: () => Promise<number>;
  /** Returns the company's time zone, or UTC for a partner that acts for no company. */
  readonly companyZone: () => Promise<string>;
  /** Returns the zone for times in tables: the company's zone in the profile, unless this run has read the account, else `companyZone`. */
  readonly tableZone: () => Promise<string>;
  /** Returns the zone in which svc reads a local time: that of `--tz`, else of the profile, else of the company, never of the machine. */
  readonly inputZone: () => Promise<string>;
}

/** Difference in seconds between the service's clock and this machine's clock, above which svc prints a warning. */
const MAX_CLOCK_DIFFERENCE = 5 * 60;

export function createClocks(parts: {
  readonly clock: Pick<Clock, 'now'>;
  /** Time zone that `--tz` gives. Undefined without the flag. */
  readonly tz: string | undefined;
  readonly client: () => Promise<Client>;
  readonly resolved: () => Promise<ResolvedCredentials>;
  readonly ownAccount: () => Promise<JsonObject>;
  /** Returns the account's record if it has been read already. */
  readonly knownAccount: () => JsonObject | undefined;
  readonly warn: (line: string) => Promise<void>;
}): Clocks {
  const { clock, tz, client, resolved, ownAccount, knownAccount, warn } = parts;
  /** Returns a client that knows the service's time, because it has received a response. */
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
    const { timezone } = await ownAccount();
    return typeof timezone === 'string' && isTimezone(timezone) ? timezone : 'UTC';
  });
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
    inputZone: once(async () => tz ?? (await resolved()).profile?.tz ?? (await companyZone())),
    tableZone: async () => {
      const { credentials, profile } = await resolved();
      const isOwn = profile !== undefined && profile.companyId === credentials.companyId;
      const zone = isOwn && knownAccount() === undefined ? profile.companyZone : undefined;
      return zone !== undefined && isTimezone(zone) ? zone : companyZone();
    },
  };
}
