/** Names for failed connections, with advice for each. */

export interface Failure {
  readonly words: string;
  readonly timedOut: boolean;
  /** True if another attempt would fail the same way. */
  readonly isFinal: boolean;
  /** True if the address refused the connection. */
  readonly isRefused?: boolean | undefined;
  readonly advice?: string | undefined;
}

/** The other end of the connection, as shown to a person: `api.example.com:443`. */
export interface Peer {
  readonly host: string;
  /** Proxy in between, such as `proxy.example:3128`. A failed connection is then a failed connection to the proxy. */
  readonly proxy?: string | undefined;
}

/** Returns host and port. A URL omits the default port; this adds it. */
export function hostAndPort(url: string): string {
  const { hostname, port, protocol } = new URL(url);
  return `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`;
}

export function failureOf(error: Error, peer: Peer): Failure {
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

/** Returns the error code. Behind a proxy, undici wraps a certificate error in an error of its own. */
function codeOf(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  const inner = error.cause instanceof Error ? (error.cause as NodeJS.ErrnoException).code : undefined;
  return inner !== undefined && inner in CERTIFICATE ? inner : String(code ?? '');
}

const TIMEOUTS = ['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'ETIMEDOUT'];

const nameOf = ({ host, proxy }: Peer): string =>
  proxy === undefined ? host : `${host} by the proxy ${proxy}`;

function wordsFor(code: string, peer: Peer): string | undefined {
  const first = peer.proxy === undefined ? peer.host : `the proxy ${peer.proxy}`;
  if (/^HPE_/.test(code)) return `${nameOf(peer)} answered with something other than HTTP`;
  if (NO_TLS.test(code)) return `TLS: ${nameOf(peer)} doesn't speak it`;
  return NO_CONNECTION[code]?.(first) ?? BROKEN[code]?.(nameOf(peer));
}

/** Codes for an https address whose server does not speak TLS, most often a plain http server. */
const NO_TLS = /^(?:ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)|EPROTO)$/;

const NO_CONNECTION: Readonly<Record<string, (first: string) => string>> = {
  ENOTFOUND: (first) => `the name of the host is not known: ${first}`,
  EAI_AGAIN: (first) => `the name of the host could not be looked up: ${first}`,
  ECONNREFUSED: (first) => `the connection to ${first} was refused`,
  EHOSTUNREACH: (first) => `there is no way to ${first}`,
  ENETUNREACH: (first) => `there is no way to the network of ${first}`,
  ETIMEDOUT: (first) => `no connection to ${first} came about in time`,
  UND_ERR_CONNECT_TIMEOUT: (first) => `no connection to ${first} came about in time`,
};

const BROKEN: Readonly<Record<string, (peer: string) => string>> = {
  ECONNRESET: (peer) => `the connection to ${peer} was cut`,
  EPIPE: (peer) => `the connection to ${peer} was cut`,
  UND_ERR_SOCKET: (peer) => `the connection to ${peer} was cut`,
  UND_ERR_HEADERS_TIMEOUT: (peer) => `no answer of ${peer} came in time`,
  UND_ERR_BODY_TIMEOUT: (peer) => `the answer of ${peer} stopped half-way`,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: (peer) => `the answer of ${peer} was cut short`,
  UND_ERR_HEADERS_OVERFLOW: (peer) => `the head of the answer of ${peer} is too large`,
};

/** Returns the problem if the proxy opened no tunnel. undici reports that with a status in the message and without a code. */
function tunnelProblem({ message }: Error, { host, proxy }: Peer): string | undefined {
  const status = /^Proxy response \(([0-9]+)\)/.exec(message)?.[1];
  if (status === undefined || proxy === undefined) return undefined;
  return `the proxy ${proxy} lets nobody through to ${host} (${status})`;
}

/** Completed with `=<host>`. */
const CHECK_PROXY =
  'HTTPS_PROXY names that proxy: correct it where it is wrong. What can be reached without one goes past it with NO_PROXY';
const ADD_AUTHORITY =
  'If you trust who signed it, NODE_EXTRA_CA_CERTS=/path/to/ca.pem adds that certificate. svc never goes on without the check.';
const TELL_OWNER =
  'Those who run the service, or the proxy before it, have to renew it. Check the clock of this machine too.';
const CHECK_HOST = 'Check the base URL; a proxy on the way may have answered in place of the service.';

const NOT_TRUSTED = ['is signed by nobody whom this machine trusts', ADD_AUTHORITY] as const;
const SELF_SIGNED = ['is self-signed', ADD_AUTHORITY] as const;
const NOT_SOUND = ['can not be verified', TELL_OWNER] as const;

/** Problems by the codes of OpenSSL and Node; see "X509 certificate error codes" of Node's `tls`. */
const CERTIFICATE: Readonly<Record<string, readonly [string, string]>> = {
  ERR_TLS_CERT_ALTNAME_INVALID: ['is for another host', CHECK_HOST],
  HOSTNAME_MISMATCH: ['is for another host', CHECK_HOST],
  CERT_HAS_EXPIRED: ['has expired', TELL_OWNER],
  CERT_NOT_YET_VALID: ['is not valid yet', TELL_OWNER],
  CERT_REVOKED: ['was revoked', TELL_OWNER],
  DEPTH_ZERO_SELF_SIGNED_CERT: SELF_SIGNED,
  SELF_SIGNED_CERT_IN_CHAIN: ['has a chain that ends in a self-signed one', ADD_AUTHORITY],
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
