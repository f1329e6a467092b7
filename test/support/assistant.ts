/** `svc mcp` in this process, with the protocol's own client at its standard input and output. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Context } from '../../src/cli/outside/context.ts';
import { main } from '../../src/main.ts';
import { type Outside, outsideOf } from './run-cli.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into results of every shape
export type Result = any;

export interface Assistant {
  readonly client: Client;
  /** Calls a tool and returns its structured content. Fails where the text is other JSON. */
  readonly call: (name: string, given?: Record<string, unknown>, options?: RequestOptions) => Promise<Result>;
  /** Everything that the server wrote, message by message. */
  readonly wire: readonly string[];
  readonly stderr: () => string;
  /** Closes the server's input and returns the exit code. */
  readonly close: () => Promise<number>;
}

/** Starts the server. Fails with its errors where it does not start. */
export async function openAssistant(flags: readonly string[], outside: Outside): Promise<Assistant> {
  const { context, readStderr } = outsideOf(outside);
  const input = lines();
  const wire: string[] = [];
  const own: { transport?: Transport } = {};
  const running = main(['mcp', ...flags], {
    ...context,
    stdin: { isTTY: false, readAll: async () => '', chunks: () => input.read() },
    stdout: {
      isTTY: false,
      columns: undefined,
      write: async (text) => {
        wire.push(text);
        own.transport?.onmessage?.(JSONRPCMessageSchema.parse(JSON.parse(text)));
      },
    },
  } satisfies Context);
  let ended = false;
  void running.then(() => {
    ended = true;
    own.transport?.onclose?.();
  });
  const transport: Transport = {
    start: async () => undefined,
    send: async (message) => input.push(`${JSON.stringify(message)}\n`),
    close: async () => input.end(),
  };
  own.transport = transport;
  const client = new Client({ name: 'test', version: '1' });
  try {
    await client.connect(transport);
    // Then the client knows the schemas of results, and checks each.
    await client.listTools();
  } catch (error) {
    input.end();
    throw new Error(`exit ${await running}: ${readStderr()}`, { cause: error });
  }
  return {
    client,
    wire,
    stderr: readStderr,
    call: async (name, given = {}, options = {}) => {
      const { content, structuredContent } = await client.callTool(
        { name, arguments: given },
        undefined,
        options,
      );
      const [{ text = '' } = {}] = content as { text?: string }[];
      if (text !== JSON.stringify(structuredContent)) throw new Error(`the text of ${name} is other JSON`);
      return structuredContent;
    },
    close: async () => {
      if (!ended) await client.close();
      return running;
    },
  };
}

function lines() {
  const waiting: Uint8Array[] = [];
  let wake: () => void = () => undefined;
  let isOver = false;
  return {
    push: (text: string): void => {
      waiting.push(Buffer.from(text));
      wake();
    },
    end: (): void => {
      isOver = true;
      wake();
    },
    read: async function* (): AsyncGenerator<Uint8Array> {
      for (;;) {
        const next = waiting.shift();
        if (next) yield next;
        else if (isOver) return;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    },
  };
}
