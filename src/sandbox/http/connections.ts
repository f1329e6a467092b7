/** Keeps clients that open connections and ask for nothing from locking out those that do. */
import type { Server } from 'node:http';
import type { Server as SecureServer } from 'node:https';
import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';

export interface Connections {
  /**
   * A request came on this connection; it is spared until the work is `done`. False where the connection was said to
   * end: what comes after a body that was not read is not to be taken for a request.
   */
  readonly begin: (socket: Socket) => boolean;
  readonly done: (socket: Socket) => void;
  /** The answer that is written now is its last. */
  readonly end: (socket: Socket) => void;
}

/** Never more than `most`: one too many takes the place of the one that has been idle for longest. With TLS once it is agreed on. */
export function limitConnections(server: Server | SecureServer, most: number): Connections {
  /** Requests at work on each. */
  const atWork = new Map<Socket, number>();
  /** Longest idle first. */
  const idle = new Set<Socket>();
  const ending = new WeakSet<Socket>();
  if (isSecure(server)) limitHandshakes(server, most);
  server.on(isSecure(server) ? 'secureConnection' : 'connection', (socket: Socket) => {
    atWork.set(socket, 0);
    socket.once('close', () => {
      atWork.delete(socket);
      idle.delete(socket);
    });
    if (atWork.size > most) {
      const [longest = socket] = idle;
      drop(longest);
    }
    if (atWork.has(socket)) idle.add(socket);
  });
  const drop = (socket: Socket): void => {
    atWork.delete(socket);
    idle.delete(socket);
    socket.destroy();
  };
  return {
    begin: (socket) => {
      if (ending.has(socket)) return false;
      const requests = atWork.get(socket);
      if (requests === undefined) return true;
      atWork.set(socket, requests + 1);
      idle.delete(socket);
      return true;
    },
    end: (socket) => {
      ending.add(socket);
    },
    done: (socket) => {
      const requests = atWork.get(socket);
      if (requests === undefined) return;
      atWork.set(socket, requests - 1);
      if (requests === 1) idle.add(socket);
    },
  };
}

const isSecure = (server: Server | SecureServer): server is SecureServer => server instanceof TlsServer;

/** Of those that have not agreed on TLS yet the oldest goes for one too many. */
function limitHandshakes(server: SecureServer, most: number): void {
  const begun = new Map<string, Socket>();
  // The socket of TLS is another object over the same connection.
  const nameOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;
  server.on('connection', (socket: Socket) => {
    const name = nameOf(socket);
    begun.set(name, socket);
    socket.once('close', () => {
      if (begun.get(name) === socket) begun.delete(name);
    });
    if (begun.size <= most) return;
    const [oldest] = begun;
    if (oldest === undefined) return;
    begun.delete(oldest[0]);
    oldest[1].destroy();
  });
  server.on('secureConnection', (socket) => begun.delete(nameOf(socket)));
}

/** Says a last word to who speaks no HTTP, and is rid of them soon, whether they close their end or not. */
export function dismiss(socket: Socket, lastWord: string): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const timer = setTimeout(() => socket.destroy(), FAREWELL_MS);
  socket.once('close', () => clearTimeout(timer));
  socket.end(lastWord);
}

const FAREWELL_MS = 1_000;
