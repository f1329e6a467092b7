/** Converts a draft to a request body, and a response to a result. */
import type { JsonObject } from '../../protocol/envelope.ts';
import type { AuthKind, Resource, Values } from '../../schema/resource.ts';
import type { Outcome } from '../command/command.ts';
import { InvalidInputError, UsageError } from '../errors/errors.ts';
import { columnsOfResource } from '../output/columns.ts';
import type { Session } from '../session/session.ts';
import { type BodyDraft, lookUpPendingValues } from './body.ts';

type Body = Readonly<Record<string, unknown>>;

/**
 * Returns the body to send. Checks the draft against the declaration, then looks up names and local times. With `--no-validate`, refuses
 * only unreadable values. @param knownValues attributes from the request's path that the checks need @throws InvalidInputError with all
 * faults, before any request
 */
export async function finishRequestBody(
  session: Session,
  resource: Resource,
  method: 'POST' | 'PUT',
  draft: BodyDraft,
  knownValues: Body = {},
): Promise<Values> {
  if (!session.globals.validate) {
    if (draft.findings.length > 0) throw new InvalidInputError(draft.findings);
    return (await lookUpPendingValues(draft.body, draft.lookUps)) as Values;
  }
  refuseOthers(resource, method, (await session.resolved()).credentials.kind);
  const [{ checkPayload }, { credentials, naming }] = await Promise.all([
    import('../../schema/validator.ts'),
    session.resolved(),
  ]);
  const check = (body: Body) =>
    checkPayload(resource, method, credentials.kind, { ...knownValues, ...body }, naming);
  const rough = check(draft.body);
  const told = new Set(draft.findings.map((finding) => finding.attribute));
  const findings = [...draft.findings, ...rough.findings.filter(({ attribute }) => !told.has(attribute))];
  if (findings.length > 0) throw new InvalidInputError(findings);
  await warnOfDeprecated(session, resource, draft.body);
  if (draft.lookUps.size === 0) return without(rough.values, knownValues);
  const settled = check(await lookUpPendingValues(draft.body, draft.lookUps));
  if (settled.findings.length > 0) throw new InvalidInputError(settled.findings);
  return without(settled.values, knownValues);
}

/** Refuses the request if only a partner may send it and the caller is not a partner (interface, account and accountFeatures). */
function refuseOthers(resource: Resource, method: 'POST' | 'PUT', kind: AuthKind): void {
  const only = (method === 'POST' ? resource.methods.post : resource.methods.put)?.only;
  if (only === undefined || only === kind) return;
  throw new UsageError(`only a partner can send ${method} requests for ${resource.name}`, {
    hint: 'use a partner profile, or SVC_PARTNER_ID and SVC_PARTNER_API_KEY',
  });
}

/** Warns once about each deprecated attribute of the body (interface, "Versioning"). */
async function warnOfDeprecated(session: Session, resource: Resource, body: Body): Promise<void> {
  for (const attribute of Object.keys(body))
    if (resource.fields[attribute]?.deprecated)
      await session.warn(
        `${attribute} is deprecated: a later version of the service may ignore or reject it`,
      );
}

function without(values: Values, known: Body): Values {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !Object.hasOwn(known, name)));
}

/** Returns one record as the result of a verb. */
export function createOutcomeFromRecord(resource: Resource, value: JsonObject): Outcome {
  return { result: { kind: 'object', ...ofKind(resource, value), ...columnsOfResource(resource) } };
}

/** Returns the record of a rule with its kind added, and any other record unchanged. */
function ofKind({ variant }: Resource, value: JsonObject) {
  return variant === undefined ? { value } : { value: { kind: variant, ...value }, ofRules: true as const };
}
