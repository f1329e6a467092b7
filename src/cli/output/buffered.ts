import type { OutputStream } from '../outside/context.ts';

/**
 * Collects the small writes of `writeAll` and writes them in large pieces. Waits for the stream, so that memory stays constant. Text
 * written before an error in `writeAll` is flushed too.
 * @throws the error of `writeAll`, or the stream's rejection (EPIPE)
 */
export async function withBufferedWrites(
  out: OutputStream,
  writeAll: (write: (text: string) => Promise<void>) => Promise<void>,
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
    await writeAll(write);
  } catch (error) {
    // The first failure is the one to report; a second one from the closed stream adds nothing.
    await flush().catch(() => undefined);
    throw error;
  }
  await flush();
}

const FULL = 16 * 1024;
