/**
 * A service that appears not to be on loopback: `https://service.test` through a CONNECT proxy on this machine. Its certificate is from a
 * private CA (NODE_EXTRA_CA_CERTS).
 */
import { readFileSync } from 'node:fs';
import {
  createServer as createProxy,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { METHODS } from '../../src/kit/schema/resource.ts';
import type { Transport } from '../../src/service/protocol/wire.ts';
import { authorityIn } from './certificates.ts';

export interface HttpsService {
  /** The variables that a process needs to reach the service, and no others. */
  readonly env: Readonly<Record<string, string>>;
  readonly close: () => Promise<void>;
}

/**
 * @param folder the folder in which openssl makes key and certificate
 * @param days the validity of the certificate; below 0 it has expired
 */
export async function httpsService(folder: string, handle: Transport, days = 2): Promise<HttpsService> {
  const { ca, issue } = authorityIn(folder);
  const files = issue('service', 'DNS:service.test', days);
  const [key, cert] = [readFileSync(files.key), readFileSync(files.cert)];
  const server = createServer({ key, cert, keepAliveTimeout: 0 }, listenerOf(handle));
  const port = await listening(server);
  const proxy = createProxy();
  proxy.on('connect', (_, client) => {
    const upstream = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    });
    for (const socket of [client, upstream]) socket.on('error', () => socket.destroy());
  });
  const proxyPort = await listening(proxy);
  return {
    env: {
      SVC_BASE_URL: 'https://service.test',
      HTTPS_PROXY: `http://127.0.0.1:${proxyPort}`,
      NODE_EXTRA_CA_CERTS: ca,
    },
    close: async () => {
      server.closeAllConnections();
      proxy.closeAllConnections();
      await Promise.all([server, proxy].map((each) => new Promise((done) => each.close(done))));
    },
  };
}

/** Serves the requests at a socket by `handle`. */
export const listenerOf =
  (handle: Transport): RequestListener =>
  async (incoming, outgoing) => {
    const [path = '', query = ''] = (incoming.url ?? '').split('?');
    const method = METHODS.find((each) => each === incoming.method) ?? 'GET';
    const headers = Object.fromEntries(
      Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
    );
    const body = await textOf(incoming);
    const answer = await handle({ method, path, query, headers, ...(body === '' ? {} : { body }) });
    outgoing.writeHead(answer.status, { ...answer.headers });
    outgoing.end(answer.body);
  };

async function textOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function listening(server: Server): Promise<number> {
  return new Promise((done) => {
    server.listen(0, '127.0.0.1', () => done((server.address() as AddressInfo).port));
  });
}
