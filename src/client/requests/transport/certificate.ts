/** Reads the certificate of a service with only the TLS handshake, so that svc can warn before it expires. */
import { request } from 'node:http';
import { request as secureRequest } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { connect, type DetailedPeerCertificate, rootCertificates, type TLSSocket } from 'node:tls';
import { hostAndPort } from '../../../service/protocol/wire.ts';
import { failureOf } from '../failures.ts';

export interface ServerCertificate {
  readonly validUntil: number;
  readonly authority: string;
  readonly isPrivate: boolean;
  /** Undefined if it is trusted. */
  readonly problem?: { readonly words: string; readonly advice: string | undefined } | undefined;
}

interface CertificateOptions {
  /** Undefined for a direct connection. */
  readonly proxy?: string | undefined;
  /** PEM certificates that are trusted in addition to the usual ones. */
  readonly ca?: string | undefined;
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 10_000;

/**
 * Returns undefined if the connection fails; the first request reports why.
 * @param origin scheme, host and port of an https URL
 */
export async function fetchServerCertificate(
  origin: string,
  options: CertificateOptions = {},
): Promise<ServerCertificate | undefined> {
  let open: Socket | undefined;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), options.timeoutMs ?? TIMEOUT_MS);
  });
  try {
    const reading = readCertificate(origin, options, (socket) => {
      open = socket;
    });
    return await Promise.race([reading, late]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
    open?.destroy();
  }
}

/**
 * @param opened called with each socket that this function opens. The caller must destroy only the last of these sockets. If the connection
 * goes through a tunnel of a proxy, the last one is the TLS socket, and its end also closes the tunnel. Node 20 crashes if the tunnel is
 * destroyed first.
 */
async function readCertificate(
  origin: string,
  { proxy, ca }: CertificateOptions,
  opened: (socket: Socket) => void,
): Promise<ServerCertificate> {
  const { hostname, port } = new URL(origin);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const tunnel = proxy === undefined ? undefined : await tunnelTo(hostAndPort(origin), proxy);
  if (tunnel) opened(tunnel);
  const socket = await new Promise<TLSSocket>((resolve, reject) => {
    const tls = connect({
      ...(tunnel ? { socket: tunnel } : { host, port: Number(port || 443) }),
      ...(isIP(host) ? {} : { servername: host }),
      ...(ca === undefined ? {} : { ca: [...rootCertificates, ca] }),
      // The certificate is read whether or not it is trusted. Nothing else goes over this connection.
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

/** @param found the code, the text or the error that Node reports */
function problemOf(found: unknown, origin: string, proxy: string | undefined): ServerCertificate['problem'] {
  const error =
    found instanceof Error ? found : Object.assign(new Error(String(found)), { code: String(found) });
  const peer = { host: hostAndPort(origin), proxy: proxy === undefined ? undefined : hostAndPort(proxy) };
  const { words, advice } = failureOf(error, peer);
  return { words, advice };
}

/** A self-signed certificate ends the chain, because the certificate is its own issuer. */
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

function tunnelTo(target: string, proxy: string): Promise<Socket> {
  const { protocol, hostname, port, username, password } = new URL(proxy);
  const send = protocol === 'https:' ? secureRequest : request;
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return new Promise((resolve, reject) => {
    const asked = send({
      ...{ host: hostname.replace(/^\[(.*)\]$/, '$1'), port: port || (protocol === 'https:' ? 443 : 80) },
      ...{ method: 'CONNECT', path: target, headers: { host: target }, agent: false as const },
    });
    // Not in `headers`: with NODE_DEBUG=http or net, Node prints the options of a request on stderr.
    if (username !== '')
      asked.setHeader('proxy-authorization', `Basic ${Buffer.from(credentials).toString('base64')}`);
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
