/** Prepares headers and bodies for the log of requests: without keys, passwords, tokens and signatures, and cut. */
import type { IncomingHttpHeaders } from 'node:http';
import { fromWireName, type Naming } from '../../service/protocol/naming.ts';
import { redacted } from './request-problems.ts';

/** Maximum characters of a body in the log. */
const MAX_BODY_CHARACTERS = 8_000;

const MAX_HEADERS = 50;
const MAX_HEADER_CHARACTERS = 500;

const SECRET = /pass|secret|token|key(?!word)|signature|authorization|cookie/i;

/** Reports whether a header, parameter or attribute of this name may hold a secret, also under the names of this sandbox. */
export const isSecretName = (name: string, naming: Naming): boolean =>
  SECRET.test(`${name} ${fromWireName(naming, name)}`);

/** Returns the headers for people to read. Of `Authorization` only the scheme is left. */
export function shownHeaders(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers)
      .slice(0, MAX_HEADERS)
      .map(([name, value]) => [redacted(name), shownHeader(name, [value].flat().join(', '))]),
  );
}

function shownHeader(name: string, value: string): string {
  if (!SECRET.test(name)) return redacted(value).slice(0, MAX_HEADER_CHARACTERS);
  const [scheme] = name === 'authorization' ? (/^[A-Za-z][A-Za-z0-9-]{0,19} /.exec(value) ?? ['']) : [''];
  return `${scheme}[left out]`;
}

/**
 * Cuts a body to what `shownBody` needs. A digit run at the end may be the beginning of a key, so it is removed. The copy does not keep the
 * whole body in memory, as a slice would.
 */
export function clipBody(body: string): string {
  const most = 2 * MAX_BODY_CHARACTERS;
  if (body.length <= most) return body;
  let end = most;
  while (end > 0 && /[0-9a-f%]/i.test(body.charAt(end - 1))) end -= 1;
  return Buffer.from(body.slice(0, end)).toString();
}

/** Returns a body for people to read. The value of each attribute with the name of a secret is replaced, and each text like a key. */
export function shownBody(body: string, naming: Naming): string {
  const replaced = body
    .replace(ESCAPED_WORD_CHARACTER, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
    .replace(ATTRIBUTE, (whole, name: string, colon: string) =>
      isSecretName(name, naming) ? `"${name}"${colon}"[redacted]"` : whole,
    )
    .replace(PARAMETER, (whole, name: string) => (isSecretName(name, naming) ? `${name}=[redacted]` : whole));
  const safe = redacted(replaced);
  return safe.length > MAX_BODY_CHARACTERS ? `${safe.slice(0, MAX_BODY_CHARACTERS)}…` : safe;
}

/** Matches a digit, a letter or `_` that JSON writes as `\u0041`, which could hide a name or a key. */
const ESCAPED_WORD_CHARACTER = /\\u00(3[0-9]|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9a])/gi;

/** Matches an attribute of JSON with its value, even if the text ends within the value. */
const ATTRIBUTE = /"((?:[^"\\]|\\.)*)"(\s*:\s*)(?:"(?:[^"\\]|\\.)*"?|\[[^\]]*\]?|\{[^}]*\}?|[^\s,}\]]+)/g;

/** Matches a parameter of a form. */
const PARAMETER = /([\w.-]{1,100})=[^&\s"]+/g;
