// Sends signed requests over 16 connections that stay open. Benchmarks of a sandbox use it as their client.
import { connect } from 'node:net';
import { signed } from './signed.js';

/** Number of connections to the server. */
export const CONNECTIONS = 16;

/**
 * Signs all requests, then sends them. Resolves with the milliseconds of each request, and for a single request also with its response.
 * @param server its `port`, or the `ports` of several servers that share the work, and the `company` that signs
 * @param wanted requests with `method`, `target` and `body`, and optionally a `company` of their own
 * @throws Error if the server refuses a request
 */
export async function load({ port, ports = [port], company }, wanted) {
  const queues = ports.map((each, at) => ({
    port: each,
    octets: wanted
      .filter((_, index) => index % ports.length === at)
      .map((request) => octetsOf({ port: each, company: request.company ?? company }, request)),
    next: 0,
  }));
  const answers = [];
  const begun = performance.now();
  const worker = (queue) =>
    new Promise((resolve, reject) => {
      const socket = connect(queue.port, '127.0.0.1').setNoDelay(true);
      let sent = 0;
      let pending = [];
      const send = () => {
        if (queue.next >= queue.octets.length) {
          socket.end();
          resolve();
          return;
        }
        sent = performance.now();
        socket.write(queue.octets[queue.next++]);
      };
      socket.once('connect', send).once('error', reject);
      socket.on('data', (chunk) => {
        pending.push(chunk);
        const answer = read(pending.length === 1 ? chunk : Buffer.concat(pending));
        if (!answer) return;
        pending = [];
        if (answer.status >= 300) reject(new Error(`status ${answer.status}: ${answer.body()}`));
        answers.push({ ms: performance.now() - sent, ...(wanted.length === 1 ? whole(answer) : {}) });
        send();
      });
    });
  const workers = Array.from({ length: Math.min(CONNECTIONS, wanted.length) }, (_, at) =>
    worker(queues[at % ports.length]),
  );
  await Promise.all(workers);
  answers.took = performance.now() - begun;
  return answers;
}

function whole({ status, body, type }) {
  return { status, body: body(), type };
}

/** Returns the response, or undefined until it is complete. Both servers send its length. */
function read(octets) {
  const end = octets.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const head = octets.latin1Slice(0, end);
  const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
  if (octets.length < end + 4 + length) return undefined;
  return {
    status: Number(head.slice(9, 12)),
    type: /content-type: ([^\r]+)/i.exec(head)?.[1],
    body: () => octets.toString('utf8', end + 4),
  };
}

/** Returns the bytes of a request. Each request has its own nonce. */
function octetsOf({ port, company }, { method, target, body }) {
  const credentials = { key: company.apiKey, company: company.id, user: company.adminUserId };
  const headers = Object.entries(signed(method, target.split('?')[0], credentials));
  const lines = [
    `${method} ${target} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ];
  if (body !== undefined)
    lines.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`);
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`);
}
