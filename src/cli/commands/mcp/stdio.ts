/** Transports messages of the Model Context Protocol over standard input and output. */
import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { Context } from '../../outside/context.ts';

/**
 * Returns a transport over standard input and output. Its promise `ended` resolves when the client closes the input, or when a signal asks
 * svc to exit.
 */
export function stdioTransport({
  stdin,
  stdout,
  signal,
}: Pick<Context, 'stdin' | 'stdout' | 'signal'>): Transport & {
  readonly ended: Promise<void>;
} {
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
    const buffer = new ReadBuffer();
    try {
      for await (const chunk of stdin.chunks()) {
        buffer.append(Buffer.from(chunk));
        deliver(buffer);
      }
    } catch (error) {
      transport.onerror?.(error instanceof Error ? error : new Error(String(error)));
    } finally {
      end();
    }
  };
  const deliver = (buffer: ReadBuffer): void => {
    for (;;) {
      try {
        const message = buffer.readMessage();
        if (message === null) return;
        transport.onmessage?.(message);
      } catch (error) {
        // A line that is not a message is ignored. Later lines may be messages.
        transport.onerror?.(error instanceof Error ? error : new Error(String(error)));
      }
    }
  };
  return transport;
}
