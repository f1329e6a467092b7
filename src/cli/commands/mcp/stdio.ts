/** Transport of the Model Context Protocol: one message on each line. */
import { deserializeMessage, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import type { Context } from '../../outside/context.ts';

/** A longer message is refused with an error of the protocol, and the server goes on. */
const MAX_MESSAGE_OCTETS = 10 * 1024 * 1024;

/** `ended` resolves when the client closes the input, or when a signal asks svc to exit. */
export function stdioTransport(
  { stdin, stdout, signal }: Pick<Context, 'stdin' | 'stdout' | 'signal'>,
  warn: (line: string) => Promise<void>,
): Transport & { readonly ended: Promise<void> } {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const transport: Transport & { readonly ended: Promise<void> } = {
    ended,
    start: async () => {
      signal.addEventListener('abort', end, { once: true });
      void read();
    },
    send: (message) => stdout.write(serializeMessage(message)),
    close: async () => {
      end();
      transport.onclose?.();
    },
  };
  const read = async (): Promise<void> => {
    try {
      for await (const line of linesOf(stdin.chunks())) {
        if (typeof line === 'string') deliver(line);
        else await refuse(line);
      }
    } catch (error) {
      transport.onerror?.(error instanceof Error ? error : new Error(String(error)));
    } finally {
      end();
    }
  };
  const deliver = (line: string): void => {
    try {
      transport.onmessage?.(deserializeMessage(line));
    } catch (error) {
      // A line that is not a message is ignored. Later lines may be messages.
      transport.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  };
  const refuse = async (line: TooLongLine): Promise<void> => {
    const message = `the message is larger than ${MAX_MESSAGE_OCTETS / 1024 / 1024} MiB`;
    const error = { code: ErrorCode.InvalidRequest, message };
    await stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: idIn(line), error })}\n`);
    await warn(`svc refused a message of the client: ${message}`).catch(() => undefined);
  };
  return transport;
}

/** At most `KEPT_LENGTH` octets each. */
interface TooLongLine {
  readonly beginning: string;
  readonly end: string;
}

const KEPT_LENGTH = 1024;
const LINE_FEED = 10;

/** Ignores an incomplete last line, but returns it if it is too long. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string | TooLongLine> {
  let line = createLine();
  for await (const chunk of chunks) {
    let from = 0;
    for (let to = chunk.indexOf(LINE_FEED); to >= 0; to = chunk.indexOf(LINE_FEED, from)) {
      line.add(Buffer.from(chunk.subarray(from, to)));
      yield line.content();
      line = createLine();
      from = to + 1;
    }
    line.add(Buffer.from(chunk.subarray(from)));
  }
  const rest = line.content();
  if (typeof rest !== 'string') yield rest;
}

/** Keeps only the beginning and the end of a line that is longer than a message may be. */
function createLine(): {
  readonly add: (part: Buffer) => void;
  readonly content: () => string | TooLongLine;
} {
  let parts: Buffer[] = [];
  let length = 0;
  let [beginning, end] = ['', ''];
  return {
    add: (part) => {
      length += part.length;
      beginning += part.toString('latin1', 0, KEPT_LENGTH - beginning.length);
      end = (end + part.toString('latin1', Math.max(0, part.length - KEPT_LENGTH))).slice(-KEPT_LENGTH);
      if (length <= MAX_MESSAGE_OCTETS) parts.push(part);
      else parts = [];
    },
    content: () =>
      length <= MAX_MESSAGE_OCTETS ? Buffer.concat(parts).toString('utf8') : { beginning, end },
  };
}

/** Clients write the id at the beginning or at the end of a message. Null if it is elsewhere. */
function idIn({ beginning, end }: TooLongLine): string | number | null {
  const found =
    /^\{(?:"jsonrpc": ?"2\.0", ?)?"id": ?("[\w-]{1,100}"|[0-9]{1,15}),/.exec(beginning) ??
    /, ?"id": ?("[\w-]{1,100}"|[0-9]{1,15})\}\r?$/.exec(end);
  return found?.[1] === undefined ? null : JSON.parse(found[1]);
}
