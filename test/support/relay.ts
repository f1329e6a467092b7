/** Passes requests on to a sandbox, from a server that a test disturbs. */
import { type IncomingMessage, request } from 'node:http';

export interface Forwarded {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: Buffer;
}

export async function bodyOf(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Sends a request to the sandbox over a separate connection, which is not closed too soon. Returns the whole response. */
export function forward(baseUrl: string, incoming: IncomingMessage, body: Buffer): Promise<Forwarded> {
  const { host: _, connection: __, 'transfer-encoding': ___, ...headers } = incoming.headers;
  return new Promise((resolve, reject) => {
    const asked = request(
      new URL(incoming.url ?? '/', baseUrl),
      { method: incoming.method ?? 'GET', headers, agent: false },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () => {
          const {
            connection: ____,
            'keep-alive': _____,
            'transfer-encoding': ______,
            ...kept
          } = answer.headers;
          resolve({ status: answer.statusCode ?? 0, headers: kept, body: Buffer.concat(chunks) });
        });
      },
    );
    asked.on('error', reject);
    asked.end(body);
  });
}
