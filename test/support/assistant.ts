/** `svc mcp` in this process, with the protocol's own client at its standard input and output. */
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ElicitRequestSchema, JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js';
import type { JsonSchemaValidator, jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import type { Context } from '../../src/cli/outside/context.ts';
import { main } from '../../src/main.ts';
import type { WireRequest, Transport as WireTransport } from '../../src/service/protocol/wire.ts';
import { openDemoService } from './demo-service.ts';
import { NOBODY, type Outside, outsideOf, type Run, runCli } from './run-cli.ts';
import { makeKey, type SshKey } from './ssh-keys.ts';
import { makeTemporaryFolder, removeFolder } from './temporary-folder.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into results of every shape
export type Result = any;

export interface Assistant {
  readonly client: Client;
  /** Calls a tool and returns its structured content. Fails if the text is other JSON. */
  readonly call: (name: string, given?: Record<string, unknown>, options?: RequestOptions) => Promise<Result>;
  /** Everything that the server wrote, message by message. */
  readonly wire: readonly string[];
  readonly stderr: () => string;
  /** Closes the server's input and returns the exit code. */
  readonly close: () => Promise<number>;
}

/** What a person enters when the server asks, or undefined to cancel. */
export type PersonAnswers = (question: string) => Promise<string | undefined>;

/** Starts the server. Fails with the server's errors if it does not start. @param answers if given, the client offers questions */
export async function openAssistant(
  flags: readonly string[],
  outside: Outside,
  answers?: PersonAnswers,
): Promise<Assistant> {
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
  const capabilities = answers ? { elicitation: {} } : {};
  const client = new Client(
    { name: 'test', version: '1' },
    { jsonSchemaValidator: SHARED_VALIDATOR, capabilities },
  );
  if (answers)
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
      const approval = await answers(params.message);
      return approval === undefined ? { action: 'cancel' } : { action: 'accept', content: { approval } };
    });
  try {
    await client.connect(transport);
    // The client then knows the schemas of results, and checks each result.
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

const validators = new Map<string, JsonSchemaValidator<unknown>>();

/** Compiles each schema of a result once, because all servers have the same schemas and a compilation takes long. */
const SHARED_VALIDATOR: jsonSchemaValidator = {
  getValidator: <T>(schema: Parameters<jsonSchemaValidator['getValidator']>[0]): JsonSchemaValidator<T> => {
    const text = JSON.stringify(schema);
    const validator = validators.get(text) ?? new AjvJsonSchemaValidator().getValidator(schema);
    validators.set(text, validator);
    return validator as JsonSchemaValidator<T>;
  },
};

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

/** The demo company, a campaign in a folder, a profile with signers, and Alice, who may approve. */
export interface AssistantWorld {
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly sent: readonly WireRequest[];
  readonly alice: SshKey;
  readonly key: string;
  readonly outside: Outside;
  /** Runs a command line as a person. */
  readonly svc: (...argv: readonly string[]) => Promise<Run>;
  readonly open: (...flags: readonly string[]) => Promise<Assistant>;
  readonly remove: () => Promise<void>;
}

export async function assistantWorld(): Promise<AssistantWorld> {
  const root = await makeTemporaryFolder('assistant');
  const folder = join(root, 'work');
  await cp('examples/campaign', folder, { recursive: true });
  const demo = await openDemoService();
  const sent: WireRequest[] = [];
  const transport: WireTransport = (request, signal) => {
    sent.push(request);
    return demo.transport(request, signal);
  };
  const env = {
    ...NOBODY,
    PATH: process.env['PATH'],
    SVC_CONFIG_DIR: join(root, 'config'),
    SVC_STATE_DIR: join(root, 'state'),
  };
  const outside: Outside = { cwd: folder, transport, env };
  const svc = (...argv: readonly string[]): Promise<Run> => runCli(argv, outside);
  const key = demo.admin['SVC_API_KEY'] ?? '';
  const add = [
    'profile',
    'add',
    'prod',
    '--base-url',
    'https://api.example.com',
    '--company',
    '1',
    '--user',
    '1',
  ];
  await runCli([...add, '--no-check', '--api-key-stdin'], { ...outside, stdin: key });
  const alice = await makeKey(root, 'alice');
  await writeFile(join(folder, 'team.signers'), `alice@example.com ${alice.line}\n`);
  const set = await svc('profile', 'set', 'prod', 'signers', 'team.signers');
  if (set.exitCode !== 0) throw new Error(set.stderr);
  return {
    ...{ folder, env, sent, alice, key, outside, svc },
    open: (...flags) => openAssistant(['--profile', 'prod', ...flags], outside),
    remove: () => removeFolder(root),
  };
}
