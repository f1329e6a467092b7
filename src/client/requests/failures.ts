export interface Failure {
  readonly words: string;
  readonly timedOut: boolean;
  readonly isFinal: boolean;
  readonly isRefused?: boolean | undefined;
  readonly advice?: string | undefined;
}

/** Peer as messages show it: `api.example.com:443`. */
export interface ConnectionPeer {
  readonly host: string;
  /** Proxy to which this machine connects instead of the host. */
  readonly proxy?: string | undefined;
}

export function failureOf(error: Error, peer: ConnectionPeer): Failure {
  const code = codeOf(error);
  const certificate = CERTIFICATE[code];
  if (certificate !== undefined) {
    const [problem, advice] = certificate;
    return { words: `TLS: the certificate of ${peer.host} ${problem}`, ...FINAL, advice };
  }
  const tunnel = tunnelProblem(error, peer);
  const isOfProxy = peer.proxy !== undefined && (code in NO_CONNECTION || tunnel !== undefined);
  return {
    words: wordsFor(code, peer) ?? tunnel ?? `${nameOf(peer)}: ${error.message || code}`,
    timedOut: TIMEOUTS.includes(code),
    isFinal: false,
    isRefused: code === 'ECONNREFUSED' && peer.proxy === undefined,
    ...(isOfProxy ? { advice: `${CHECK_PROXY}=${peer.host.replace(/:[0-9]+$/, '')}.` } : {}),
  };
}

const FINAL = { timedOut: false, isFinal: true };

/** For a certificate error behind a proxy, it is the code of the inner error, because undici wraps the error. */
function codeOf(error: Error): string {
  const { code = '' }: NodeJS.ErrnoException = error;
  const inner: NodeJS.ErrnoException | undefined = error.cause instanceof Error ? error.cause : undefined;
  return inner?.code !== undefined && inner.code in CERTIFICATE ? inner.code : String(code);
}

const TIMEOUTS = ['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'ETIMEDOUT'];

const nameOf = ({ host, proxy }: ConnectionPeer): string =>
  proxy === undefined ? host : `${host} through the proxy ${proxy}`;

function wordsFor(code: string, peer: ConnectionPeer): string | undefined {
  const first = peer.proxy === undefined ? peer.host : `the proxy ${peer.proxy}`;
  if (/^HPE_/.test(code)) return `the response of ${nameOf(peer)} is not HTTP`;
  if (NO_TLS.test(code)) return `${nameOf(peer)} does not support TLS`;
  return NO_CONNECTION[code]?.(first) ?? BROKEN[code]?.(nameOf(peer));
}

/** Error codes of a TLS handshake with a server that does not use TLS. */
const NO_TLS = /^(?:ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)|EPROTO)$/;

const NO_CONNECTION: Readonly<Record<string, (first: string) => string>> = {
  ENOTFOUND: (first) => `host not found: ${first}`,
  EAI_AGAIN: (first) => `cannot look up the host name: ${first}`,
  ECONNREFUSED: (first) => `connection refused by ${first}`,
  EHOSTUNREACH: (first) => `no route to ${first}`,
  ENETUNREACH: (first) => `no route to the network of ${first}`,
  ETIMEDOUT: (first) => `timed out connecting to ${first}`,
  UND_ERR_CONNECT_TIMEOUT: (first) => `timed out connecting to ${first}`,
};

const BROKEN: Readonly<Record<string, (peer: string) => string>> = {
  ECONNRESET: (peer) => `${peer} closed the connection`,
  EPIPE: (peer) => `${peer} closed the connection`,
  UND_ERR_SOCKET: (peer) => `${peer} closed the connection`,
  UND_ERR_HEADERS_TIMEOUT: (peer) => `${peer} did not respond in time`,
  UND_ERR_BODY_TIMEOUT: (peer) => `the response of ${peer} stopped before its end`,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: (peer) => `the response of ${peer} was cut short`,
  UND_ERR_HEADERS_OVERFLOW: (peer) => `the response headers of ${peer} are too large`,
};

/**
 * Returns the problem if the proxy refused to open a tunnel. undici reports such a refusal with a status in the message and without a code.
 */
function tunnelProblem({ message }: Error, { host, proxy }: ConnectionPeer): string | undefined {
  const status = /^Proxy response \(([0-9]+)\)/.exec(message)?.[1];
  if (status === undefined || proxy === undefined) return undefined;
  return `the proxy ${proxy} refuses connections to ${host} (${status})`;
}

/** Beginning of an advice, which ends in `=<host>` for `NO_PROXY`. */
const CHECK_PROXY = 'HTTPS_PROXY sets this proxy. Correct it, or bypass it for this host with NO_PROXY';
const ADD_AUTHORITY =
  'If you trust the issuer, set NODE_EXTRA_CA_CERTS=/path/to/ca.pem. svc always checks certificates.';
const TELL_OWNER =
  'The operator of the service or proxy must renew the certificate. Also check the clock of this machine.';
const CHECK_HOST = 'Check the base URL. A proxy may have responded instead of the service.';

const NOT_TRUSTED = ['is not signed by an authority that this machine trusts', ADD_AUTHORITY] as const;
const SELF_SIGNED = ['is self-signed', ADD_AUTHORITY] as const;
const NOT_SOUND = ['cannot be verified', TELL_OWNER] as const;

/** Problem and advice for each certificate error code of OpenSSL and Node; see "X509 certificate error codes" of Node's `tls`. */
const CERTIFICATE: Readonly<Record<string, readonly [string, string]>> = {
  ERR_TLS_CERT_ALTNAME_INVALID: ['is for another host', CHECK_HOST],
  HOSTNAME_MISMATCH: ['is for another host', CHECK_HOST],
  CERT_HAS_EXPIRED: ['has expired', TELL_OWNER],
  CERT_NOT_YET_VALID: ['is not valid yet', TELL_OWNER],
  CERT_REVOKED: ['was revoked', TELL_OWNER],
  DEPTH_ZERO_SELF_SIGNED_CERT: SELF_SIGNED,
  SELF_SIGNED_CERT_IN_CHAIN: ['has a chain that ends in a self-signed certificate', ADD_AUTHORITY],
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
