/** A baseline is a YAML file of attributes and values, without nesting (contract, "Partners and many companies"). */

import { type Document, isAlias, isMap, isScalar, LineCounter, type Pair, parseDocument } from 'yaml';
import type { Finding } from '../../../kit/schema/resource.ts';
import { checkPayload } from '../../../kit/schema/validator.ts';
import { type AccountFeaturesBody, accountFeatures } from '../../../service/resources/account-features.ts';
import { type FileFinding, InvalidInputError } from '../../errors/errors.ts';
import { readText } from '../../request/input-text.ts';
import type { Invocation } from '../../session/ports.ts';

const MAX_OCTETS = 1024 * 1024;
/** Replaces an attribute's name if a finding is about the whole file. */
const WHOLE = 'baseline';

/** Keeps the order of the file. `--no-validate` checks only the syntax. @throws InvalidInputError with all faults */
export async function readFeatureBaseline(session: Invocation, file: string): Promise<AccountFeaturesBody> {
  const text = await readText(session.context, file, MAX_OCTETS);
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    intAsBigInt: true,
    prettyErrors: false,
    // A quieter level would ignore a second document.
    logLevel: 'error',
  });
  const at = (offset: number | undefined, finding: Finding): FileFinding => {
    const { line, col } = lines.linePos(offset ?? 0);
    return { ...finding, file, line, column: col };
  };
  const faults = [...document.errors, ...document.warnings];
  const findings = faults.map(({ pos: [offset], code, message }) =>
    at(offset, {
      attribute: code === 'DUPLICATE_KEY' ? (keyAt(document, offset) ?? WHOLE) : WHOLE,
      reason: code === 'DUPLICATE_KEY' ? 'occurs twice' : `is not YAML: ${message}`,
    }),
  );
  // Invalid YAML has no clear meaning, and later faults in the same line follow from the first.
  if (faults.some(({ code }) => code !== 'DUPLICATE_KEY'))
    throw new InvalidInputError(findings.filter(({ line }, index) => line !== findings[index - 1]?.line));
  const { contents } = document;
  if (!isMap(contents) || contents.items.length === 0) {
    const offset = contents?.range?.[0];
    throw new InvalidInputError([
      at(offset, {
        attribute: WHOLE,
        reason: isMap(contents) || contents === null ? 'has no attributes' : 'is not a mapping',
        instead: 'write one line per attribute, such as list_limit: 200',
      }),
    ]);
  }
  const places = new Map<string, number | undefined>();
  const body: Record<string, unknown> = Object.create(null);
  for (const pair of contents.items) {
    const read = readPair(pair);
    const offset = isScalar(pair.key) ? pair.key.range?.[0] : contents.range?.[0];
    if ('reason' in read) {
      findings.push(at(offset, read));
      continue;
    }
    if (places.has(read.attribute)) continue;
    places.set(read.attribute, offset);
    body[read.attribute] = read.value;
  }
  findings.push(...(await wrongIn(session, body)).map((each) => at(places.get(each.attribute), each)));
  if (findings.length > 0)
    throw new InvalidInputError([...findings].sort((a, b) => (a.line ?? 0) - (b.line ?? 0)));
  return session.globals.validate ? checked(body).values : (body as AccountFeaturesBody);
}

function readPair({ key, value }: Pair): { readonly attribute: string; readonly value: unknown } | Finding {
  if (!isScalar(key) || typeof key.value !== 'string')
    return {
      attribute: WHOLE,
      reason: 'has a key that is not an attribute',
      instead: 'write list_limit: 200',
    };
  const attribute = key.value;
  if (isAlias(value))
    return { attribute, reason: 'is a YAML alias', instead: 'write the value instead of the YAML alias' };
  if (value !== null && !isScalar(value))
    return { attribute, reason: 'is nested', instead: 'write one plain value, such as list_limit: 200' };
  // YAML reads an empty value as null, which means no limit for many attributes.
  if (value === null || (value.value === null && (value.source ?? '') === ''))
    return { attribute, reason: 'has no value', instead: 'write null if the attribute should have no value' };
  return { attribute, value: plain(value.value) };
}

/** Converts a bigint that a double can represent exactly. */
const plain = (value: unknown): unknown =>
  typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value;

const checked = (body: Readonly<Record<string, unknown>>) =>
  checkPayload(accountFeatures, 'PUT', 'partner', body);

async function wrongIn(
  session: Invocation,
  body: Readonly<Record<string, unknown>> & { readonly id?: unknown },
): Promise<readonly Finding[]> {
  // A PUT may contain the id, but a baseline is for all companies.
  const id: readonly Finding[] = Object.hasOwn(body, 'id')
    ? [{ attribute: 'id', value: body.id, reason: 'is read-only', instead: 'leave it out' }]
    : [];
  return session.globals.validate ? [...id, ...checked(body).findings] : id;
}

/** Returns the key of the YAML map that starts at this offset. */
function keyAt({ contents }: Document.Parsed, offset: number): string | undefined {
  if (!isMap(contents)) return undefined;
  for (const { key } of contents.items)
    if (isScalar(key) && key.range?.[0] === offset) return String(key.value);
  return undefined;
}
