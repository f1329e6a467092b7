/**
 * Defines the type of conformance checks, and helpers to declare them. Each check sends requests to test one statement of the documents
 * about the service's HTTP API.
 */
import type { JsonObject } from '../../../../protocol/json.ts';
import {
  type ConformanceClient,
  type ConformanceRequest,
  type ConformanceResponse,
  ConformanceViolation,
} from './probe.ts';

export interface ConformanceCheck {
  /** Unique id of the check in kebab-case, such as `nonce-replay`. */
  readonly id: string;
  /** Statement that the check tests: a sentence without a full stop. */
  readonly says: string;
  /** Set if the check creates and deletes its own records. If omitted, the check only reads. */
  readonly writes?: true;
  /**
   * Set if the check sends a request to which a faulty service could respond by deleting data. svc runs such a check only on a sandbox. If
   * omitted, svc can run the check on any service.
   */
  readonly sandboxOnly?: true;
  /** Reports whether the check applies to the service under test. If omitted, the check applies to every service. */
  readonly applies?: (probe: ConformanceClient) => boolean;
  /** Runs the check. @throws ConformanceViolation if the service under test violates the statement in the property `says` */
  readonly run: (probe: ConformanceClient) => Promise<void>;
}

/** Throws if a condition of a check is false. @param description the error message @throws ConformanceViolation */
export function expectThat(holds: boolean, description: string): asserts holds {
  if (!holds) throw new ConformanceViolation(description);
}

type AnswerCheck = (answer: ConformanceResponse, probe: ConformanceClient) => void;

/** Returns the function `run` of a check that sends one request and expects one of these status codes. */
export const createStatusCheck =
  (
    parts:
      | ConformanceRequest
      | ((probe: ConformanceClient) => ConformanceRequest | Promise<ConformanceRequest>),
    statuses: readonly number[],
    also?: AnswerCheck,
  ): ConformanceCheck['run'] =>
  async (probe) => {
    const answer = await probe.send(typeof parts === 'function' ? await parts(probe) : parts);
    expectStatus(answer, statuses);
    also?.(answer, probe);
  };

/** Checks the status code of a response. @throws ConformanceViolation for any other status code */
export function expectStatus(answer: ConformanceResponse, statuses: readonly number[]): void {
  const message = answer.error['message'];
  const said = typeof message === 'string' && message !== '' ? `: ${message.slice(0, 120)}` : '';
  expectThat(statuses.includes(answer.status), `${answer.status} instead of ${statuses.join(' or ')}${said}`);
}

/** Valid status codes of a POST: any 2xx (wire, "status codes"). */
export const VALID_POST_STATUSES: readonly number[] = [200, 201, 202];
/** Status codes of an accepted GET: 200 if a record matches, 404 if none does. */
export const VALID_GET_STATUSES: readonly number[] = [200, 404];

/** Returns the attributes that a response with status 400 reports as invalid. */
export function faultyAttributes({ error }: ConformanceResponse): readonly string[] {
  const details = error['additional_information'];
  return Array.isArray(details)
    ? details.map((each) => String((Object(each) as JsonObject)['attribute']))
    : [];
}

/** Returns a function that checks that a response with status 400 reports this attribute as invalid. */
export const createInvalidAttributeCheck =
  (attribute: string): AnswerCheck =>
  (answer, probe) =>
    expectThat(
      faultyAttributes(answer).includes(probe.wireNameOf(attribute)),
      `additional_information of the error does not mention ${probe.wireNameOf(attribute)}`,
    );

/** Returns the path and query of a GET request that matches no record. */
export const createRequestPathMatchingNoRecord = (probe: ConformanceClient): string =>
  `/v1/folder?${probe.wireNameOf('name')}=none-${probe.uniqueHex()}`;

/** Requests one user of the company and returns it. */
export async function requestOneUserRecord(probe: ConformanceClient): Promise<JsonObject> {
  const answer = await probe.send({ target: '/v1/user?count=1' });
  expectStatus(answer, [200]);
  const user = Array.isArray(answer.data) ? answer.data[0] : undefined;
  expectThat(typeof user === 'object' && user !== null, 'GET /v1/user does not return an array of users');
  return user as JsonObject;
}
