/** Converts a file to UTF-8. Spreadsheets write UTF-16 with a byte order mark, for example as "Unicode text". */
import { BulkError } from './errors.ts';

/**
 * Yields the octets of UTF-8 text unchanged. Converts UTF-16 with a byte order mark to UTF-8 without a byte order mark.
 * @throws BulkError for other octets
 */
export async function* toUtf8(octets: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Uint8Array> {
  let format: Format | undefined;
  let held = Buffer.alloc(0);
  for await (const chunk of octets) {
    held = Buffer.concat([held, chunk]);
    // The byte order mark has two octets.
    if (held.length < 2) continue;
    format ??= formatOf(held);
    yield* decoded(format, held, name, true);
    held = Buffer.alloc(0);
  }
  yield* decoded(format ?? formatOf(held), held, name, false);
}

interface Format {
  readonly encoding: 'UTF-8' | 'UTF-16';
  readonly decoder: InstanceType<typeof TextDecoder>;
}

function formatOf(start: Buffer): Format {
  const label = MARKS[start.subarray(0, 2).toString('hex')];
  return {
    encoding: label === undefined ? 'UTF-8' : 'UTF-16',
    decoder: new TextDecoder(label ?? 'utf-8', { fatal: true }),
  };
}

const MARKS: Readonly<Record<string, string>> = { fffe: 'utf-16le', feff: 'utf-16be' };

function* decoded(
  { encoding, decoder }: Format,
  octets: Buffer,
  name: string,
  stream: boolean,
): Generator<Uint8Array> {
  let text: string;
  try {
    text = decoder.decode(octets, { stream });
  } catch (cause) {
    throw new BulkError('input', `${name} is not ${encoding} text`, {
      hint: 'save the file as UTF-8, or convert it with iconv',
      cause,
    });
  }
  if (encoding === 'UTF-8') yield octets;
  else if (text !== '') yield Buffer.from(text);
}
