/** What a connection that failed is called, and what to do about it. */

export interface Failure {
  readonly words: string;
  readonly timedOut: boolean;
  /** Another attempt would end the same way. */
  readonly isFinal: boolean;
  readonly advice?: string | undefined;
}

export function failureOf(error: Error): Failure {
  const code = codeOf(error);
  const certificate = CERTIFICATE[code];
  if (certificate !== undefined) {
    const [words, advice] = certificate;
    return { words: `TLS: ${words}`, timedOut: false, isFinal: true, advice };
  }
  return {
    words: WORDS[code] ?? (error.message || code || 'the connection failed'),
    timedOut: TIMEOUTS.includes(code),
    isFinal: false,
  };
}

/** Behind a proxy undici puts an error of its own around that of a certificate. */
function codeOf(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  const inner = error.cause instanceof Error ? (error.cause as NodeJS.ErrnoException).code : undefined;
  return inner !== undefined && inner in CERTIFICATE ? inner : String(code ?? '');
}

const TIMEOUTS = ['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'ETIMEDOUT'];

const WORDS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the name of the host is not known',
  EAI_AGAIN: 'the name of the host could not be looked up',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was cut',
  EPIPE: 'the connection was cut',
  EHOSTUNREACH: 'there is no way to the host',
  ENETUNREACH: 'there is no way to the network',
  ETIMEDOUT: 'no connection came about in time',
  UND_ERR_CONNECT_TIMEOUT: 'no connection came about in time',
  UND_ERR_HEADERS_TIMEOUT: 'no answer came in time',
  UND_ERR_BODY_TIMEOUT: 'the answer stopped half-way',
  UND_ERR_SOCKET: 'the connection was cut',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the answer was cut short',
  UND_ERR_HEADERS_OVERFLOW: 'the head of the answer is too large',
};

const ADD_AUTHORITY =
  'If you trust who signed it, NODE_EXTRA_CA_CERTS=/path/to/ca.pem adds that certificate. svc never goes on without the check.';
const TELL_OWNER =
  'Those who run the service, or the proxy before it, have to renew it. Check the clock of this machine too.';
const CHECK_HOST = 'Check the base URL; a proxy on the way may have answered in place of the service.';

const NOT_TRUSTED = ['the certificate is signed by nobody whom this machine trusts', ADD_AUTHORITY] as const;
const SELF_SIGNED = ['the certificate is self-signed', ADD_AUTHORITY] as const;
const NOT_SOUND = ['the certificate can not be verified', TELL_OWNER] as const;

/** By the codes of OpenSSL and Node; see "X509 certificate error codes" of Node's `tls`. */
const CERTIFICATE: Readonly<Record<string, readonly [string, string]>> = {
  ERR_TLS_CERT_ALTNAME_INVALID: ['the certificate is for another host', CHECK_HOST],
  HOSTNAME_MISMATCH: ['the certificate is for another host', CHECK_HOST],
  CERT_HAS_EXPIRED: ['the certificate has expired', TELL_OWNER],
  CERT_NOT_YET_VALID: ['the certificate is not valid yet', TELL_OWNER],
  CERT_REVOKED: ['the certificate was revoked', TELL_OWNER],
  DEPTH_ZERO_SELF_SIGNED_CERT: SELF_SIGNED,
  SELF_SIGNED_CERT_IN_CHAIN: ['the chain ends in a self-signed certificate', ADD_AUTHORITY],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: NOT_TRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: NOT_TRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: NOT_TRUSTED,
  CERT_UNTRUSTED: NOT_TRUSTED,
  CERT_REJECTED: NOT_TRUSTED,
  INVALID_CA: NOT_TRUSTED,
  CERT_CHAIN_TOO_LONG: NOT_SOUND,
  CERT_SIGNATURE_FAILURE: NOT_SOUND,
  UNABLE_TO_DECRYPT_CERT_SIGNATURE: NOT_SOUND,
  UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY: NOT_SOUND,
  ERROR_IN_CERT_NOT_BEFORE_FIELD: NOT_SOUND,
  ERROR_IN_CERT_NOT_AFTER_FIELD: NOT_SOUND,
  PATH_LENGTH_EXCEEDED: NOT_SOUND,
  INVALID_PURPOSE: NOT_SOUND,
};
