/** Splits a large result of a tool into pages of a size that a client accepts. */
import { isObject } from '../../../kit/text/json-object.ts';
import { UsageError } from '../../errors/errors.ts';
import { cursorAt, type IdentifiedCall, type NextCursor, type ResultPagePosition } from './cursor.ts';
import {
  separateUntrustedText,
  shortenText,
  type TrustedProperties,
  UNTRUSTED_TEXT_KEY,
} from './untrusted.ts';

/** Maximum size of a result on the wire, in octets (contract, "Assistants"). */
const MAX_RESULT_OCTETS = 64 * 1024;
const ENVELOPE = 2048;
/** svc tries these lengths of a text from the service, in characters, until the result is small enough. */
const TEXT_LENGTHS = [2000, 500, 200, 80];
const PAGE_CHARACTERS = 8000;

export interface PagingArguments {
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
  readonly part?: string | undefined;
  readonly field?: string | undefined;
  readonly fields?: unknown;
}

export type ToolResult = NextCursor & {
  readonly ok: boolean;
  readonly exit: number;
  readonly kind?: string;
  readonly rows?: readonly unknown[];
  readonly result?: unknown;
  readonly more?: object;
  readonly total?: number;
  readonly next?: string;
  /** A command for a person in a shell, and the digest of the plan that it approves. */
  readonly approve?: { readonly command: string; readonly sha256: string };
  readonly now?: string;
  readonly zone?: string;
  readonly [UNTRUSTED_TEXT_KEY]?: unknown;
};

export interface ResultPageRequest {
  /** `all` if svc writes every value of the result. */
  readonly trusted: TrustedProperties | 'all';
  readonly requested: PagingArguments;
  readonly position: ResultPagePosition;
  /** Undefined if svc does not know it. */
  readonly zone: string | undefined;
  readonly call: IdentifiedCall;
  /** Set for a list that the service pages. */
  readonly cursorAfter?: ((rows: number) => NextCursor) | undefined;
  /** svc may shorten these lists. */
  readonly parts: readonly string[];
  /** `ok`, `exit` and notes. */
  readonly commonMembers: ToolResult;
}

/** Has as many rows and as much text as the size limit allows. */
export function buildLargestFittingPage(value: unknown, paged: ResultPageRequest): ToolResult {
  const { requested } = paged;
  if (requested.field !== undefined) return textPage(value, requested.field, paged);
  const list = requested.part === undefined ? value : memberOf(value, requested.part);
  for (const length of TEXT_LENGTHS) {
    const result = Array.isArray(list) ? rowsPage(list, length, paged) : wholeOrCut(list, length, paged);
    if (result) return result;
  }
  return {
    ok: false,
    exit: paged.commonMembers.exit,
    kind: 'too-large',
    [UNTRUSTED_TEXT_KEY]: {
      message: 'the result is too large',
      hint: 'request less data: a smaller limit, or one part or field',
    },
  };
}

/** The protocol has the JSON both as text and as structured content. */
export const toMcpToolResult = (result: ToolResult) => ({
  content: [{ type: 'text' as const, text: JSON.stringify(result) }],
  structuredContent: result,
  isError: !result.ok,
});

const fits = (result: ToolResult): boolean =>
  Buffer.byteLength(JSON.stringify(toMcpToolResult(result))) <= MAX_RESULT_OCTETS - ENVELOPE;

function memberOf(value: unknown, part: string): readonly unknown[] {
  const member = isObject(value) && Object.hasOwn(value, part) ? value[part] : undefined;
  if (Array.isArray(member)) return member;
  throw new UsageError(`the result has no list ${JSON.stringify(part.slice(0, 80))}`);
}

function rowsPage(
  list: readonly unknown[],
  length: number,
  { trusted, zone, position: { offset, maxRows }, call, cursorAfter, commonMembers }: ResultPageRequest,
): ToolResult | undefined {
  const next =
    cursorAfter ?? ((rows: number) => (offset + rows < list.length ? cursorAt(offset + rows, call) : {}));
  for (let count = maxRows; count >= 1; count = Math.floor(count / 2)) {
    const page = list.slice(offset, offset + count).map((row) => trustedPart(row, trusted, length, zone));
    const result = { ...commonMembers, rows: page, ...next(page.length) };
    if (fits(result)) return result;
  }
  return undefined;
}

/** Shortens the lists of an object that is too large. */
function wholeOrCut(
  value: unknown,
  length: number,
  { trusted, zone, commonMembers, parts }: ResultPageRequest,
): ToolResult | undefined {
  const members = isObject(value) ? value : {};
  for (const most of [Number.POSITIVE_INFINITY, 50, 20, 5, 0]) {
    const lists = parts.flatMap((part): [string, readonly unknown[]][] => {
      const list = members[part];
      return Array.isArray(list) && list.length > most ? [[part, list]] : [];
    });
    if (most !== Number.POSITIVE_INFINITY && lists.length === 0) continue;
    const shorter = Object.fromEntries(lists.map(([part, list]) => [part, list.slice(0, most)]));
    const shown = lists.length === 0 ? value : { ...members, ...shorter };
    const more = Object.fromEntries(lists.map(([part, list]) => [part, list.length]));
    const result = {
      ...commonMembers,
      result: trustedPart(shown, trusted, length, zone),
      ...(lists.length > 0 ? { more } : {}),
    };
    if (fits(result)) return result;
  }
  return undefined;
}

/**
 * Moves text from the service to the key `untrusted`, with at most `length` characters. `all` stays as it is, because a part of a schema
 * or of a help page would mislead.
 */
const trustedPart = (
  value: unknown,
  trusted: TrustedProperties | 'all',
  length: number,
  zone: string | undefined,
): unknown => (trusted === 'all' ? value : separateUntrustedText(value, trusted, length, zone));

function textPage(
  value: unknown,
  field: string,
  { position: { offset }, call, commonMembers }: ResultPageRequest,
): ToolResult {
  const text = isObject(value) && Object.hasOwn(value, field) ? value[field] : undefined;
  if (typeof text !== 'string')
    throw new UsageError(`the record has no text ${JSON.stringify(field.slice(0, 80))}`);
  const page = shortenText(text.slice(offset, offset + PAGE_CHARACTERS), PAGE_CHARACTERS);
  return {
    ...commonMembers,
    result: { [UNTRUSTED_TEXT_KEY]: { text: page } },
    ...(offset + PAGE_CHARACTERS < text.length ? cursorAt(offset + PAGE_CHARACTERS, call) : {}),
  };
}
