/**
 * Defines conformance checks. A check has one statement of the interface or the wire conventions, and the requests that test the statement.
 */
import type { JsonObject } from '../../../../protocol/json.ts';
import { type Probe, type ProbeAnswer, type ProbeRequest, Unmet } from './probe.ts';

export interface ConformanceCheck {
  /** Unique id in kebab-case. */
  readonly id: string;
  /** Statement that the check tests: a sentence without a full stop. */
  readonly says: string;
  /** Set if the check creates and deletes its own records. If omitted, the check only reads. */
  readonly writes?: true;
  /** Set if a service that violates the statement could lose data, so that only a sandbox is checked. */
  readonly sandboxOnly?: true;
  /** Reports whether the statement applies to this target. If omitted, the statement applies to every target. */
  readonly applies?: (probe: Probe) => boolean;
  /** Runs the check. @throws Unmet if the target violates the statement */
  readonly run: (probe: Probe) => Promise<void>;
}

/** Checks the condition. @throws Unmet with the text `found` if `holds` is false */
export function expectThat(holds: boolean, found: string): asserts holds {
  if (!holds) throw new Unmet(found);
}

type Also = (answer: ProbeAnswer, probe: Probe) => void;

/** Returns the `run` of a check that sends one request and expects one of these status codes. */
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

/** Returns the attributes that the findings of a 400 name. */
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

/** Returns the path of a request that matches no record. */
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
