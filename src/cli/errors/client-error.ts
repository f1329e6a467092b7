/** Explains errors and missing responses of the service, with a hint on what to do. */

import { type ClientError, type ClientErrorKind, TransportError } from '../../client/requests/errors.ts';
import { formatRecordId } from '../../client/requests/record-title.ts';
import { flagName } from '../../kit/schema/field.ts';
import { sayFinding } from '../../kit/schema/reason.ts';
import type { Resource } from '../../kit/schema/resource.ts';
import { isObject } from '../../kit/text/json-object.ts';
import { formatFlags } from '../../kit/text/words.ts';
import type { ErrorEnvelope } from '../../service/protocol/envelope.ts';
import { formatJson } from '../../service/protocol/json.ts';
import { DEFAULT_WIRE_NAMING } from '../../service/protocol/naming.ts';
import { API_PREFIX, SERVICE_ERROR_SUBCODES } from '../../service/protocol/wire.ts';
import { resourceNamed } from '../../service/resources/catalogue.ts';
import { type ErrorExplanation, isFinding } from './errors.ts';
import { EXIT, type ExitCode, exitCodeForHttpStatus } from './exit-codes.ts';
import {
  describeCalledAddress,
  describeCalledAddressAndAccount,
  describeSandboxRestart,
  type FailedRequestContext,
} from './request-context.ts';

export function explainClientError(error: ClientError, context?: FailedRequestContext): ErrorExplanation {
  const { kind, exit } = classOf(error);
  const stopped = stoppedSandbox(error, context);
  if (stopped !== undefined) return { kind, exit, ...stopped, details: [] };
  const message = messageOf(error);
  return {
    kind,
    exit,
    message,
    ...readStatusAndSubcode(error),
    ...detailsOf(message, error.envelope),
    hint: hintFor(error, context),
  };
}

/** If the message is only a path, names the record instead: `email 2 not found`. */
function messageOf({ message, path }: ClientError): string {
  if (message !== `${path} not found`) return message;
  const resource = resourceIn(path);
  const id = idIn(path);
  if (resource === undefined || id === undefined) return message;
  return `${resource.noun} ${formatRecordId(resource, id)} not found`;
}

/** Returns `5` for `/v1/folder/5`. */
function idIn(path: string): string | undefined {
  const id = path.slice(API_PREFIX.length).split('/')[1];
  return id === undefined || id === '' ? undefined : decodeURIComponent(id);
}

/** svc recognizes a sandbox by the address in its profile. */
function stoppedSandbox(
  { kind, cause }: ClientError,
  context: FailedRequestContext | undefined,
): Pick<ErrorExplanation, 'message' | 'hint'> | undefined {
  const sandbox = context?.sandbox;
  if (kind !== 'unreachable' || context === undefined || sandbox === undefined) return undefined;
  if (!(cause instanceof TransportError) || !cause.isRefused) return undefined;
  return {
    message: `the sandbox of profile ${sandbox.profile} is not running: ${cause.message}`,
    hint: `${describeSandboxRestart(sandbox)}\n${describeCalledAddress(context)}`,
  };
}

/** The subcode is null without one (contract, "Numbers, ids and names, once more"). */
export function readStatusAndSubcode({
  status,
  envelope,
}: ClientError): Pick<ErrorExplanation, 'http' | 'subcode'> {
  return status === undefined ? {} : { http: status, subcode: envelope?.subcode ?? null };
}

function classOf({ kind, status = 0 }: ClientError): { readonly kind: string; readonly exit: ExitCode } {
  if (kind === 'refused')
    return { kind: KIND_BY_STATUS[status] ?? 'refused', exit: exitCodeForHttpStatus(status) };
  // A 404 of a wrong base URL says nothing about the record, so it isn't exit 4 (wire, "nothing matches").
  if (kind === 'not-ours' && status !== 0 && status !== 404)
    return { kind, exit: exitCodeForHttpStatus(status) };
  return { kind, exit: OUTCOMES[kind].exit };
}

const KIND_BY_STATUS: Readonly<Record<number, string>> = {
  400: 'invalid',
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not-found',
  405: 'unsupported',
  409: 'conflict',
  413: 'too-large',
  415: 'wrong-media-type',
  423: 'locked',
  429: 'throttled',
};

/** Returns the details (wire, "Responses"): a list of findings on 400; an object on 401 and 500; the id of the existing record on 409. */
function detailsOf(
  message: string,
  envelope: ErrorEnvelope | undefined,
): Pick<ErrorExplanation, 'details' | 'findings'> {
  if (envelope === undefined) return { details: [] };
  const { additionalInformation: more, resourceId } = envelope;
  const sentences = message.split('; ');
  const details = (Array.isArray(more) ? more : more === null ? [] : [more]).map((detail: unknown) => {
    if (!isFinding(detail)) return detail;
    const { reason } = detail;
    if (typeof reason !== 'string') return { ...detail, reason: formatJson(reason) };
    return sentences.includes(reason)
      ? { ...detail, reason: { kind: 'sentence', sentence: reason } }
      : detail;
  });
  const isSaid = details.every(isFinding) && details.map(sayFinding).join('; ') === message;
  return {
    details: resourceId === undefined ? details : [...details, { resource_id: resourceId }],
    findings: isSaid ? { footer: '', isOneLine: true } : undefined,
  };
}

function hintFor(error: ClientError, context: FailedRequestContext | undefined): string | undefined {
  const { advice } = error;
  const hint = advice ?? OUTCOMES[error.kind].hint?.(error, context);
  const isAboutPlace = ['unreachable', 'redirect', 'not-ours'].includes(error.kind);
  const isAboutSigner = error.kind === 'refused' && (error.status === 401 || error.status === 403);
  if (hint === undefined || context === undefined || !(isAboutPlace || isAboutSigner)) return hint;
  return `${hint}\n${isAboutPlace ? describeCalledAddress(context) : describeCalledAddressAndAccount(context)}`;
}

interface KindOutcome {
  readonly exit: ExitCode;
  readonly hint?: (error: ClientError, context: FailedRequestContext | undefined) => string | undefined;
}

/** The status of the response may decide on another exit code. */
const OUTCOMES: Readonly<Record<ClientErrorKind, KindOutcome>> = {
  refused: { exit: EXIT.failed, hint: hintForRefusal },
  throttled: {
    exit: EXIT.throttled,
    hint: () => 'Wait a moment and try again. To let svc retry more often, use --retries.',
  },
  failed: {
    exit: EXIT.failed,
    hint: ({ method }) =>
      method === 'GET' || method === 'HEAD'
        ? 'The service has a problem. Try again later.'
        : 'The service has a problem. Before you try again, check whether the change was made.',
  },
  unreachable: { exit: EXIT.unreachable, hint: () => 'Check the base URL, the network and HTTPS_PROXY.' },
  unknown: { exit: EXIT.unknown, hint: hintForUnknownOutcome },
  redirect: {
    exit: EXIT.failed,
    hint: () =>
      'svc does not follow redirects. If the redirect leads to the service, set its target as the base URL of the profile.',
  },
  'not-ours': { exit: EXIT.failed, hint: () => 'Check the base URL: this response is not from the service.' },
  interrupted: { exit: EXIT.interrupted },
};

function hintForUnknownOutcome(
  { method, path, lookUp }: ClientError,
  context: FailedRequestContext | undefined,
): string {
  const account = context?.accountFlags ?? '';
  if (lookUp === undefined)
    return `The service may have made the change. Check with ${checkCommand(path)}${account} before you try again.`;
  const { noun, variant } = resourceNamed(lookUp.resource) ?? { noun: lookUp.resource };
  if (lookUp.ids.length > 0) {
    const shown = lookUp.ids.map((id) => `svc ${noun} get ${formatRecordId({ variant }, id)}${account}`);
    return `Compare these records, and remove the duplicates: ${shown.join(', ')}.`;
  }
  const filters = { ...(variant === undefined ? {} : { kind: variant }), ...lookUp.filters };
  const flags = formatFlags(Object.entries(filters).map(([name, value]) => [flagName(name), value] as const));
  return `The record may have been ${method === 'POST' ? 'created' : 'changed'}. To check, run svc ${noun} list${flags}${account}`;
}

function hintForRefusal(error: ClientError, context: FailedRequestContext | undefined): string | undefined {
  const { status, envelope } = error;
  switch (status) {
    case 401:
      return (
        `Check the key and the ids (svc profile show${ofProfile(context)})${clockHint(envelope, context?.now)}. ` +
        `To see the signed string, add --explain-signature. ${namingHint(context)}`
      );
    case 403:
      return 'Your user has no permission for this request. To see which user you are, and whether you are the admin, run svc user whoami.';
    case 404:
      return `Run ${listCommand(error.path)} to see the ids.`;
    case 409:
      return envelope?.subcode === SERVICE_ERROR_SUBCODES.cannotUnpause
        ? withWhy(
            'Resume the rule and replace the missing record in the same update. Give another record, or null if the attribute can be null.',
            error,
          )
        : (hintForExistingRecord(error) ?? withWhy(undefined, error));
    case 423:
      return withWhy(LOCK_REMEDIES[envelope?.subcode ?? 0], error);
    case 429:
      return 'Wait a moment and try again.';
    default:
      return undefined;
  }
}

/** Only some kinds of record support `svc why`. */
function withWhy(hint: string | undefined, { path }: ClientError): string | undefined {
  const resource = resourceIn(path);
  const [, id] = path.startsWith(API_PREFIX) ? path.slice(API_PREFIX.length).split('/') : [];
  const isKnown = resource !== undefined && id !== undefined && id !== '' && NOUNS_OF_WHY.has(resource.noun);
  if (!isKnown) return hint;
  const more = `To see what locks the record, run svc why ${resource.noun} ${formatRecordId(resource, decodeURIComponent(id))}.`;
  return hint === undefined ? more : `${hint}\n${more}`;
}

const NOUNS_OF_WHY: ReadonlySet<string> = new Set([
  'email',
  'sms-message',
  'folder',
  'task',
  'automation',
  'user',
]);

/** A 409 contains the id of the existing record (interface, "Errors"). */
function hintForExistingRecord({ path, envelope }: ClientError): string | undefined {
  const id = envelope?.resourceId;
  const resource = resourceIn(path);
  if (id === undefined || resource === undefined) return undefined;
  return `To see the existing record, run svc ${resource.noun} get ${formatRecordId(resource, id)}.`;
}

// Interface, "Errors".
const LOCK_REMEDIES: Readonly<Record<number, string>> = {
  [SERVICE_ERROR_SUBCODES.folderTargeted]:
    'Cancel the tasks that target lists of the folder, or wait until 72 hours after the last task was sent.',
  [SERVICE_ERROR_SUBCODES.folderPermanent]:
    'The service never deletes a permanent list. Move that list to another folder before you delete this folder.',
  [SERVICE_ERROR_SUBCODES.messageLocked]: 'A scheduled or sent message cannot be changed. Create a new one.',
};

const ofProfile = (context: FailedRequestContext | undefined): string =>
  context?.profile === undefined ? '' : ` ${context.profile}`;

/** A service that expects other header names treats the request as unsigned (wire, "Vendor names"). */
function namingHint(context: FailedRequestContext | undefined): string {
  const prefix = context?.naming.headerPrefix ?? DEFAULT_WIRE_NAMING.headerPrefix;
  return prefix === DEFAULT_WIRE_NAMING.headerPrefix
    ? 'If your service uses other header names, add --naming FILE to svc profile add, or set SVC_NAMING.'
    : `The request had headers that begin with ${prefix}, as set in the profile or SVC_NAMING.`;
}

/** A 401 contains the service's time, because a wrong clock is a common cause (wire, "Responses"). */
function clockHint(envelope: ErrorEnvelope | undefined, now: number | undefined): string {
  const time = readServiceClockTimeMs(envelope);
  if (time === undefined) return '';
  const about = `, and the clock of this machine: the service's clock shows ${new Date(time).toISOString()}`;
  if (now === undefined) return about;
  return Math.abs(now - time) < MIN_SKEW_MS
    ? '; the clocks agree'
    : `${about}, and this machine's ${new Date(now).toISOString()}`;
}

/** Milliseconds; a smaller difference does not explain a 401. */
const MIN_SKEW_MS = 30_000;

/** Milliseconds since the epoch. */
export function readServiceClockTimeMs(envelope: ErrorEnvelope | undefined): number | undefined {
  const more = envelope?.additionalInformation;
  const time = isObject(more) ? Object.entries(more) : [];
  const seconds = time.find(([key]) => key === 'time')?.[1];
  return typeof seconds === 'number' && Math.abs(seconds) <= 8.64e12 ? seconds * 1000 : undefined;
}

/** Returns `svc folder get 5`, or the list command without an id in the path. */
function checkCommand(path: string): string {
  const resource = resourceIn(path);
  const id = idIn(path);
  if (resource === undefined || id === undefined || resource.single) return listCommand(path);
  return `svc ${resource.noun} get ${formatRecordId(resource, id)}`;
}

function listCommand(path: string): string {
  const resource = resourceIn(path);
  if (resource === undefined) return `svc api GET ${path}`;
  return `svc ${resource.noun} ${resource.single ? 'get' : 'list'}`;
}

function resourceIn(path: string): Resource | undefined {
  const name = path.startsWith(API_PREFIX) ? path.slice(API_PREFIX.length).split('/')[0] : undefined;
  return name === undefined ? undefined : resourceNamed(name);
}
