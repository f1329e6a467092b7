/** Every error of the service: status, subcode and message (interface, "Errors"; docs/wire.md, "Responses"). */
import { inWords, isSentence, sayReason } from '../../kit/schema/reason.ts';
import type { Finding, Method } from '../../kit/schema/resource.ts';
import type { JsonObject } from './json.ts';
import { SERVICE_ERROR_SUBCODES } from './wire.ts';

interface ServiceErrorDetails {
  readonly subcode?: number;
  readonly resourceId?: number | string;
  readonly additionalInformation?: unknown;
  /** Problems of attributes, each with the name of the attribute in the interface. The same problems are in `additionalInformation`. */
  readonly findings?: readonly Finding[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly status: number;
  readonly details: ServiceErrorDetails;

  constructor(status: number, message: string, details: ServiceErrorDetails = {}) {
    super(message, details.cause === undefined ? {} : { cause: details.cause });
    this.status = status;
    this.details = details;
  }
}

// Interface, "Errors": the messages are the document's own, `$id` filled in.

/** Returns the error for a request that resumes a rule whose list, message or link no longer exists. */
export const createCannotUnpauseRuleError = (
  id: number,
  resource: string,
  resourceId: number | string,
): ServiceError =>
  new ServiceError(
    409,
    `Automation Rule ${id} cannot be unpaused: Dependent ${resource} resource ${resourceId} no longer exists`,
    { subcode: SERVICE_ERROR_SUBCODES.cannotUnpause },
  );

export const createMessageLockedError = (id: number): ServiceError =>
  new ServiceError(423, `Message ${id} is locked`, { subcode: SERVICE_ERROR_SUBCODES.messageLocked });

export const createFolderTargetedByTaskError = (id: number): ServiceError =>
  new ServiceError(423, `Folder ${id} or one of its lists is to be or has been targeted`, {
    subcode: SERVICE_ERROR_SUBCODES.folderTargeted,
  });

export const createPermanentListInFolderError = (listId: number): ServiceError =>
  new ServiceError(423, `Folder contains List ${listId} which is permanent`, {
    subcode: SERVICE_ERROR_SUBCODES.folderPermanent,
  });

export const createInvalidDynamicContentError = (
  problem: string,
  findings: readonly Finding[],
): ServiceError =>
  new ServiceError(400, `Dynamic content syntax error: ${problem}`, {
    subcode: SERVICE_ERROR_SUBCODES.dynamicContent,
    additionalInformation: onTheWire(findings),
    findings,
  });

// These follow wire.md, "Responses", where the interface is open.

export const createInvalidRequestError = (findings: readonly Finding[]): ServiceError =>
  new ServiceError(400, sentence(findings), { additionalInformation: onTheWire(findings), findings });

/** @throws ServiceError 400 if there is a finding */
export function refuseFindings(findings: readonly (Finding | undefined)[]): void {
  const found = findings.filter((finding) => finding !== undefined);
  if (found.length > 0) throw createInvalidRequestError(found);
}

export function renameAttributesInError(
  error: ServiceError,
  nameOf: (attribute: string) => string,
): ServiceError {
  const { findings, subcode } = error.details;
  if (findings === undefined) return error;
  const renamed = findings.map((finding) => inWords(finding, { nameOf }));
  // The message for dynamic content is the document's own.
  return new ServiceError(error.status, subcode === undefined ? sentence(renamed) : error.message, {
    ...error.details,
    additionalInformation: onTheWire(renamed),
    findings: renamed,
  });
}

function sentence(findings: readonly Finding[]): string {
  const told = findings
    .slice(0, MAX_FINDINGS)
    .map(({ attribute, reason }) =>
      [...(isSentence(reason) ? [] : [attribute]), sayReason(reason)].map(cut).join(' '),
    );
  const more = findings.length - told.length;
  return `${told.join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
}

const onTheWire = (findings: readonly Finding[]): readonly { attribute: string; reason: string }[] =>
  findings.slice(0, MAX_FINDINGS).map(({ attribute, reason, instead }) => ({
    attribute: cut(attribute),
    reason: cut(instead === undefined ? sayReason(reason) : `${sayReason(reason)} (${sayReason(instead)})`),
  }));

/** Maximum number of findings in a response, so that the response to a bad request is not larger than the request. */
const MAX_FINDINGS = 50;
const MAX_CHARACTERS = 1000;

const cut = (text: string): string =>
  text.length <= MAX_CHARACTERS ? text : `${text.slice(0, MAX_CHARACTERS)}…`;

export const createMalformedRequestError = (problem: string): ServiceError => new ServiceError(400, problem);

/**
 * Returns a 401. Its message is the same for every failure, so that it does not reveal which part was wrong. It contains the service's
 * time, so that clients can correct their clocks.
 */
export const createUnauthenticatedError = (serviceTime: number): ServiceError =>
  new ServiceError(401, 'Authentication failed', { additionalInformation: { time: serviceTime } });

export const createForbiddenError = (reason: string): ServiceError => new ServiceError(403, reason);

export const createNotFoundError = (noun: string): ServiceError => new ServiceError(404, `${noun} not found`);

/**
 * Returns a 404 for a record that does not exist (docs/wire.md, "Responses", error). Released clients recognise this error by the message
 * `Not Found`, so the message can't name the record. Instead, `additional_information` names it.
 * @param keys attributes that identify the record, under the names that this deployment uses for them
 */
export const createNoRecordError = (resource: string, keys: JsonObject = {}): ServiceError =>
  new ServiceError(404, 'Not Found', { additionalInformation: { resource, ...keys } });

export const createUnsupportedMethodError = (
  method: Method,
  path: string,
  allowed: readonly Method[],
): ServiceError =>
  new ServiceError(405, `${method} is not supported on ${path}`, { headers: { allow: allowed.join(', ') } });

export const createConflictError = (reason: string, resourceId?: number | string): ServiceError =>
  new ServiceError(409, reason, resourceId === undefined ? {} : { resourceId });

export const createLimitReachedError = (limit: string, value: number): ServiceError =>
  new ServiceError(409, `The account's ${limit} of ${value} is reached`);

export const createTooLargeBodyError = (maxOctets: number): ServiceError =>
  new ServiceError(413, `The body is larger than ${maxOctets} bytes`);

export const createWrongMediaTypeError = (mediaType: string): ServiceError =>
  new ServiceError(415, `Content type ${mediaType || '(none)'} is not supported; send application/json`);

export const createTooManyRequestsError = (seconds: number): ServiceError =>
  new ServiceError(429, 'Too many requests', { headers: { 'retry-after': String(seconds) } });

/**
 * Returns a 500 or a 503.
 * @param cause error that made the request fail, which the response does not contain
 * @param problem status and message of the response. The status is 503 if the same request may soon succeed. Default: 500 and a general
 * message.
 */
export const createInternalError = (
  requestId: string,
  cause?: unknown,
  problem: { readonly status: 500 | 503; readonly words: string } = UNKNOWN_PROBLEM,
): ServiceError =>
  new ServiceError(problem.status, problem.words, {
    additionalInformation: { request_id: requestId },
    ...(cause === undefined ? {} : { cause }),
  });

const UNKNOWN_PROBLEM = { status: 500, words: 'Internal error' } as const;
