/** The words for declaring a check: one statement of the interface or of the wire conventions, and its requests. */
import type { JsonObject } from '../../../../protocol/json.ts';
import { type Answer, type Parts, type Probe, Unmet } from './probe.ts';

export interface Check {
  /** Kebab-case, unique. */
  readonly id: string;
  /** A sentence without a full stop. */
  readonly says: string;
  /** It creates and deletes records of its own. Left out: it only reads. */
  readonly writes?: true;
  /** A service that breaks the statement could lose data by it, so only a sandbox is asked. */
  readonly sandboxOnly?: true;
  /** Whether the statement concerns this target; always unless given. */
  readonly applies?: (probe: Probe) => boolean;
  /** @throws Unmet where the statement does not hold */
  readonly run: (probe: Probe) => Promise<void>;
}

/** @throws Unmet with `found` unless the condition holds */
export function expectThat(holds: boolean, found: string): asserts holds {
  if (!holds) throw new Unmet(found);
}

type Also = (answer: Answer, probe: Probe) => void;

/** A check that sends one request and expects one of these status codes. */
export const answers =
  (
    parts: Parts | ((probe: Probe) => Parts | Promise<Parts>),
    statuses: readonly number[],
    also?: Also,
  ): Check['run'] =>
  async (probe) => {
    const answer = await probe.send(typeof parts === 'function' ? await parts(probe) : parts);
    expectStatus(answer, statuses);
    also?.(answer, probe);
  };

export function expectStatus(answer: Answer, statuses: readonly number[]): void {
  const message = answer.error['message'];
  const said = typeof message === 'string' && message !== '' ? `: ${message.slice(0, 120)}` : '';
  expectThat(
    statuses.includes(answer.status),
    `${answer.status} in place of ${statuses.join(' or ')}${said}`,
  );
}

/** A service may answer a POST with any 2xx (wire, "status codes"). */
export const CREATED: readonly number[] = [200, 201, 202];
export const FOUND_OR_NOT: readonly number[] = [200, 404];

/** The attributes that a 400 names. */
export function namedFaults({ error }: Answer): readonly string[] {
  const details = error['additional_information'];
  return Array.isArray(details)
    ? details.map((each) => String((Object(each) as JsonObject)['attribute']))
    : [];
}

export const namesFault =
  (attribute: string): Also =>
  (answer, probe) =>
    expectThat(
      namedFaults(answer).includes(probe.wire(attribute)),
      `additional_information does not name ${probe.wire(attribute)}`,
    );

/** A request for which nothing matches. */
export const nothingMatches = (probe: Probe): string =>
  `/v1/folder?${probe.wire('name')}=none-${probe.unique()}`;

/** The user that a signed request can always see. */
export async function anyUser(probe: Probe): Promise<JsonObject> {
  const answer = await probe.send({ target: '/v1/user?count=1' });
  expectStatus(answer, [200]);
  const user = Array.isArray(answer.data) ? answer.data[0] : undefined;
  expectThat(typeof user === 'object' && user !== null, 'GET /v1/user gives no array of users');
  return user as JsonObject;
}
