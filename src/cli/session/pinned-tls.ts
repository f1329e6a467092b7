/**
 * Opens a TLS connection to a sandbox. The certificate is verified by its fingerprint, from a file that only this user and the sandbox can
 * write. The certificate's authority and host names are not checked.
 */
import { connect, type TLSSocket } from 'node:tls';

interface PinnedCertificateAddress {
  readonly host: string;
  readonly port: number;
  /** SHA-256 of the certificate, 64 hexadecimal characters. */
  readonly fingerprint: string;
}

/** Opens the connection and passes it to `handOver` after the certificate has matched. Nothing is sent before the match. */
export function openPinnedTlsConnection(
  { host, port, fingerprint }: PinnedCertificateAddress,
  handOver: (error: Error | null, socket: TLSSocket) => void,
): TLSSocket {
  // Names and authorities are not checked, because the fingerprint is stricter than both.
  const socket = connect({ host, port, rejectUnauthorized: false });
  const failed = (error: Error): void => handOver(error, socket);
  socket.once('error', failed);
  socket.once('secureConnect', () => {
    socket.off('error', failed);
    const { fingerprint256 } = socket.getPeerCertificate();
    if (fingerprint256?.replaceAll(':', '').toLowerCase() === fingerprint) return handOver(null, socket);
    socket.destroy();
    const error = new Error('the server at the address of the sandbox has a different certificate');
    return handOver(Object.assign(error, { code: 'CONTROL_OTHER_CERTIFICATE' }), socket);
  });
  return socket;
}
