/**
 * Removes `100 Continue` from the bytes of a socket. RFC 9110, 15.2: a client must be able to receive one that it did not request. undici
 * closes the connection instead, which would leave every POST in doubt. It ignores 102 and 103 by itself.
 */
import type { Socket } from 'node:net';

type Read = (size?: number) => Buffer | null;
type Write = (...args: unknown[]) => boolean;

const CONTINUE = 'HTTP/1.1 100';
const HEAD_END = '\r\n\r\n';
/** Index of the status in a response, and its first digit if it is interim. */
const [STATUS_AT, INTERIM] = ['HTTP/1.1 '.length, 0x31];
/** Octets of an interim head that are held back. A longer head is left to undici. */
const MOST_HELD = 16 * 1024;

/** Returns the same socket without interim responses. It expects one request at a time: bytes read after a write begin a response. */
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

/** Returns the bytes after the interim responses, and whether they may yet turn out to be another one. */
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
