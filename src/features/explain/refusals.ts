/** The errors of the service: `svc explain 423/10` and the OpenAPI document show them. */

import { METHODS, type Method } from '../../kit/schema/resource.ts';
import { MAX_BODY_OCTETS } from '../../service/protocol/json.ts';
import {
  createCannotUnpauseRuleError,
  createConflictError,
  createFolderTargetedByTaskError,
  createForbiddenError,
  createInternalError,
  createInvalidDynamicContentError,
  createInvalidRequestError,
  createLimitReachedError,
  createMalformedRequestError,
  createMessageLockedError,
  createNoRecordError,
  createPermanentListInFolderError,
  createTooLargeBodyError,
  createTooManyRequestsError,
  createUnauthenticatedError,
  createUnsupportedMethodError,
  createWrongMediaTypeError,
  type ServiceError,
} from '../../service/protocol/service-errors.ts';
import type { SERVICE_ERROR_SUBCODES } from '../../service/protocol/wire.ts';
import type { ResourceName } from '../../service/resources/catalogue.ts';
import { automations } from '../../service/resources/rule-kinds.ts';

export interface Refusal {
  readonly error: ServiceError;
  /** Sentence that says when the service sends the error. */
  readonly when: string;
  /** Methods for which every resource can return the error. */
  readonly methods?: readonly Method[];
  /** Resources that can return the error, each with the methods that can return it. */
  readonly on?: Readonly<Partial<Record<ResourceName, readonly Method[]>>>;
}

const WITH_BODY: readonly Method[] = ['POST', 'PUT'];
const OF_ONE: readonly Method[] = ['GET', 'HEAD', 'PUT', 'DELETE'];
const forRules = (methods: readonly Method[]): NonNullable<Refusal['on']> =>
  Object.fromEntries(automations.map(({ name }) => [name, methods]));

/** Refusals with a subcode of the interface ("Errors"). The compiler requires a row for each subcode. */
const SUBCODED: Readonly<Record<keyof typeof SERVICE_ERROR_SUBCODES, Refusal>> = {
  dynamicContent: {
    error: createInvalidDynamicContentError('html at line 1, column 4: {{ is never closed', [
      { attribute: 'html', reason: 'at line 1, column 4: {{ is never closed' },
    ]),
    when: 'The dynamic content of the message has a syntax error.',
    on: { emailMessage: WITH_BODY },
  },
  messageLocked: {
    error: createMessageLockedError(12),
    when: 'The message is scheduled to be sent, or has been sent.',
    on: { emailMessage: ['PUT', 'DELETE'], smsMessage: ['PUT', 'DELETE'] },
  },
  folderTargeted: {
    error: createFolderTargetedByTaskError(2),
    when: 'A task is scheduled to send to a list in the folder, or a task sent to such a list in the last 72 hours.',
    on: { folder: ['DELETE'] },
  },
  folderPermanent: {
    error: createPermanentListInFolderError(2),
    when: 'The folder contains a permanent list, which can never be deleted.',
    on: { folder: ['DELETE'] },
  },
  cannotUnpause: {
    error: createCannotUnpauseRuleError(1, 'list', 2),
    when: 'The request resumes a rule whose list or message was deleted, and does not name a replacement.',
    on: forRules(['PUT']),
  },
};

/** All errors that the service returns, by a name of our own. */
export const REFUSALS: Readonly<Record<string, Refusal>> = {
  validation: {
    error: createInvalidRequestError([
      { attribute: 'name', reason: 'is required' },
      { attribute: 'colour', reason: 'is not an attribute of folder' },
    ]),
    when: 'The request is not valid. The response names every attribute that is wrong.',
    methods: METHODS,
  },
  malformed: {
    error: createMalformedRequestError('The body is not JSON'),
    when: 'The body cannot be read.',
    methods: ['POST', 'PUT', 'DELETE'],
  },
  authentication: {
    error: createUnauthenticatedError(1_796_115_600),
    when: 'The signature is missing, malformed or wrong, the time in Date is more than 15 minutes off, or the nonce was used before.',
    methods: METHODS,
  },
  notAllowed: {
    error: createForbiddenError('The account is locked'),
    when: 'The credentials are correct, but the caller has no permission for this request.',
    methods: METHODS,
  },
  missing: {
    error: createNoRecordError('folder', { id: 12 }),
    when: 'No record matches the request. The service also returns this error if a list of records is empty.',
    methods: OF_ONE,
  },
  partnersOnly: {
    error: createUnsupportedMethodError('POST', 'account', ['GET', 'HEAD']),
    when: 'A company sent a request that only a partner can send.',
    on: { account: ['POST'] },
  },
  exists: {
    error: createConflictError('User ada already exists', 7),
    when: 'A record with this value exists. resource_id is the id of that record.',
    on: {
      user: WITH_BODY,
      doNotContact: ['POST'],
      subscriberProfileData: ['POST'],
      smsAutomation: WITH_BODY,
    },
  },
  limit: {
    error: createLimitReachedError('user_limit', 10),
    when: 'The account has reached its limit.',
    on: { user: ['POST'], ...forRules(['POST']), smsAutomation: ['POST'] },
  },
  lastAdmin: {
    error: createConflictError('The admin of an account cannot be deleted'),
    when: 'The record cannot be deleted.',
    on: { user: ['DELETE'] },
  },
  ended: {
    error: createConflictError('Task 12 is completed'),
    when: 'The task is completed, cancelled, or being sent.',
    on: { task: ['PUT'] },
  },
  fixed: {
    error: createConflictError('actiontarget of an email_autoresponder rule cannot be changed'),
    when: 'The attribute cannot be changed after it is set.',
    on: {
      clickAutomation: ['PUT'],
      openAutomation: ['PUT'],
      subscriptionAutomation: ['PUT'],
      dateAutomation: ['PUT'],
    },
  },
  tooLarge: {
    error: createTooLargeBodyError(MAX_BODY_OCTETS),
    when: `The body has more than ${MAX_BODY_OCTETS} bytes.`,
    methods: WITH_BODY,
  },
  mediaType: {
    error: createWrongMediaTypeError('text/plain'),
    when: 'The body has an unsupported content type: it must be JSON or a form.',
    methods: WITH_BODY,
  },
  throttled: {
    error: createTooManyRequestsError(30),
    when: 'The client sent too many requests. Retry-After says how long to wait.',
    methods: METHODS,
  },
  internal: {
    error: createInternalError('6f1c2a'),
    when: 'The service failed. The outcome of a POST is unknown.',
    methods: METHODS,
  },
  busy: {
    error: createInternalError('6f1c2a', undefined, { status: 503, words: 'The service is busy' }),
    when: 'The service cannot answer now. The same request may succeed soon.',
    methods: METHODS,
  },
  ...SUBCODED,
};
