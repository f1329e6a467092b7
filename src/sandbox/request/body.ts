/** Reads the body of a request: JSON, or a form as most older clients send it (docs/wire.md, "Requests"). */

import type { Finding, Method, Resource } from '../../kit/schema/resource.ts';
import { parseFieldText } from '../../kit/schema/text-value.ts';
import { isObject } from '../../kit/text/json-object.ts';
import { MAX_BODY_OCTETS, parseJson } from '../../service/protocol/json.ts';
import { fromWireName, type Naming, renameKeys } from '../../service/protocol/naming.ts';
import { isPercentEncodedUtf8 } from '../../service/protocol/query.ts';
import {
  createMalformedRequestError,
  createTooLargeBodyError,
  createWrongMediaTypeError,
  refuseFindings,
} from '../../service/protocol/service-errors.ts';
import type { WireRequest } from '../../service/protocol/wire.ts';

export type Body = Readonly<Record<string, unknown>>;

/** Returns the attributes of a body under their names of the interface, even if this deployment has others. */
export function readBody(resource: Resource, request: WireRequest, naming: Naming): Body {
  const text = isBodyIgnored(request.method) ? '' : (request.body ?? '');
  if (Buffer.byteLength(text) > MAX_BODY_OCTETS) throw createTooLargeBodyError(MAX_BODY_OCTETS);
  if (text === '' || (request.method === 'DELETE' && NOTHING.test(text.trim()))) return {};
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  switch (type) {
    case 'application/json':
      return renameKeys(parseObject(text), (names, name) => fromWireName(names, name), naming);
    case 'application/x-www-form-urlencoded':
      return parseForm(resource, text, naming);
    default:
      throw createWrongMediaTypeError(type);
  }
}

/** Some clients send a body with every request, mostly `null` (docs/wire.md, "body of GET, HEAD"). */
export const isBodyIgnored = (method: Method): boolean => method === 'GET' || method === 'HEAD';

/** Matches a body without values, which a DELETE may have (docs/wire.md, "body of GET, HEAD"). */
const NOTHING = /^(?:null|\{\s*\})?$/;

/** Limits on the JSON of a body, far above valid requests: parsing millions of values would keep other requests waiting. */
const MAX_VALUES = 1_000;

const MAX_DEPTH = 32;

function parseObject(text: string): Body {
  checkShape(text);
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    throw createMalformedRequestError('The body is not JSON');
  }
  if (!isObject(value)) throw createMalformedRequestError('The body must be one JSON object');
  return value;
}

/** Counts the values and the levels of nesting in a JSON text before it is parsed. Throws a 400 if there are too many. */
function checkShape(text: string): void {
  let values = 1;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case CODES.quote:
        at = endOfString(text, at + 1);
        break;
      case CODES.comma:
        values += 1;
        if (values > MAX_VALUES)
          throw createMalformedRequestError(`The body has more than ${MAX_VALUES} values`);
        break;
      case CODES.bracket:
      case CODES.brace:
        depth += 1;
        if (depth > MAX_DEPTH)
          throw createMalformedRequestError(`The body is nested deeper than ${MAX_DEPTH} levels`);
        break;
      case CODES.closingBracket:
      case CODES.closingBrace:
        depth -= 1;
    }
  }
}

const CODES = {
  quote: 0x22,
  comma: 0x2c,
  bracket: 0x5b,
  backslash: 0x5c,
  closingBracket: 0x5d,
  brace: 0x7b,
  closingBrace: 0x7d,
} as const;

/** Returns the index of the closing quote, or one past the end if none exists. */
function endOfString(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === CODES.quote) return at;
    at += code === CODES.backslash ? 2 : 1;
  }
  return at;
}

/** Parses a form. Numbers and booleans are sent as text; an empty value is null for a nullable attribute. */
function parseForm(resource: Resource, text: string, naming: Naming): Body {
  if (!isPercentEncodedUtf8(text)) throw createMalformedRequestError('The body is not percent-encoded UTF-8');
  const body: Record<string, unknown> = Object.create(null);
  const findings: Finding[] = [];
  checkPairs(text);
  for (const [wireName, value] of new URLSearchParams(text)) {
    const [, base = wireName, isItem] = /^([^[\]]+)(\[[0-9]{0,4}\])$/.exec(wireName) ?? [];
    const name = fromWireName(naming, base);
    const field = Object.hasOwn(resource.fields, name) ? resource.fields[name] : undefined;
    const parsed = field ? parseFieldText(field, value) : undefined;
    const items = Object.hasOwn(body, name) ? body[name] : [];
    if (isItem !== undefined && field?.several && Array.isArray(items) && parsed?.ok)
      body[name] = [...items, parsed.value];
    else if (Object.hasOwn(body, name)) findings.push({ attribute: name, reason: 'is given twice' });
    else if (parsed && !parsed.ok) findings.push({ attribute: name, reason: parsed.reason });
    else body[name] = parsed ? parsed.value : value;
  }
  refuseFindings(findings);
  return body;
}

function checkPairs(text: string): void {
  let pairs = 1;
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1)) {
    pairs += 1;
    if (pairs > MAX_VALUES) throw createMalformedRequestError(`The body has more than ${MAX_VALUES} values`);
  }
}
