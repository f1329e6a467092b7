/**
 * Takes `100 Continue` out of what a socket brings. RFC 9110, 15.2: a client must be able to get one that it has not asked
 * for. undici cuts the connection instead, which would leave every POST in doubt; 102 and 103 it passes over.
 */
import type { Socket } from 'node:net';

type Read = (size?: number) => Buffer | null;
type Write = (...args: unknown[]) => boolean;

const CONTINUE = 'HTTP/1.1 100';
const HEAD_END = '\r\n\r\n';
/** Where the status of an answer begins, and its first digit where it is interim. */
const [STATUS_AT, INTERIM] = ['HTTP/1.1 '.length, 0x31];
/** A longer head of an interim answer is undici's to judge. */
const MOST_HELD = 16 * 1024;

/**
 * The same socket. One request at a time: what is read after it was written begins an answer.
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

/** What comes after interim answers of that kind; whether it may yet turn out to be another. */
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
