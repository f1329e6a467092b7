/** Contract, "Assistants": a message that is too large is an error of the protocol, and the server goes on (second attack L7). */
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { expect, it } from 'vitest';
import { stdioTransport } from '../../../../src/cli/commands/mcp/stdio.ts';

const PING = { jsonrpc: '2.0', id: 7, method: 'ping' } as const;
const MOST = 10 * 1024 * 1024;

/** Gives the input to a transport, in chunks of this size, and returns what it wrote and delivered. */
async function given(input: string, chunkSize = 64 * 1024) {
  const octets = Buffer.from(input);
  const written: string[] = [];
  const warned: string[] = [];
  const delivered: JSONRPCMessage[] = [];
  const transport = stdioTransport(
    {
      signal: new AbortController().signal,
      stdin: {
        isTTY: false,
        readAll: async () => '',
        async *chunks() {
          for (let at = 0; at < octets.length; at += chunkSize) yield octets.subarray(at, at + chunkSize);
        },
      },
      stdout: {
        isTTY: false,
        columns: undefined,
        write: async (text) => {
          written.push(text);
        },
      },
    },
    async (line) => {
      warned.push(line);
    },
  );
  transport.onmessage = (message) => delivered.push(message);
  await transport.start();
  await transport.ended;
  return { answers: written.map((text) => JSON.parse(text)), warned, delivered };
}

const large = 'x'.repeat(MOST);
const ERROR = { code: -32600, message: 'the message is larger than 10 MiB' };

it.each([
  [
    'a number at the end',
    `{"method":"tools/call","params":{"id":1,"a":"${large}"},"jsonrpc":"2.0","id":42}`,
    42,
  ],
  ['a text at the end', `{"method":"m","params":{"a":"${large}"},"jsonrpc":"2.0","id":"a-1"}`, 'a-1'],
  ['a number at the beginning', `{"jsonrpc":"2.0","id":42,"method":"m","params":{"a":"${large}"}}`, 42],
  ['with blanks', `{"jsonrpc": "2.0", "id": 42, "method": "m", "params": {"a": "${large}"}}`, 42],
  ['only inside the parameters', `{"method":"m","params":{"a":"${large}","id":42}}`, null],
  ['no JSON', large + large, null],
])('refuses a message over 10 MiB whose id is %s, and reads the next message', async (_, text, id) => {
  const { answers, warned, delivered } = await given(`${text}\n${JSON.stringify(PING)}\n`);
  expect(answers).toEqual([{ jsonrpc: '2.0', id, error: ERROR }]);
  expect(warned).toEqual(['svc refused a message of the client: the message is larger than 10 MiB']);
  expect(delivered).toEqual([PING]);
});

it('refuses it too if the client closes the input before its end', async () => {
  const { answers, delivered } = await given(`${JSON.stringify(PING)}\n${large}x`);
  expect([answers, delivered]).toEqual([[{ jsonrpc: '2.0', id: null, error: ERROR }], [PING]]);
});

it.each([1, 7, 64 * 1024])('reads messages in chunks of %d octets, and skips other lines', async (size) => {
  const lines = ['not JSON', '{}', '', JSON.stringify(PING), '{"jsonrpc":"2.0","method":"ü","params":{}}\r'];
  const { answers, delivered } = await given(`${lines.join('\n')}\n{"jsonrpc":"2.0"`, size);
  expect(answers).toEqual([]);
  expect(delivered).toEqual([PING, { jsonrpc: '2.0', method: 'ü', params: {} }]);
});

it('takes a message of just 10 MiB', async () => {
  const [start, end] = ['{"jsonrpc":"2.0","method":"m","params":{"a":"', '"}}'];
  const text = `${start}${'x'.repeat(MOST - start.length - end.length)}${end}`;
  expect((await given(`${text}\n`)).delivered).toHaveLength(1);
});
