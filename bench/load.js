// Signed requests from 16 connections that stay open: the client of the benches that ask a sandbox.
import { connect } from 'node:net';
import { signed } from './signed.js';

/** What `sandbox` serves is asked by as many connections. */
export const CONNECTIONS = 16;

/**
 * Sends all, signed beforehand, and resolves with what was answered; throws where one was refused.
 * @param server its `port`, or the `ports` of several that share the work, and the `company` that signs
 * @param wanted each with its `method`, `target` and `body`, and a `company` of its own where it has one
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

/** The answer, once all of it is there; it has a length, since both servers give one. */
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

/** Each request has a nonce of its own. */
function octetsOf({ port, company }, { method, target, body }) {
  const who = { key: company.apiKey, company: company.id, user: company.adminUserId };
  const headers = Object.entries(signed(method, target.split('?')[0], who));
  const lines = [
    `${method} ${target} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ];
  if (body !== undefined)
    lines.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`);
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`);
}
