/** Checks that values of fields have the form that a field requires. */
import {
  isDomainName,
  isEmailAddress,
  isSmsSender,
  kindOfContactdata,
  normaliseContactdata,
  normaliseMsisdn,
  normaliseSmsSender,
  readUrl,
} from '../text/address.ts';
import { COUNTRY_CODES } from '../text/country-codes.ts';
import { MAX_SMS_PARTS, measureSms } from '../text/gsm.ts';
import { isTimezone } from '../text/timezone.ts';
import { findLongLines, findUnmappableCharacters, nameCharacter } from '../text/windows-1252.ts';
import type { Format, Scalar } from './field.ts';
import { MAX_UNIX_SECONDS } from './integer.ts';
import type { Reason } from './reason.ts';
import type { Finding } from './resource.ts';

/** Reason why a value does not have the required form, and advice on what to write instead. */
export type FormatProblem = Pick<Finding, 'reason' | 'instead'>;

type Check = (value: string) => FormatProblem | undefined;

const mustBe = (form: string): Reason => ({ kind: 'form', form });

const unless =
  (holds: (value: string) => boolean, reason: Reason, instead?: string): Check =>
  (value) =>
    holds(value) ? undefined : { reason, instead };

/** Maximum octets of a line in a message. RFC 5321 4.5.3.1.6, as the interface's content rules quote it. */
export const MAX_LINE_OCTETS = 1000;

const textChecks: Readonly<Record<Exclude<Format, 'timestamp'>, Check>> = {
  actionhour: unless(
    (value) => parseActionHourOfDay(value) !== undefined,
    mustBe('a full hour, HH:00:00'),
    'write 09:00:00',
  ),
  contactdata: unless(
    (value) => kindOfContactdata(value) !== undefined,
    mustBe('an e-mail address, a domain name or a number'),
  ),
  country: unless(
    (value) => COUNTRY_CODES.includes(value),
    mustBe('a country code of two capital letters (ISO 3166-1 alpha-2)'),
    'write GB',
  ),
  'destination-keyword': unless(
    (value) => /^\S{4,64}$/u.test(value),
    'must have 4 to 64 characters and no spaces',
  ),
  domain: unless(isDomainName, mustBe('a domain name')),
  email: unless(isEmailAddress, mustBe('an e-mail address')),
  html: fitsWindows1252,
  msisdn: unless(
    (value) => normaliseMsisdn(value) !== undefined,
    mustBe('a phone number with its country code, 7 to 15 digits'),
    'write 447700900123',
  ),
  password: unless(
    (value) => charactersIn(value) >= 7 && /\p{L}/u.test(value) && /\p{N}/u.test(value),
    'must have at least seven characters, with both letters and numbers',
  ),
  sender: unless(isSmsSender, mustBe('up to 11 letters and digits, or a phone number with its country code')),
  'sms-text': fitsThreeParts,
  'sub-keyword': unless((value) => /^[A-Za-z0-9]{1,32}$/.test(value), 'must have 1 to 32 letters and digits'),
  'text-body': (value) => fitsWindows1252(value) ?? hasShortLines(value),
  timezone: unless(isTimezone, mustBe('a TZ name'), 'write Europe/London'),
  url: unless(isHttpUrl, mustBe('an address that begins with http:// or https://')),
  username: unless((value) => value.trim() !== '' && charactersIn(value) <= 200, 'must not be empty'),
  website: unless(isHttpUrl, mustBe('a full address that begins with http')),
  'windows-1252': (value) =>
    fitsWindows1252(value) ?? (/[\r\n]/.test(value) ? { reason: mustBe('one line') } : undefined),
};

/** Checks that `value` has this format. Returns the problem, or undefined. */
export function checkFormat(format: Format, value: Scalar): FormatProblem | undefined {
  if (format === 'timestamp') {
    // Larger values are not dates; most are milliseconds.
    if (typeof value === 'number' && value >= 0 && value <= MAX_UNIX_SECONDS) return undefined;
    return { reason: mustBe('Unix seconds'), instead: `divide a time in milliseconds by 1000` };
  }
  return textChecks[format](String(value));
}

/** Returns the form in which a value is stored and compared: no `+` before a phone number, lower case for addresses. */
export function normaliseByFormat(format: Format | undefined, value: string): string {
  return (format && NORMALISERS[format]?.(value)) ?? value;
}

/** Formats with several spellings of one value. The other formats have one spelling, or keep the sent value. */
const NORMALISERS: Readonly<Partial<Record<Format, (value: string) => string | undefined>>> = {
  msisdn: normaliseMsisdn,
  sender: normaliseSmsSender,
  contactdata: (value) => normaliseContactdata(value)?.value,
};

/** Counts code points, so that a simple emoji counts as one character. */
const charactersIn = (value: string): number => Array.from(value).length;

function isHttpUrl(value: string): boolean {
  if (charactersIn(value) > 2048 || !/^https?:\/\//i.test(value)) return false;
  return readUrl(value) !== undefined;
}

function fitsThreeParts(value: string): FormatProblem | undefined {
  if (value === '') return { reason: 'must not be empty' };
  const { alphabet, septets, parts } = measureSms(value);
  if (parts <= MAX_SMS_PARTS) return undefined;
  return {
    reason: `takes ${parts} parts (${septets} characters, ${alphabet}); the maximum is ${MAX_SMS_PARTS}`,
    instead:
      alphabet === 'GSM'
        ? 'shorten the text to 459 characters'
        : 'shorten the text, or use only the GSM alphabet',
  };
}

function fitsWindows1252(value: string): FormatProblem | undefined {
  const outside = findUnmappableCharacters(value, 5);
  if (outside.length === 0) return undefined;
  const places = outside.map(
    ({ character, line, column }) => `${nameCharacter(character)} at ${line}:${column}`,
  );
  return { reason: `does not fit Windows-1252: ${places.join(', ')}`, instead: 'replace these characters' };
}

function hasShortLines(value: string): FormatProblem | undefined {
  const [first, ...rest] = findLongLines(value, MAX_LINE_OCTETS);
  if (first === undefined) return undefined;
  const more = rest.length === 0 ? '' : `, and ${rest.length} more lines`;
  return {
    reason: `has ${first.octets} bytes in line ${first.line}, its line end included; the limit is ${MAX_LINE_OCTETS}${more}`,
    instead: 'break the line',
  };
}

/** Returns the hour, 0 to 23, of `HH:00:00`. Interface, Limits, 'actionhour'. */
export function parseActionHourOfDay(text: string): number | undefined {
  return ACTION_HOUR.test(text) ? Number(text.slice(0, 2)) : undefined;
}

const ACTION_HOUR = /^(?:[01][0-9]|2[0-3]):00:00$/;
