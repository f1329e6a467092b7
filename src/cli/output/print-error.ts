/** Prints an explained error on stderr: one JSON object for scripts, a few lines for people. */

import { flagName } from '../../kit/schema/field.ts';
import { type AttributeWords, isSentence, sayReason } from '../../kit/schema/reason.ts';
import type { Finding } from '../../kit/schema/resource.ts';
import { isObject } from '../../kit/text/json-object.ts';
import { escapeForTerminal } from '../../kit/text/terminal.ts';
import { formatTime } from '../../kit/text/timezone.ts';
import { formatJson } from '../../service/protocol/json.ts';
import { type ErrorExplanation, isFinding } from '../errors/errors.ts';
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
  /** Default: the names of the interface. */
  readonly words?: FindingWords | undefined;
}

/** Names the attributes of findings. */
export interface FindingWords extends AttributeWords {
  /** The flag or operand in the words of the user. Undefined for an attribute that the user did not give by a flag. */
  readonly flagOf: (attribute: string) => string | undefined;
  /** Returns advice on a finding that has none. */
  readonly adviceOn: (finding: Finding) => string | undefined;
}

/** Prints one line of JSON, the last of stderr, or `svc: message`, a line per detail, and `Hint: …`. */
export async function printError(
  explained: ErrorExplanation,
  options: ErrorPrintOptions,
  err: OutputStream,
): Promise<void> {
  if (explained.message === '') return;
  const trace = options.debug ? traceText(explained.cause, options.redact ?? unchanged) : '';
  const text = options.json
    ? `${escapeUnsafeCharactersInJson(formatJson({ error: formatErrorObject(explained, options) }))}\n`
    : await errorText(explained, options, err);
  await err.write(trace + text);
}

const unchanged = (text: string): string => text;

type ChangeText = (text: string) => string;

interface Shown {
  readonly json: unknown;
  readonly text: string;
}

type ErrorWords = Pick<ErrorPrintOptions, 'redact' | 'shorten' | 'words'>;

function safeParts(
  explained: ErrorExplanation,
  { redact = unchanged, shorten = unchanged, words }: ErrorWords,
): { readonly sentence: ChangeText; readonly details: readonly Shown[] } {
  return {
    sentence: (text) => shorten(redact(text)),
    details: explained.details.flatMap((detail) => shownDetails(detail, words, redact)),
  };
}

/** Returns the member `error` of an error in JSON. */
export function formatErrorObject(explained: ErrorExplanation, options: ErrorWords) {
  const { sentence, details } = safeParts(explained, options);
  const { kind, exit, http, subcode, hint } = explained;
  const texts = textsOf(details);
  const message = sentence(messageOf(explained, texts, `${texts[0]}, and ${texts.length - 1} more`));
  const company_id = explained.company?.id;
  const shown = details.map(({ json }) => json);
  const error = { kind, exit, message, company_id, http, subcode, details: shown };
  return hint === undefined ? error : { ...error, hint: sentence(hint) };
}

async function errorText(
  explained: ErrorExplanation,
  options: ErrorPrintOptions,
  err: OutputStream,
): Promise<string> {
  const { sentence, details } = safeParts(explained, options);
  const paint = await loadColourPainter(options.colour);
  const safe = (text: string): string => escapeForTerminal(sentence(text));
  const { hint, company } = explained;
  const texts = textsOf(details.filter(({ json }) => hint === undefined || !isIdAlone(json)));
  const message = messageOf(explained, texts, `${texts.length} problems`);
  const label = company && `company ${company.id}${company.name === undefined ? '' : ` (${company.name})`}: `;
  const lines = [
    `${PREFIX} ${safe(`${label ?? ''}${message}`)}`,
    ...texts.filter((line) => !message.includes(line)).map((line) => `  ${safe(line)}`),
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

/** Two attributes of which one must go have a detail each, and one sentence. */
const textsOf = (details: readonly Shown[]): readonly string[] => [
  ...new Set(details.map(({ text }) => text)),
];

/** Returns the message, or the findings in its place: `cannot cancel task 7: name is required; nothing was sent`. */
function messageOf({ message, findings }: ErrorExplanation, texts: readonly string[], many: string): string {
  if (findings === undefined) return message;
  const { label, footer, isOneLine = texts.length === 1 } = findings;
  const parts = [isOneLine ? texts.join('; ') : many, footer].filter((part) => part !== '');
  return `${label === undefined ? '' : `${label}: `}${parts.join('; ')}`;
}

/** The hint already shows the id in a command. */
const isIdAlone = (detail: unknown): boolean =>
  isObject(detail) && Object.keys(detail).length === 1 && Object.hasOwn(detail, 'resource_id');

/** Returns several if the finding is about several attributes alike. */
function shownDetails(
  detail: unknown,
  words: FindingWords | undefined,
  redact: ChangeText,
): readonly Shown[] {
  const show = (each: unknown, isWhole = false): Shown => {
    const json = cleaned(each, redact, 0);
    return { json, text: detailText(json, isWhole) };
  };
  if (!isFinding(detail)) return [show(detail)];
  const { attribute: first, reason, value, instead = words?.adviceOn(detail), ...place } = detail;
  const isAboutAll = typeof reason !== 'string' && reason.kind === 'at-most-one';
  return [...new Set([first, ...(isAboutAll ? reason.attributes : [])])].map((attribute) => {
    const said = { reason: sayReason(reason, words), value, instead: instead && sayReason(instead, words) };
    return show({ attribute, flag: words?.flagOf(attribute), ...place, ...said }, isSentence(reason));
  });
}

/** Returns `--count must be a whole number of at least 1 (given: "many"); 200 is the most`, or `resource_id: 7`. */
function detailText(detail: unknown, isWhole: boolean): string {
  if (!isObject(detail)) return shortened(detail);
  const { attribute, flag, reason, value, instead } = detail;
  if (typeof attribute !== 'string' || typeof reason !== 'string') {
    const pairs = Object.entries(detail).map(
      ([key, each]) => `${key}: ${timeIn(key, each) ?? shortened(each)}`,
    );
    return pairs.join(', ');
  }
  const name = typeof flag === 'string' ? flagWithAttribute(flag, attribute) : attribute;
  const sentence = isWhole || name === '' ? reason : `${name} ${reason}`;
  const given = value === undefined ? '' : ` (given: ${timeIn(attribute, value) ?? shortenedJson(value)})`;
  return `${placeOf(detail)}${sentence}${given}${typeof instead === 'string' ? `; ${instead}` : ''}`;
}

function timeIn(attribute: string, value: unknown): string | undefined {
  if (!TIMES.includes(attribute) || typeof value !== 'number' || !Number.isSafeInteger(value))
    return undefined;
  return value >= 0 && value < YEAR_10000 ? `${formatTime(value, 'UTC', 'table')} UTC` : undefined;
}

const TIMES: readonly string[] = ['scheduledtime', 'senddate', 'time'];
const YEAR_10000 = 253_402_300_800;

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
      SECRET_NAME.test(key) || (secret && key === 'value' && each !== undefined)
        ? '[redacted]'
        : cleaned(each, redact, depth + 1),
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
