/** The key is never sent, printed or logged. */

/** An id above 2^53 is a bigint, because a number would lose digits. */
export type AccountId = number | bigint;

export interface CompanyCredentials {
  readonly kind: 'company';
  readonly companyId: AccountId;
  readonly userId: AccountId;
  /** Key of 32 hexadecimal characters. */
  readonly apiKey: string;
}

export interface PartnerCredentials {
  readonly kind: 'partner';
  readonly partnerId: AccountId;
  /** The key can contain all printable ASCII characters, including spaces (docs/wire.md, "Authentication, where open"). */
  readonly apiKey: string;
  /** Omitted for endpoints that need no company. */
  readonly companyId?: AccountId | undefined;
  /** If no user is given, the company's admin acts. */
  readonly userId?: AccountId | undefined;
}

export type Credentials = CompanyCredentials | PartnerCredentials;

const COMPANY_KEY = /^[0-9a-f]{32}$/;
const PRINTABLE = /^[\x20-\x7e]{1,256}$/;

/** The reason never repeats the key. */
export function findApiKeyProblem(kind: Credentials['kind'], key: string): string | undefined {
  if (kind === 'partner') {
    if (key === '') return 'the key is empty';
    return PRINTABLE.test(key) ? undefined : 'a partner key has 1 to 256 printable ASCII characters';
  }
  if (key.length !== 32) return `a company key has 32 characters, but this key has ${key.length}`;
  if (COMPANY_KEY.test(key)) return undefined;
  return COMPANY_KEY.test(key.toLowerCase())
    ? 'a company key has no upper-case letters, only the characters 0-9a-f'
    : 'a company key has only the characters 0-9a-f';
}
