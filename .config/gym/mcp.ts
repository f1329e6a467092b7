/** `svc mcp` as a program, and the requests of a driver to it. */
import type { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

export interface McpConnection {
  readonly instructions: string;
  readonly tools: () => Promise<unknown>;
  /** Returns the structured content of the answer. */
  readonly call: (
    name: string,
    given: Readonly<Record<string, unknown>>,
  ) => Promise<Readonly<Record<string, unknown>>>;
  readonly close: () => Promise<void>;
}

interface Reply {
  readonly id?: number;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly message: string };
}

export async function openMcp(child: ReturnType<typeof spawn>): Promise<McpConnection> {
  const { stdin, stdout, stderr } = child;
  if (!stdin || !stdout) throw new Error('svc mcp has no stdin or stdout');
  const waiting = new Map<number, (reply: Reply) => void>();
  let said = '';
  stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  createInterface({ input: stdout }).on('line', (line) => {
    const reply = JSON.parse(line) as Reply;
    if (reply.id !== undefined) waiting.get(reply.id)?.(reply);
  });
  const closed = new Promise<void>((resolve) => {
    child.on('close', () => {
      for (const answer of waiting.values()) answer({ error: { message: `svc mcp ended: ${said}` } });
      resolve();
    });
  });
  let last = 0;
  const send = (message: object): void => {
    stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  };
  const request = async (method: string, params: object): Promise<Readonly<Record<string, unknown>>> => {
    last += 1;
    const id = last;
    const { result, error } = await new Promise<Reply>((resolve) => {
      waiting.set(id, resolve);
      send({ id, method, params });
    });
    if (result === undefined) throw new Error(error?.message ?? `no answer to ${method}`);
    return result;
  };
  const { instructions } = await request('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'gym', version: '1' },
  });
  send({ method: 'notifications/initialized' });
  return {
    instructions: String(instructions ?? ''),
    tools: async () => (await request('tools/list', {}))['tools'],
    call: async (name, given) => {
      const { structuredContent, content } = await request('tools/call', { name, arguments: given });
      return (structuredContent ?? { ok: false, content }) as Readonly<Record<string, unknown>>;
    },
    close: async () => {
      stdin.end();
      await closed;
    },
  };
}
