/** Defines a request and a response as the client and the service exchange them, the base URL of a service, and dates in headers. */
import type { Id } from '../../kit/schema/integer.ts';
import type { Method } from '../../kit/schema/resource.ts';
import { readUrl } from '../../kit/text/address.ts';

export interface WireRequest {
  readonly method: Method;
  /** Path as on the request line: percent-encoded, without the query. This is the path that is signed. */
  readonly path: string;
  /** Query without the question mark. Empty for a request without a query. */
  readonly query: string;
  readonly headers: WireHeaders;
  readonly body?: string;
}

/** Headers by their names in lower case. No name occurs twice. */
export interface WireHeaders {
  readonly age?: string;
  readonly authorization?: string;
  readonly date?: string;
  readonly location?: string;
  readonly [name: string]: string;
}

export interface WireResponse {
  readonly status: number;
  readonly headers: WireHeaders;
  readonly body: string;
}

/** Carries a request to the service and returns its response. Throws failures as `TransportError`. */
export type Transport = (request: WireRequest, signal?: CancelSignal) => Promise<WireResponse>;

export interface CancelSignal {
  readonly aborted: boolean;
  readonly reason?: unknown;
  readonly addEventListener: (abort: 'abort', listener: () => void) => void;
  readonly removeEventListener: (abort: 'abort', listener: () => void) => void;
}

export const API_PREFIX = '/v1/';
/** Maximum number of records on a page. The service caps a larger `count` at this number. */
export const MAX_RECORDS_PER_PAGE = 200;
export const SERVICE_ERROR_SUBCODES = {
  folderTargeted: 4,
  folderPermanent: 5,
  messageLocked: 10,
  dynamicContent: 11,
  cannotUnpause: 12,
} as const;

export function pathOf(resource: string, id?: Id): string {
  return id === undefined
    ? `${API_PREFIX}${resource}`
    : `${API_PREFIX}${resource}/${encodeURIComponent(String(id))}`;
}

/** Parameters that the sandbox adds to `notifyurl` (README.md, "`notifyurl`"). */
export type SmsNotificationUrlParameters = {
  /** Phone number or shortcode that received the SMS. */
  readonly to: string;
  readonly from: string;
  readonly text: string;
  /** Keyword of the rule; empty if the rule matches all messages. */
  readonly keyword: string;
  readonly time: string;
};

export interface BaseUrl {
  /** Origin such as `https://host` or `https://host:8443`: lower case, without the scheme's default port. */
  readonly origin: string;
  /** Prefix before `/v1` in every path: empty, or a path such as `/mail/api`, without a slash at the end. */
  readonly basePath: string;
}

export function hostAndPort(url: string): string {
  const { hostname, port, protocol } = new URL(url);
  return `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`;
}

const MAX_LENGTH = 2048;
/** Matches a base path. The path is signed as it is sent, so it may hold no characters that a proxy could rewrite. */
const BASE_PATH = /^(\/[A-Za-z0-9._~-]+)*$/;

/**
 * Parses a base URL that a person wrote. svc sends an API key only to one origin: scheme, host and port (contract, "Safety"). Two URLs with the same `origin` belong to the same service, so they may use the same key. A host
 * with a dot at its end has another origin than the host without the dot. Plain http is valid only for this machine (wire, "transport").
 * For an invalid URL, `problem` is the end of a sentence that starts with "the base URL". `problem` never contains the URL, because the URL
 * may contain a password.
 */
export function parseBaseUrl(text: string): BaseUrl | { readonly problem: string } {
  if (text === '') return { problem: 'is empty' };
  if (text.length > MAX_LENGTH) return { problem: `is longer than ${MAX_LENGTH} characters` };
  // `URL` would silently remove or replace these characters.
  if (!/^[\x21-\x7e\u00a1-\uffff]+$/.test(text) || text.includes('\\'))
    return { problem: 'has a space, a control character or a backslash in it' };
  if (!/^https?:\/\/[^/]/i.test(text)) return { problem: 'must start with https:// and a host name' };
  if (/^[^/]*\/\/[^/?#]*@/.test(text))
    return { problem: 'must not hold a user name or password; signatures identify the caller' };
  const url = readUrl(text);
  if (url === undefined) return { problem: 'is not a URL that can be read' };
  if (/[?#]/.test(text)) return { problem: 'must not have a query or a fragment' };
  if (url.port === '0') return { problem: 'has port 0, where no service can listen' };
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    return {
      problem: 'must start with https://; plain http is only for this machine (127.0.0.1, localhost)',
    };
  const basePath = url.pathname.replace(/\/+$/, '');
  if (basePath.includes('//')) return { problem: 'has an empty part (//) in its path' };
  if (!BASE_PATH.test(basePath))
    return { problem: 'has a path with characters other than letters, digits and . _ ~ -' };
  if (/\/v1$/i.test(basePath))
    return { problem: 'must end before /v1, which every path already starts with' };
  return { origin: url.origin, basePath };
}

/** Reports whether a host name can only be this machine: `localhost`, 127.0.0.0/8 or ::1, with or without brackets. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase();
  return name === 'localhost' || name === '[::1]' || name === '::1' || /^127(\.[0-9]{1,3}){3}$/.test(name);
}

// Hundreds of requests in one second have the same date, so the last date that was read or written is cached.
let lastRead: { readonly text: string; readonly time: number | undefined } = { text: '', time: undefined };

/** Returns milliseconds since the epoch of a date in one of the three forms of RFC 9110, or undefined. */
export function parseHttpDate(text: string): number | undefined {
  if (text !== lastRead.text) lastRead = { text, time: readHttpDate(text) };
  return lastRead.time;
}

function readHttpDate(text: string): number | undefined {
  for (const fixdate of fixdatesOf(text)) {
    const time = Date.parse(fixdate);
    if (!Number.isNaN(time) && new Date(time).toUTCString() === fixdate) return time;
  }
  return undefined;
}

/**
 * Returns the date as an IMF-fixdate. A date of RFC 850 has no century, so it returns two. At most one of them is a date, because the
 * weekdays of two centuries differ.
 */
function fixdatesOf(text: string): readonly string[] {
  const [, weekday, day, month, year, time] = RFC_850_DATE.exec(text) ?? [];
  if (weekday !== undefined)
    return [20, 19].map((century) => `${weekday.slice(0, 3)}, ${day} ${month} ${century}${year} ${time} GMT`);
  const [, name, monthName, date, clock, fullYear] = ASCTIME_DATE.exec(text) ?? [];
  return name === undefined
    ? [text]
    : [`${name}, ${date?.replace(' ', '0')} ${monthName} ${fullYear} ${clock} GMT`];
}

const RFC_850_DATE =
  /^((?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day), ([0-9]{2})-([A-Z][a-z]{2})-([0-9]{2}) ([0-9:]{8}) GMT$/;
const ASCTIME_DATE = /^([A-Z][a-z]{2}) ([A-Z][a-z]{2}) ([0-9]{2}| [0-9]) ([0-9:]{8}) ([0-9]{4})$/;

let lastWritten = { second: Number.NaN, text: '' };

export function formatHttpDate(time: number): string {
  const second = Math.floor(time / 1000);
  if (second !== lastWritten.second) lastWritten = { second, text: new Date(time).toUTCString() };
  return lastWritten.text;
}
