/**
 * Removes `100 Continue` from the bytes of a socket. RFC 9110, 15.2: a client must be able to receive one even if it did not ask for it.
 * undici closes the connection instead, so that the outcome of every POST would be unknown. undici itself ignores 102 and 103.
 */
import type { Socket } from 'node:net';

type Read = (size?: number) => Buffer | null;
type Write = (...args: unknown[]) => boolean;

const CONTINUE = 'HTTP/1.1 100';
const HEAD_END = '\r\n\r\n';
/** Index of the status in a response, and the first digit of interim statuses. */
const [STATUS_AT, INTERIM] = ['HTTP/1.1 '.length, 0x31];
/** Maximum octets of an interim head that are held back. undici handles a longer head. */
const MOST_HELD = 16 * 1024;

/**
 * Returns the socket without interim responses. It expects one request at a time, so that the bytes read after a write begin a response.
 */
export function withoutContinue<S extends Socket>(socket: S): S {
  const reading = socket as unknown as { read: Read; write: Write };
  const read = reading.read.bind(socket);
  const write = reading.write.bind(socket);
  let atHead = true;
  let held: Buffer = Buffer.alloc(0);
  reading.write = (...args) => {
    atHead = true;
    return write(...args);
  };
  reading.read = (size) => {
    const chunk = read(size);
    if (chunk === null || !atHead) return chunk;
    if (held.length === 0 && (chunk[STATUS_AT] ?? INTERIM) !== INTERIM) {
      atHead = false;
      return chunk;
    }
    const cut = afterContinue(held.length === 0 ? chunk : Buffer.concat([held, chunk]));
    const isOpen = cut.mayBeContinue && cut.rest.length <= MOST_HELD && !socket.readableEnded;
    atHead = isOpen;
    held = isOpen ? cut.rest : Buffer.alloc(0);
    return isOpen ? null : cut.rest;
  };
  return socket;
}

/** Returns the bytes after the interim responses, and whether these bytes may be the beginning of another interim response. */
function afterContinue(octets: Buffer): { readonly rest: Buffer; readonly mayBeContinue: boolean } {
  let rest = octets;
  for (;;) {
    const begin = rest.toString('latin1', 0, CONTINUE.length).replace('HTTP/1.0', 'HTTP/1.1');
    if (begin !== CONTINUE) return { rest, mayBeContinue: CONTINUE.startsWith(begin) };
    const end = rest.indexOf(HEAD_END);
    if (end === -1) return { rest, mayBeContinue: true };
    rest = rest.subarray(end + HEAD_END.length);
  }
}
