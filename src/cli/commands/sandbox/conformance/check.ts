/** Types for declaring a check: one statement of the interface or of the wire conventions, and its requests. */
import type { JsonObject } from '../../../../protocol/json.ts';
import { type Probe, type ProbeAnswer, type ProbeRequest, Unmet } from './probe.ts';

export interface ConformanceCheck {
  /** Unique id in kebab-case. */
  readonly id: string;
  /** Statement, a sentence without a full stop. */
  readonly says: string;
  /** Set if the check creates and deletes records of its own. If omitted, it only reads. */
  readonly writes?: true;
  /** Set if a service that violates the statement could lose data, so that only a sandbox is checked. */
  readonly sandboxOnly?: true;
  /** Reports whether the statement applies to this target. If omitted, it always does. */
  readonly applies?: (probe: Probe) => boolean;
  /** Runs the check. @throws Unmet when the statement does not hold */
  readonly run: (probe: Probe) => Promise<void>;
}

/** Checks the condition. @throws Unmet with `found` unless it holds */
export function expectThat(holds: boolean, found: string): asserts holds {
  if (!holds) throw new Unmet(found);
}

type Also = (answer: ProbeAnswer, probe: Probe) => void;

/** Returns a check that sends one request and expects one of these status codes. */
export const expectsStatus =
  (
    parts: ProbeRequest | ((probe: Probe) => ProbeRequest | Promise<ProbeRequest>),
    statuses: readonly number[],
    also?: Also,
  ): ConformanceCheck['run'] =>
  async (probe) => {
    const answer = await probe.send(typeof parts === 'function' ? await parts(probe) : parts);
    expectStatus(answer, statuses);
    also?.(answer, probe);
  };

export function expectStatus(answer: ProbeAnswer, statuses: readonly number[]): void {
  const message = answer.error['message'];
  const said = typeof message === 'string' && message !== '' ? `: ${message.slice(0, 120)}` : '';
  expectThat(statuses.includes(answer.status), `${answer.status} instead of ${statuses.join(' or ')}${said}`);
}

/** Valid status codes of a POST: any 2xx (wire, "status codes"). */
export const CREATED_STATUSES: readonly number[] = [200, 201, 202];
export const FOUND_STATUSES: readonly number[] = [200, 404];

/** Returns the attributes that a 400 names. */
export function faultyAttributes({ error }: ProbeAnswer): readonly string[] {
  const details = error['additional_information'];
  return Array.isArray(details)
    ? details.map((each) => String((Object(each) as JsonObject)['attribute']))
    : [];
}

export const expectsFault =
  (attribute: string): Also =>
  (answer, probe) =>
    expectThat(
      faultyAttributes(answer).includes(probe.wire(attribute)),
      `additional_information does not name ${probe.wire(attribute)}`,
    );

/** Returns a request that matches nothing. */
export const requestWithoutMatch = (probe: Probe): string =>
  `/v1/folder?${probe.wire('name')}=none-${probe.unique()}`;

/** Returns a user that any signed request can see. */
export async function anyUser(probe: Probe): Promise<JsonObject> {
  const answer = await probe.send({ target: '/v1/user?count=1' });
  expectStatus(answer, [200]);
  const user = Array.isArray(answer.data) ? answer.data[0] : undefined;
  expectThat(typeof user === 'object' && user !== null, 'GET /v1/user gives no array of users');
  return user as JsonObject;
}
