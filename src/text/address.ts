import { normaliseMsisdn } from './msisdn.ts';

/** Kinds of entry in Do Not Contact (interface, doNotContact, `contactdata`). */
export type ContactKind = 'email' | 'domain' | 'msisdn';
export type Contactdata = {
  readonly kind: ContactKind;
  readonly value: string;
};

/**
 * Reports whether the text is an address that mail systems accept: an ASCII dot-atom of at most 64 characters (RFC 5321 section 4.5.3.1.1,
 * RFC 5322 section 3.2.3), `@`, a domain name; 254 in all. Quoted local parts and address literals are not accepted.
 */
export function isEmailAddress(text: string): boolean {
  if (text.length > LONGEST_EMAIL) return false;
  const at = text.lastIndexOf('@');
  return (
    at > 0 && at <= LONGEST_LOCAL_PART && DOT_ATOM.test(text.slice(0, at)) && isDomainName(text.slice(at + 1))
  );
}

/**
 * Reports whether the text has at least two labels of letters, digits and inner hyphens, each at most 63 long, 253 in all. The last label
 * must not be a number, so no IPv4 address passes. An international name is accepted as punycode (`xn--…`) only.
 */
export function isDomainName(text: string): boolean {
  if (text.length > LONGEST_DOMAIN) return false;
  const labels = text.split('.');
  return (
    labels.length >= 2 && labels.every((label) => LABEL.test(label)) && !DIGITS.test(labels.at(-1) ?? '')
  );
}

/** Returns the kind of `text`, as `normaliseContactdata` reads it, or undefined for any other text. */
export function kindOfContactdata(text: string): ContactKind | undefined {
  return normaliseContactdata(text)?.kind;
}

/**
 * Returns the value to store and to compare with `===`. It is trimmed. Addresses and domains are in lower case (matching is without regard
 * to case, wire.md), a domain has no leading `@`, and an MSISDN is bare digits. Returns undefined for an IPv4 address, although
 * its digits would make a phone number.
 */
export function normaliseContactdata(text: string): Contactdata | undefined {
  // Most rows of a file take this path, which needs a sixth of the time.
  if (text.length <= LONGEST_LOCAL_PART && PLAIN_EMAIL.test(text)) return { kind: 'email', value: text };
  if (text.length > LONGEST_PASTE) return undefined;
  const value = text.trim();
  if (isEmailAddress(value)) return { kind: 'email', value: value.toLowerCase() };
  const domain = value.startsWith('@') ? value.slice(1) : value;
  if (isDomainName(domain)) return { kind: 'domain', value: domain.toLowerCase() };
  if (isIpv4(value)) return undefined;
  const msisdn = normaliseMsisdn(value);
  return msisdn === undefined ? undefined : { kind: 'msisdn', value: msisdn };
}

/** Returns the part after the last `@`, in lower case, or an empty text if there is no `@`. */
export function domainOf(email: string): string {
  const at = email.lastIndexOf('@');
  return at < 0 ? '' : email.slice(at + 1).toLowerCase();
}

const LONGEST_EMAIL = 254;
const LONGEST_LOCAL_PART = 64;
const LONGEST_DOMAIN = 253;
const LONGEST_PASTE = 320;
const DOT_ATOM = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;
/** Matches addresses in lower case that are valid without a check of each label, if no part can be too long. */
const PLAIN_EMAIL = /^[a-z0-9]+(?:[._+-][a-z0-9]+)*@(?:[a-z0-9]+(?:-[a-z0-9]+)*\.)+[a-z][a-z0-9]*$/;
const LABEL = /^(?!-)[A-Za-z0-9-]{1,63}(?<!-)$/;
const DIGITS = /^[0-9]+$/;

function isIpv4(text: string): boolean {
  const octets = text.split('.');
  return octets.length === 4 && octets.every((octet) => /^[0-9]{1,3}$/.test(octet) && Number(octet) <= 255);
}
