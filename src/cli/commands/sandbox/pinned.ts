/**
 * A connection to a sandbox that speaks TLS. Its certificate is known by its fingerprint, from a file that only this user
 * and the sandbox can write: whatever authority has signed it for whatever name, it is this one or none.
 */
import { connect, type TLSSocket } from 'node:tls';

export interface Pinned {
  readonly host: string;
  readonly port: number;
  /** SHA-256 of the certificate, 64 hexadecimal characters. */
  readonly fingerprint: string;
}

/** Hands over the connection once its certificate is the one; nothing was written on it by then. */
export function openPinned(
  { host, port, fingerprint }: Pinned,
  handOver: (error: Error | null, socket: TLSSocket) => void,
): TLSSocket {
  // No name and no authority is asked for: the fingerprint says more than both.
  const socket = connect({ host, port, rejectUnauthorized: false });
  const failed = (error: Error): void => handOver(error, socket);
  socket.once('error', failed);
  socket.once('secureConnect', () => {
    socket.off('error', failed);
    const { fingerprint256 } = socket.getPeerCertificate();
    if (fingerprint256?.replaceAll(':', '').toLowerCase() === fingerprint) return handOver(null, socket);
    socket.destroy();
    const error = new Error('another certificate is shown there than that of the sandbox');
    return handOver(Object.assign(error, { code: 'CONTROL_OTHER_CERTIFICATE' }), socket);
  });
  return socket;
}
