/** Flags override `--data`. */

import { secretsIn } from '../../client/requests/record-title.ts';
import { type Field, flagName } from '../../kit/schema/field.ts';
import {
  type AuthKind,
  type BodyOf,
  type Finding,
  fieldOf,
  type Resource,
  type Values,
} from '../../kit/schema/resource.ts';
import { MAX_BODY_OCTETS } from '../../service/protocol/json.ts';
import type { Input } from '../command/command.ts';
import { InvalidInputError, UsageError } from '../errors/errors.ts';
import type { Invocation, Ports, Profiles, ServiceAccess, Tell } from '../session/ports.ts';
import {
  dataFlag,
  delayAfterEventFlag,
  durationBeforeDateFlag,
  isAttributeFromStdin,
  isAttributeGiven,
  readAttributeFilePath,
  readAttributesSetToNull,
  readUnparsedAttributeFlagValue,
  writableAttributes,
} from './attribute-flags.ts';
import { parseObject, readText } from './input-text.ts';
import {
  type FlagReadResult,
  type FlagValueOrFinding,
  readAttributeFlagValue,
  readDurationFlag,
  readTargetByName,
} from './values.ts';

type Body = Readonly<Record<string, unknown>>;
type FullBody = Record<string, unknown> & { actiontype?: unknown; actiontarget?: unknown };

/** Has a placeholder for each value that svc must first request: ids of named records, and Unix times. */
export interface BodyDraft {
  readonly body: Body;
  readonly findings: readonly Finding[];
  /** Functions by attribute. The placeholders in `body` have the same type. */
  readonly lookUps: ReadonlyMap<string, (values: Body) => Promise<FlagValueOrFinding>>;
}

/** A POST gets null for a missing attribute that is required and nullable (contract, "Forms"). */
export async function readBody(
  session: Ports,
  resource: Resource,
  method: 'POST' | 'PUT',
  input: Input,
): Promise<BodyDraft> {
  const body = await readData(session, input);
  session.hide(secretsIn(body, resource));
  const findings: Finding[] = [];
  const later = new Map<string, (values: Body) => Promise<FlagValueOrFinding>>();
  const take = (attribute: string, reading: FlagReadResult): void => {
    if ('finding' in reading) {
      findings.push(reading.finding);
      return;
    }
    body[attribute] = 'lookUp' in reading ? reading.placeholder : reading.value;
    if ('lookUp' in reading) later.set(attribute, reading.lookUp);
    else later.delete(attribute);
  };
  for (const attribute of writableAttributes(resource, method)) {
    for await (const reading of readingsOf(session, resource, attribute, input)) take(attribute, reading);
  }
  for (const attribute of readAttributesSetToNull(input)) {
    later.delete(attribute);
    body[attribute] = null;
  }
  if (method === 'POST') fillNulls(resource, body, findings);
  // Automation rules 10: the target of a removal can only be 0.
  if (method === 'POST' && body.actiontype === 'removefromlist') body.actiontarget ??= '0';
  return withTargetByName(session, input, { body, findings, lookUps: later });
}

/** Looks up the name of a message in `--target`, if the action is known and sends a message. */
export function withTargetByName(session: ServiceAccess, input: Input, draft: BodyDraft): BodyDraft {
  if (!isAttributeGiven(input, 'actiontarget')) return draft;
  const target = readTargetByName(session, draft.body);
  if (target === undefined) return draft;
  return {
    ...draft,
    body: { ...draft.body, actiontarget: target.placeholder },
    lookUps: new Map(draft.lookUps).set('actiontarget', target.lookUp),
  };
}

/** @throws UsageError for a name that does not exist */
export async function lookUpPendingValues(body: Body, lookUps: BodyDraft['lookUps']): Promise<Values> {
  const settled = { ...body };
  const findings: Finding[] = [];
  for (const [attribute, ask] of lookUps) {
    const read = await ask(settled);
    if ('finding' in read) findings.push(read.finding);
    else settled[attribute] = read.value;
  }
  if (findings.length > 0) throw new InvalidInputError(findings);
  return settled as Values;
}

async function readData(session: Invocation, input: Input): Promise<FullBody> {
  const data = input.find(dataFlag);
  if (data === undefined) return Object.create(null);
  const isSource = data === '-' || data.startsWith('@');
  if (!isSource) return parseObject(data, '--data');
  const source = data.replace(/^@/, '');
  const text = await readText(session.context, source, MAX_BODY_OCTETS);
  refuseEmptyStdin(source, text, '--data');
  return parseObject(text, '--data');
}

/** An attribute has its own flag, and may have those for a file, stdin and a duration. */
async function* readingsOf(
  session: Ports,
  resource: Resource,
  attribute: string,
  input: Input,
): AsyncGenerator<FlagReadResult> {
  const field = fieldOf(resource, attribute);
  const given = readUnparsedAttributeFlagValue(input, resource, attribute);
  const file = readAttributeFilePath(input, field);
  const after = field.unit === undefined ? undefined : input.find(delayAfterEventFlag);
  const before = field.unit === undefined ? undefined : input.find(durationBeforeDateFlag);
  const stdin = isAttributeFromStdin(input, attribute, field) || undefined;
  if ([given, file, stdin, after, before].filter((each) => each !== undefined).length > 1) {
    const ways = [
      `--${flagName(attribute)}`,
      `--${field.fileFlag ?? (stdin ? `${flagName(attribute)}-stdin` : 'after')}`,
    ];
    yield { finding: { attribute, reason: 'is given twice', instead: `leave out ${ways.join(' or ')}` } };
    return;
  }
  if (given !== undefined) yield await readAttributeFlagValue(session, attribute, field, given);
  if (file !== undefined) yield { value: await readAttributeFile(session, field, file) };
  if (stdin) yield { value: await readSecret(session, input) };
  if (after !== undefined) yield readDurationFlag(attribute, field, after, 1);
  if (before !== undefined) yield readDurationFlag(attribute, field, before, -1);
}

/** Refuses an empty standard input, and a campaign file instead of HTML. */
async function readAttributeFile(session: Invocation, field: Field, file: string): Promise<string> {
  const text = await readText(session.context, file, MAX_BODY_OCTETS);
  const flag = `--${field.fileFlag}`;
  refuseEmptyStdin(file, text, flag);
  if (field.fileFlag === 'html-file' && isCampaignFile(text))
    throw new UsageError(`${flag} ${file} is a campaign file, not HTML; nothing was sent`, {
      hint: 'give a file with HTML; for a campaign file, run svc plan FILE',
    });
  return text;
}

/** The command before the pipe has usually failed. */
function refuseEmptyStdin(source: string, text: string, flag: string): void {
  if (source !== '-' || text.trim() !== '') return;
  throw new UsageError(`${flag} -: standard input is empty; nothing was sent`, {
    hint: 'check the command before the pipe',
  });
}

/** A campaign file, in YAML or JSON, is a mapping with the key `version` or `campaign`. */
function isCampaignFile(text: string): boolean {
  const [first = ''] = text.split(/\r?\n/).filter((line) => !/^\s*(#.*|---.*)?$/.test(line));
  const isMapping = /^\s*\{/.test(first) || /^["']?[A-Za-z_]+["']?\s*:(\s|$)/.test(first);
  const hasKey = (line: string) =>
    /^["']?(version|campaign)["']? ?:( |$)/.test(line.replaceAll('{', ' ').trim());
  return isMapping && text.split('\n').some(hasKey);
}

/** Removes the line ending. */
async function readSecret(session: Invocation & Tell, input: Input): Promise<string> {
  if (input.find(dataFlag) === '-')
    throw new UsageError('cannot read standard input for both --data - and a flag that ends in -stdin', {
      hint: 'give the body from a file: --data @FILE',
    });
  const text = (await readText(session.context, '-', MAX_BODY_OCTETS)).replace(/\r?\n$/, '');
  session.hide([text]);
  return text;
}

function fillNulls(resource: Resource, body: Record<string, unknown>, findings: readonly Finding[]): void {
  for (const attribute of resource.methods.post?.required ?? []) {
    const isFaulty = findings.some((finding) => finding.attribute === attribute);
    if (!Object.hasOwn(body, attribute) && !isFaulty && fieldOf(resource, attribute).nullable)
      body[attribute] = null;
  }
}

/** Refuses only unreadable values with `--no-validate`. @throws InvalidInputError with all faults, before any request */
export async function finishRequestBody<R extends Resource>(
  session: Invocation & Tell & Profiles,
  resource: R,
  method: 'POST' | 'PUT',
  draft: BodyDraft,
  knownValues: Body = {},
): Promise<BodyOf<R>> {
  if (!session.globals.validate) {
    if (draft.findings.length > 0) throw new InvalidInputError(draft.findings);
    return lookUpPendingValues(draft.body, draft.lookUps) as Promise<BodyOf<R>>;
  }
  const { credentials, naming } = await session.resolved();
  refuseOthers(resource, method, credentials.kind);
  const { checkPayload } = await import('../../kit/schema/validator.ts');
  const check = (body: Body) =>
    checkPayload(resource, method, credentials.kind, { ...knownValues, ...body }, naming);
  // Placeholders stand for names and local times: svc promises all faults at once, before any request.
  const rough = check(draft.body);
  const told = new Set(draft.findings.map((finding) => finding.attribute));
  const findings = [...draft.findings, ...rough.findings.filter(({ attribute }) => !told.has(attribute))];
  if (findings.length > 0) throw new InvalidInputError(findings);
  await warnOfDeprecated(session, resource, draft.body);
  // The second look is at what is sent: an id behind a name can break a rule across attributes.
  const settled =
    draft.lookUps.size === 0 ? rough : check(await lookUpPendingValues(draft.body, draft.lookUps));
  if (settled.findings.length > 0) throw new InvalidInputError(settled.findings);
  const sent = Object.entries(settled.values).filter(([name]) => !Object.hasOwn(knownValues, name));
  return Object.fromEntries(sent) as BodyOf<R>;
}

/** Only a partner may send these requests (interface, account and accountFeatures). */
function refuseOthers(resource: Resource, method: 'POST' | 'PUT', kind: AuthKind): void {
  const only = (method === 'POST' ? resource.methods.post : resource.methods.put)?.only;
  if (only === undefined || only === kind) return;
  throw new UsageError(`only a partner can send ${method} requests for ${resource.name}`, {
    hint: 'use a partner profile, or SVC_PARTNER_ID and SVC_PARTNER_API_KEY',
  });
}

/** Warns once about each attribute (interface, "Versioning"). */
async function warnOfDeprecated(session: Tell, resource: Resource, body: Body): Promise<void> {
  for (const attribute of Object.keys(body))
    if (resource.fields[attribute]?.deprecated)
      await session.warn(
        `${attribute} is deprecated: a later version of the service may ignore or reject it`,
      );
}
