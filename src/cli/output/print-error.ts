/** Prints an explained error on stderr: one JSON object for scripts, a few lines for people. */

import { formatJson } from '../../protocol/json.ts';
import { flagName } from '../../schema/field.ts';
import { isObject } from '../../text/json-object.ts';
import { escapeForTerminal } from '../../text/terminal.ts';
import { formatTime } from '../../text/timezone.ts';
import type { ErrorExplanation } from '../errors/errors.ts';
import type { OutputStream } from '../outside/context.ts';
import { loadColourPainter } from './colour.ts';
import { escapeUnsafeCharactersInJson } from './json.ts';
import { wrapNoteText } from './note-lines.ts';
import { shortenValue } from './redact.ts';

interface ErrorPrintOptions {
  readonly json: boolean;
  readonly colour: boolean;
  readonly debug: boolean;
  readonly redact?: (text: string) => string;
  /** Shortens long arguments in redacted sentences. The details in JSON stay whole. */
  readonly shorten?: (text: string) => string;
}

/** Prints one line of JSON, the last of stderr, or `svc: message`, a line per detail, and `Hint: …`. */
export async function printError(
  explained: ErrorExplanation,
  options: ErrorPrintOptions,
  err: OutputStream,
): Promise<void> {
  if (explained.message === '') return;
  const { redact = unchanged, shorten = unchanged } = options;
  const trace = options.debug ? traceText(explained.cause, redact) : '';
  const sentence = (text: string): string => shorten(redact(text));
  const text = options.json
    ? `${escapeUnsafeCharactersInJson(formatJson({ error: formatErrorObject(explained, options) }))}\n`
    : await errorText(explained, options, { redact, sentence }, err);
  await err.write(trace + text);
}

const unchanged = (text: string): string => text;

type ChangeText = (text: string) => string;

/** Returns the member `error` of an error in JSON. */
export function formatErrorObject(
  explained: ErrorExplanation,
  { redact = unchanged, shorten = unchanged }: Pick<ErrorPrintOptions, 'redact' | 'shorten'>,
) {
  const sentence = (text: string): string => shorten(redact(text));
  const { kind, exit, http, subcode, details, hint } = explained;
  const shown = details.map((detail) => cleaned(detail, redact, 0));
  const message = sentence(firstOf(explained, shown));
  const company_id = explained.company?.id;
  const error = { kind, exit, message, company_id, http, subcode, details: shown };
  return hint === undefined ? error : { ...error, hint: sentence(hint) };
}

async function errorText(
  explained: ErrorExplanation,
  options: ErrorPrintOptions,
  { redact, sentence }: { readonly redact: ChangeText; readonly sentence: ChangeText },
  err: OutputStream,
): Promise<string> {
  const paint = await loadColourPainter(options.colour);
  const safe = (text: string): string => escapeForTerminal(sentence(text));
  const { findings, hint, company } = explained;
  const details = unique(
    explained.details
      .filter(isSaidOnce)
      .filter((detail) => hint === undefined || !isIdAlone(detail))
      .map((detail) => detailText(cleaned(detail, redact, 0))),
  );
  // A service repeats its findings in the message.
  const told = findings === undefined ? explained.message : undefined;
  const said = (line: string): boolean => told?.includes(line) ?? false;
  const listed = findings && details.length === 1 ? [] : details.filter((line) => !said(line));
  const message =
    findings === undefined
      ? explained.message
      : withEnd(listed.length === 0 ? (details[0] ?? '') : `${listed.length} problems`, findings.footer);
  const label = company && `company ${company.id}${company.name === undefined ? '' : ` (${company.name})`}: `;
  const lines = [
    `${PREFIX} ${safe(`${label ?? ''}${message}`)}`,
    ...listed.map((line) => `  ${safe(line)}`),
    ...(hint?.split('\n') ?? []).map((line) => `${HINT} ${safe(line)}`),
  ];
  const wrapped = await wrapNoteText(err, `${lines.join('\n')}\n`);
  return wrapped
    .replace(BEGINNING, (word) => paint.error(word))
    .replace(BEGINNINGS_OF_HINTS, (word) => paint.faint(word));
}

const PREFIX = 'svc:';
const HINT = 'Hint:';
const BEGINNING = /^svc:/;
const BEGINNINGS_OF_HINTS = /^Hint:/gm;

/** Returns the message, or `--name is required, and 2 more; nothing was sent`. */
function firstOf({ message, findings }: ErrorExplanation, details: readonly unknown[]): string {
  if (findings === undefined) return message;
  const others = unique(details.filter(isSaidOnce).map(detailText)).length - 1;
  const more = others > 0 ? `, and ${others} more` : '';
  return withEnd(`${detailText(details[0])}${more}`, findings.footer);
}

const unique = (texts: readonly string[]): readonly string[] => [...new Set(texts)];

/** Two attributes of which one must go have a detail each, and one sentence. */
function isSaidOnce(detail: unknown, at: number, all: readonly unknown[]): boolean {
  const { reason }: PrintedFinding = Object(detail);
  const [, other] = /^and (\S+) are both given;/.exec(String(reason)) ?? [];
  const earlier: readonly PrintedFinding[] = other === undefined ? [] : all.slice(0, at).map(Object);
  return !earlier.some(({ flag, attribute }) => flag === other || attribute === other);
}

const withEnd = (text: string, footer: string): string => (footer === '' ? text : `${text}; ${footer}`);

/** The hint already shows the id in a command. */
const isIdAlone = (detail: unknown): boolean =>
  isObject(detail) && Object.keys(detail).length === 1 && Object.hasOwn(detail, 'resource_id');

/** Returns `--count must be a whole number of at least 1 (given: "many"); 200 is the most`, or `resource_id: 7`. */
function detailText(detail: unknown): string {
  if (!isObject(detail)) return shortened(detail);
  const { attribute, reason, value, instead } = detail;
  if (typeof attribute !== 'string' || typeof reason !== 'string') {
    const pairs = Object.entries(detail).map(
      ([key, each]) => `${key}: ${timeIn(key, each) ?? shortened(each)}`,
    );
    return pairs.join(', ');
  }
  const given = value === undefined ? '' : ` (given: ${timeIn(attribute, value) ?? shortenedJson(value)})`;
  return `${placeOf(detail)}${formatValidationFinding(detail)}${given}${typeof instead === 'string' ? `; ${instead}` : ''}`;
}

function timeIn(attribute: string, value: unknown): string | undefined {
  if (!TIMES.includes(attribute) || typeof value !== 'number' || !Number.isSafeInteger(value))
    return undefined;
  return value >= 0 && value < YEAR_10000 ? `${formatTime(value, 'UTC', 'table')} UTC` : undefined;
}

const TIMES: readonly string[] = ['scheduledtime', 'senddate', 'time'];
const YEAR_10000 = 253_402_300_800;

interface PrintedFinding {
  readonly attribute?: unknown;
  readonly flag?: unknown;
  readonly reason?: unknown;
}

/** Leaves out the name of the flag if the reason has it. */
export function formatValidationFinding(finding: unknown): string {
  const { attribute, flag, reason }: PrintedFinding = Object(finding);
  const text = String(reason);
  if (typeof flag === 'string' && text.split(/[\s,;]+/).includes(flag)) return text;
  const name = typeof flag === 'string' ? flagWithAttribute(flag, String(attribute)) : String(attribute);
  return name === '' ? text : `${name} ${text}`;
}

/** Returns `baseline.yaml:3:5: `, as compilers write it. */
function placeOf({ file, line, column }: Readonly<Record<string, unknown>>): string {
  if (typeof file !== 'string') return '';
  const numbers = [line, column].filter((each) => typeof each === 'number');
  return `${[file, ...numbers].join(':')}: `;
}

/** Returns `--name`, or `<address>` for an operand, or `--message (message_id)` if the names of flag and attribute differ. */
const flagWithAttribute = (flag: string, attribute: string): string =>
  flag.startsWith('<') || flag === `--${flagName(attribute)}` ? flag : `${flag} (${attribute})`;

function shortened(value: unknown): string {
  const text = typeof value === 'string' ? value : (formatJson(value) ?? 'nothing');
  const characters = [...text.slice(0, 4 * MAX_VALUE_LENGTH)];
  return characters.length <= MAX_VALUE_LENGTH ? text : `${characters.slice(0, MAX_VALUE_LENGTH).join('')}…`;
}

const MAX_VALUE_LENGTH = 200;

/** A long text is shortened before its quotes are added. */
const shortenedJson = (value: unknown): string =>
  typeof value === 'string' ? formatJson(shortenValue(value)) : shortened(value);

/** Removes secrets and passwords, and limits the depth. */
function cleaned(value: unknown, redact: (text: string) => string, depth: number): unknown {
  if (typeof value === 'string') return redact(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DETAIL_DEPTH) return '…';
  if (Array.isArray(value)) return value.map((each) => cleaned(each, redact, depth + 1));
  const secret = 'attribute' in value && SECRET_NAME.test(String(value.attribute));
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      redact(key),
      SECRET_NAME.test(key) || (secret && key === 'value') ? '[redacted]' : cleaned(each, redact, depth + 1),
    ]),
  );
}

const MAX_DETAIL_DEPTH = 8;
const SECRET_NAME = /password|api_?-?key/i;

function traceText(error: unknown, redact: (text: string) => string): string {
  const traces: string[] = [];
  let at = error;
  while (at instanceof Error && traces.length < MAX_CAUSES) {
    const { message, stack = message } = at;
    // The message may quote text of others, in which only the stack's own line feeds stay.
    const lines = stack.replace(message, () => escapeForTerminal(redact(message)));
    traces.push(`${traces.length === 0 ? '' : 'caused by '}${lines}\n`);
    at = at.cause;
  }
  return escapeForTerminal(redact(traces.join('')), { newlines: true });
}

const MAX_CAUSES = 10;
