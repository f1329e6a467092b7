import { normaliseMsisdn } from './msisdn.ts';

/** What a row of Do Not Contact can name. Interface, doNotContact, `contactdata`. */
export type ContactKind = 'email' | 'domain' | 'msisdn';
export type Contactdata = {
  readonly kind: ContactKind;
  readonly value: string;
};

/**
 * True for an address as mail systems take it: an ASCII dot-atom of at most 64 characters (RFC 5321 section
 * 4.5.3.1.1, RFC 5322 section 3.2.3), `@`, a domain name; 254 in all. No quoted local parts, no address
 * literals.
 */
export function isEmailAddress(text: string): boolean {
  if (text.length > LONGEST_EMAIL) return false;
  const at = text.lastIndexOf('@');
  return (
    at > 0 && at <= LONGEST_LOCAL_PART && DOT_ATOM.test(text.slice(0, at)) && isDomainName(text.slice(at + 1))
  );
}

/**
 * True for at least two labels of letters, digits and inner hyphens, each at most 63 long, 253 in all, the
 * last not a number (so no IPv4 address is one). An international name is taken as punycode (`xn--…`) only.
 */
export function isDomainName(text: string): boolean {
  if (text.length > LONGEST_DOMAIN) return false;
  const labels = text.split('.');
  return (
    labels.length >= 2 && labels.every((label) => LABEL.test(label)) && !DIGITS.test(labels.at(-1) ?? '')
  );
}

/** Which of the three `text` is, read as `normaliseContactdata` reads it; undefined for none of them. */
export function kindOfContactdata(text: string): ContactKind | undefined {
  return normaliseContactdata(text)?.kind;
}

/**
 * The value to store and to compare with `===`: trimmed; addresses and domains in lower case (matching is
 * without regard to case, wire.md), a domain without a leading `@`, an MSISDN as bare digits. An IPv4 address
 * is none of the three, though its digits would make a phone number.
 */
export function normaliseContactdata(text: string): Contactdata | undefined {
  // Most rows of a file are such, and a sixth of the time is enough for them.
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

/** What follows the last `@`, in lower case; empty where there is none. */
export function domainOf(email: string): string {
  const at = email.lastIndexOf('@');
  return at < 0 ? '' : email.slice(at + 1).toLowerCase();
}

const LONGEST_EMAIL = 254;
const LONGEST_LOCAL_PART = 64;
const LONGEST_DOMAIN = 253;
const LONGEST_PASTE = 320;
const DOT_ATOM = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;
/** Of addresses in lower case, those that are one without a look at each label, where no part can be too long. */
const PLAIN_EMAIL = /^[a-z0-9]+(?:[._+-][a-z0-9]+)*@(?:[a-z0-9]+(?:-[a-z0-9]+)*\.)+[a-z][a-z0-9]*$/;
const LABEL = /^(?!-)[A-Za-z0-9-]{1,63}(?<!-)$/;
const DIGITS = /^[0-9]+$/;

function isIpv4(text: string): boolean {
  const octets = text.split('.');
  return octets.length === 4 && octets.every((octet) => /^[0-9]{1,3}$/.test(octet) && Number(octet) <= 255);
}
