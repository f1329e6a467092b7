/** Reads the body of a request: JSON, or a form as most older clients send it (wire, "Requests"). */
import { invalid, malformed, tooLarge, wrongMediaType } from '../protocol/faults.ts';
import { fromWireName, type Naming, renameKeys } from '../protocol/naming.ts';
import { MAX_BODY_OCTETS, type WireRequest } from '../protocol/wire.ts';
import type { Finding, Resource } from '../schema/resource.ts';
import { parseText } from '../schema/text-value.ts';

export type Body = Readonly<Record<string, unknown>>;

/** The attributes of the body under their neutral names; empty where there is no body. */
export function readBody(resource: Resource, request: WireRequest, naming: Naming): Body {
  const text = request.body ?? '';
  if (Buffer.byteLength(text) > MAX_BODY_OCTETS) throw tooLarge(MAX_BODY_OCTETS);
  if (text === '') return {};
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  switch (type) {
    case 'application/json':
      return renameKeys(parseJson(text), (names, name) => fromWireName(names, name), naming);
    case 'application/x-www-form-urlencoded':
      return parseForm(resource, text, naming);
    default:
      throw wrongMediaType(type);
  }
}

function parseJson(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw malformed('The body is not JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw malformed('The body must be one JSON object');
  return value as Record<string, unknown>;
}

/** Numbers and booleans stand as text; an empty value is null for a nullable attribute. */
function parseForm(resource: Resource, text: string, naming: Naming): Body {
  const body: Record<string, unknown> = Object.create(null);
  const findings: Finding[] = [];
  for (const [wireName, value] of new URLSearchParams(text)) {
    const name = fromWireName(naming, wireName);
    const field = Object.hasOwn(resource.fields, name) ? resource.fields[name] : undefined;
    const parsed = field ? parseText(field, value) : undefined;
    if (Object.hasOwn(body, name)) findings.push({ attribute: name, reason: 'is given twice' });
    else if (parsed && !parsed.ok) findings.push({ attribute: name, reason: parsed.reason });
    else body[name] = parsed ? parsed.value : value;
  }
  if (findings.length > 0) throw invalid(findings);
  return body;
}
