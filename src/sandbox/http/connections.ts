/** Limits connections, so that idle clients can't lock out active ones. */
import type { Server } from 'node:http';
import type { Server as SecureServer } from 'node:https';
import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';

interface ConnectionLimiter {
  /**
   * Keeps the connection open until `endRequest`. Returns false if it closes after the current response: further octets are then ignored,
   * because they may be the rest of an unread body.
   */
  readonly beginRequest: (socket: Socket) => boolean;
  readonly endRequest: (socket: Socket) => void;
  /** Records that the connection closes after the current response. `beginRequest` then accepts no further request on the connection. */
  readonly markAsClosing: (socket: Socket) => void;
}

/** Limits connections: a further one closes the one that has been idle for longest, or else itself. TLS counts after its handshake. */
export function limitConnections(server: Server | SecureServer, maxConnections: number): ConnectionLimiter {
  /** Number of requests in progress on each connection. */
  const atWork = new Map<Socket, number>();
  /** Idle connections, longest idle first. */
  const idle = new Set<Socket>();
  const ending = new WeakSet<Socket>();
  if (isSecure(server)) limitHandshakes(server, maxConnections);
  server.on(isSecure(server) ? 'secureConnection' : 'connection', (socket: Socket) => {
    atWork.set(socket, 0);
    socket.once('close', () => {
      atWork.delete(socket);
      idle.delete(socket);
    });
    if (atWork.size > maxConnections) {
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
    beginRequest: (socket) => {
      if (ending.has(socket)) return false;
      const requests = atWork.get(socket);
      if (requests === undefined) return true;
      atWork.set(socket, requests + 1);
      idle.delete(socket);
      return true;
    },
    markAsClosing: (socket) => {
      ending.add(socket);
    },
    endRequest: (socket) => {
      const requests = atWork.get(socket);
      if (requests === undefined) return;
      atWork.set(socket, requests - 1);
      if (requests === 1) idle.add(socket);
    },
  };
}

const isSecure = (server: Server | SecureServer): server is SecureServer => server instanceof TlsServer;

/** Allows at most `most` unfinished TLS handshakes. When another one begins, the oldest is aborted. */
function limitHandshakes(server: SecureServer, most: number): void {
  const begun = new Map<string, Socket>();
  // A TLS socket is a different object from its connection's socket, so both are identified by the remote address.
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

/** Sends a last response to a client that does not speak HTTP, and closes the socket within a second. */
export function sendResponseAndCloseSocket(socket: Socket, response: string): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const timer = setTimeout(() => socket.destroy(), FAREWELL_MS);
  socket.once('close', () => clearTimeout(timer));
  socket.end(response);
}

const FAREWELL_MS = 1_000;
