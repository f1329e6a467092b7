/** The certificate that a service shows, for who wants to know before it ends. Nothing is sent to it but the handshake. */
import { request } from 'node:http';
import { request as secureRequest } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { connect, type DetailedPeerCertificate, rootCertificates, type TLSSocket } from 'node:tls';
import { failureOf, hostAndPort } from '../failures.ts';

export interface ShownCertificate {
  /** Unix seconds. */
  readonly validUntil: number;
  /** The name of the authority at the end of its chain. */
  readonly authority: string;
  /** That authority is none of those that Node brings along. */
  readonly isPrivate: boolean;
  /** Why it isn't trusted, and what to do; undefined where it is. */
  readonly problem?: { readonly words: string; readonly advice: string | undefined } | undefined;
}

export interface CertificateOptions {
  /** Of the proxy that a tunnel goes through. */
  readonly proxy?: string | undefined;
  /** PEM certificates that are trusted beside the usual ones. */
  readonly ca?: string | undefined;
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 10_000;

/**
 * One connection, closed at once. Undefined where none comes about: the first request says why.
 * @param origin https
 */
export async function certificateOf(
  origin: string,
  options: CertificateOptions = {},
): Promise<ShownCertificate | undefined> {
  let open: Socket | undefined;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), options.timeoutMs ?? TIMEOUT_MS);
  });
  try {
    const looking = look(origin, options, (socket) => {
      open = socket;
    });
    return await Promise.race([looking, late]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
    open?.destroy();
  }
}

/**
 * @param opened told of what has to be destroyed: of a tunnel and TLS over it TLS alone, which takes the tunnel along. Node 20
 *   crashes where the tunnel goes first.
 */
async function look(
  origin: string,
  { proxy, ca }: CertificateOptions,
  opened: (socket: Socket) => void,
): Promise<ShownCertificate> {
  const { hostname, port } = new URL(origin);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const tunnel = proxy === undefined ? undefined : await tunnelTo(hostAndPort(origin), proxy);
  if (tunnel) opened(tunnel);
  const socket = await new Promise<TLSSocket>((resolve, reject) => {
    const tls = connect({
      ...(tunnel ? { socket: tunnel } : { host, port: Number(port || 443) }),
      ...(isIP(host) ? {} : { servername: host }),
      ...(ca === undefined ? {} : { ca: [...rootCertificates, ca] }),
      // It is looked at, whatever it is; nothing else goes over this connection.
      rejectUnauthorized: false,
    });
    opened(tls);
    tls.on('error', reject);
    tls.once('secureConnect', () => resolve(tls));
  });
  const shown = socket.getPeerCertificate(true);
  const top = topOf(shown);
  const { authorizationError } = socket;
  return {
    validUntil: Math.floor(Date.parse(shown.valid_to) / 1000),
    authority: nameIn(top),
    isPrivate: !rootCertificates.some((pem) => isSame(pem, top)),
    problem: socket.authorized ? undefined : problemOf(authorizationError, origin, proxy),
  };
}

/** Node gives a code, a text, or an error with a code, whatever its types say. */
function problemOf(found: unknown, origin: string, proxy: string | undefined): ShownCertificate['problem'] {
  const error =
    found instanceof Error ? found : Object.assign(new Error(String(found)), { code: String(found) });
  const peer = { host: hostAndPort(origin), proxy: proxy === undefined ? undefined : hostAndPort(proxy) };
  const { words, advice } = failureOf(error, peer);
  return { words, advice };
}

/** A certificate that signed itself is its own issuer. */
function topOf(certificate: DetailedPeerCertificate): DetailedPeerCertificate {
  let top = certificate;
  for (let depth = 0; depth < 20; depth += 1) {
    const { issuerCertificate: next } = top;
    if (!next || next.fingerprint256 === top.fingerprint256) return top;
    top = next;
  }
  return top;
}

function nameIn({ issuer }: DetailedPeerCertificate): string {
  const { CN, O } = issuer ?? {};
  return [CN ?? O ?? 'an authority without a name'].flat().join(', ');
}

const isSame = (pem: string, { raw }: DetailedPeerCertificate): boolean =>
  raw !== undefined && pem.replace(/-----[A-Z ]+-----|\s/g, '') === raw.toString('base64');

/** CONNECT, as for the requests themselves. */
function tunnelTo(target: string, proxy: string): Promise<Socket> {
  const { protocol, hostname, port, username, password } = new URL(proxy);
  const send = protocol === 'https:' ? secureRequest : request;
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const headers = {
    host: target,
    ...(username === ''
      ? {}
      : { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` }),
  };
  return new Promise((resolve, reject) => {
    const asked = send({
      ...{ host: hostname.replace(/^\[(.*)\]$/, '$1'), port: port || (protocol === 'https:' ? 443 : 80) },
      ...{ method: 'CONNECT', path: target, headers, agent: false as const },
    });
    asked.once('connect', ({ statusCode }, socket: Socket) => {
      if (statusCode === 200) return resolve(socket);
      socket.destroy();
      return reject(new Error(`the proxy answered ${statusCode}`));
    });
    asked.once('response', ({ statusCode }) => {
      asked.destroy();
      reject(new Error(`the proxy answered ${statusCode}`));
    });
    asked.once('error', reject);
    asked.end();
  });
}
