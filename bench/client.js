// Sends requests to a sandbox for benchmarks: signed requests over connections that stay open, and control operations.
import { Agent, request } from 'node:http';
import { signed } from './signed.js';

/**
 * Creates a client of a sandbox.
 * @param ready the first line of output of a sandbox, with `baseUrl` and `company`
 * @param connections the number of connections that stay open
 * @returns `{ ask, close }`. `ask(method, target, body)` resolves with `{ status, text }`.
 */
export function clientOf({ baseUrl, company }, connections = 1) {
  const { hostname, port } = new URL(baseUrl);
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const credentials = { key: company.apiKey, company: company.id, user: company.adminUserId };
  const ask = (method, target, body) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers = signed(method, target.split('?')[0], credentials);
    if (text !== undefined) {
      headers['content-type'] = 'application/json';
      headers['content-length'] = Buffer.byteLength(text);
    }
    return new Promise((resolve, reject) => {
      const sent = request({ agent, host: hostname, port, method, path: target, headers });
      sent.on('error', reject);
      sent.on('response', (answer) => {
        const chunks = [];
        answer.on('data', (chunk) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () =>
          resolve({ status: answer.statusCode, text: Buffer.concat(chunks).toString() }),
        );
      });
      sent.end(text);
    });
  };
  return { ask, close: () => agent.destroy() };
}

/** Returns the `data` of a control operation. @throws Error with the response if the sandbox refuses the operation */
export async function control({ baseUrl, controlToken }, operation, args) {
  const answer = await fetch(`${baseUrl}/control/${operation}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${controlToken}` },
    body: JSON.stringify(args),
  });
  if (!answer.ok) throw new Error(`${operation}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()).data;
}
