import type { OutputStream } from '../outside/context.ts';

/**
 * Lets `body` write many small pieces and hands them on in large ones; waits for the stream, so that memory stays
 * constant. What was written before an error in `body` is handed on too.
 * @throws what `body` throws, and what the stream rejects with (EPIPE)
 */
export async function buffered(
  out: OutputStream,
  body: (write: (text: string) => Promise<void>) => Promise<void>,
): Promise<void> {
  let pending: string[] = [];
  let size = 0;
  const flush = async (): Promise<void> => {
    const text = pending.join('');
    pending = [];
    size = 0;
    if (text !== '') await out.write(text);
  };
  const write = async (text: string): Promise<void> => {
    pending.push(text);
    size += text.length;
    if (size >= FULL) await flush();
  };
  try {
    await body(write);
  } catch (error) {
    // The first failure is the one to tell; that the reader is gone too adds nothing.
    await flush().catch(() => undefined);
    throw error;
  }
  await flush();
}

const FULL = 16 * 1024;
