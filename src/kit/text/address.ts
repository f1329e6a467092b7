/** Checks and normalises addresses: e-mail addresses, domains, phone numbers (MSISDN), SMS senders and postal addresses. */

type ContactKind = 'email' | 'domain' | 'msisdn';
export type Contactdata = {
  readonly kind: ContactKind;
  readonly value: string;
};

/**
 * Reports whether the text is an address that mail systems accept: an ASCII dot-atom of at most 64 characters (RFC 5321 section 4.5.3.1.1,
 * RFC 5322 section 3.2.3), `@`, and a domain name. The whole address has at most 254 characters. Quoted local parts and address literals
 * are not accepted.
 */
export function isEmailAddress(text: string): boolean {
  if (text.length > MAX_EMAIL_LENGTH) return false;
  const at = text.lastIndexOf('@');
  return (
    at > 0 &&
    at <= MAX_LOCAL_PART_LENGTH &&
    DOT_ATOM.test(text.slice(0, at)) &&
    isDomainName(text.slice(at + 1))
  );
}

/**
 * Reports whether the text has at least two labels of letters, digits and inner hyphens, each label of at most 63 characters, and at most
 * 253 characters in all. The last label must not be a number, so no IPv4 address passes. An international name is accepted as punycode
 * (`xn--…`) only.
 */
export function isDomainName(text: string): boolean {
  if (text.length > MAX_DOMAIN_LENGTH) return false;
  const labels = text.split('.');
  return (
    labels.length >= 2 && labels.every((label) => LABEL.test(label)) && !DIGITS.test(labels.at(-1) ?? '')
  );
}

/** Returns what `text` is: an e-mail address, a domain or a phone number. Returns undefined for any other text. */
export function kindOfContactdata(text: string): ContactKind | undefined {
  return normaliseContactdata(text)?.kind;
}

/**
 * Returns the value in the form in which svc stores and compares values, without surrounding spaces. Addresses and domains are in lower
 * case (wire.md: case does not matter). A domain has no leading `@`, and an MSISDN has only digits. Returns undefined for an IPv4 address,
 * because its digits would otherwise count as a phone number.
 */
export function normaliseContactdata(text: string): Contactdata | undefined {
  // Most rows of a file take this path, which needs a sixth of the time.
  if (text.length <= MAX_LOCAL_PART_LENGTH && PLAIN_EMAIL.test(text)) return { kind: 'email', value: text };
  if (text.length > MAX_PASTE_LENGTH) return undefined;
  const value = text.trim();
  if (isEmailAddress(value)) return { kind: 'email', value: value.toLowerCase() };
  const domain = value.startsWith('@') ? value.slice(1) : value;
  if (isDomainName(domain)) return { kind: 'domain', value: domain.toLowerCase() };
  if (isIpv4(value)) return undefined;
  const msisdn = normaliseMsisdn(value);
  return msisdn === undefined ? undefined : { kind: 'msisdn', value: msisdn };
}

export function domainOf(email: string): string {
  const at = email.lastIndexOf('@');
  return at < 0 ? '' : email.slice(at + 1).toLowerCase();
}

const MAX_EMAIL_LENGTH = 254;
const MAX_LOCAL_PART_LENGTH = 64;
const MAX_DOMAIN_LENGTH = 253;
const MAX_PASTE_LENGTH = 320;
const DOT_ATOM = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;
/**
 * Matches common e-mail addresses in lower case, without checking lengths. A match of at most 64 characters is a valid address, because
 * none of its parts can be too long.
 */
const PLAIN_EMAIL = /^[a-z0-9]+(?:[._+-][a-z0-9]+)*@(?:[a-z0-9]+(?:-[a-z0-9]+)*\.)+[a-z][a-z0-9]*$/;
const LABEL = /^(?!-)[A-Za-z0-9-]{1,63}(?<!-)$/;
const DIGITS = /^[0-9]+$/;

function isIpv4(text: string): boolean {
  const octets = text.split('.');
  return octets.length === 4 && octets.every((octet) => /^[0-9]{1,3}$/.test(octet) && Number(octet) <= 255);
}

/**
 * Normalises a phone number as people paste it. It drops surrounding white space, inner spaces, dashes, dots and parentheses, and a leading
 * `+`. Rejects `(0)`, as in `+49 (0)170 …`. People dial this zero only inside the country, and with the zero the number would be another
 * person's. wire.md, 'sender'.
 * @returns 7 to 15 digits, the first not 0; undefined if the text is not a phone number
 */
export function normaliseMsisdn(text: string): string | undefined {
  if (text.length > MAX_NUMBER_LENGTH || TRUNK_ZERO.test(text)) return undefined;
  const bare = text.trim().replace(PUNCTUATION, '');
  return isMsisdn(bare) ? withoutPlus(bare) : undefined;
}

/** Reports whether the text is 7 to 15 digits, the first not 0, with or without a leading `+`, and has no other characters. */
export function isMsisdn(text: string): boolean {
  return text.length <= MAX_NUMBER_LENGTH && MSISDN.test(text);
}

/** Reports whether the text is a phone number as people dial it at home: 7 to 15 digits, the first 0. */
export const isNationalNumber = (text: string): boolean =>
  text.length <= MAX_NUMBER_LENGTH && /^0[0-9]{6,14}$/.test(text.trim().replace(PUNCTUATION, ''));

const MAX_NUMBER_LENGTH = 64;
const MSISDN = /^\+?[1-9][0-9]{6,14}$/;
const TRUNK_ZERO = /\(\s?0\s?\)/;
const PUNCTUATION = /[\s().\-\u2010-\u2015]/g;

function withoutPlus(msisdn: string): string {
  return msisdn.startsWith('+') ? msisdn.slice(1) : msisdn;
}

/**
 * Reports whether the text is a valid SMS sender: 1 to 11 letters and digits, or an MSISDN (a phone number with its country code).
 * Interface, Limits, 'SMS sender name/address'; wire.md, 'sender'.
 */
export function isSmsSender(text: string): boolean {
  return ALPHANUMERIC.test(text) || isMsisdn(text);
}

/**
 * Returns the SMS sender in the form in which the service stores the sender. If the sender is an MSISDN (a phone number with its country
 * code), removes the leading `+`. Returns undefined if `text` is not a valid sender.
 */
export function normaliseSmsSender(text: string): string | undefined {
  if (!isSmsSender(text)) return undefined;
  return text.startsWith('+') ? text.slice(1) : text;
}

const ALPHANUMERIC = /^[A-Za-z0-9]{1,11}$/;

/**
 * Share of the words of a postal address that a text must contain. Two of three are enough, because the address may be written in another
 * way.
 */
const REQUIRED_SHARE = 2 / 3;

/** Reports whether the text contains the postal address, in whatever order and punctuation. Returns false for an empty address. */
export function mentionsPostalAddress(text: string, address: string): boolean {
  const wanted = lowerCaseWords(address);
  if (wanted.length === 0) return false;
  const found = new Set(lowerCaseWords(text));
  return wanted.filter((word) => found.has(word)).length >= wanted.length * REQUIRED_SHARE;
}

const lowerCaseWords = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/**
 * Returns the parsed URL, or undefined. Does not use `URL.canParse`, because of an error in Node 20: after V8 has optimised a caller,
 * `canParse` rejects valid addresses such as `https://münchen.example`.
 */
export function readUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
