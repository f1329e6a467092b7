/** One SMTP connection that stays open while there is mail to send. It uses no credentials, since a rehearsal needs none. */
import { isLoopback } from '../../protocol/origin.ts';
import type { Mail } from '../engine/mail/mime.ts';

export interface SmtpServer {
  readonly host: string;
  readonly port: number;
}

export interface RelayFailure {
  /** True if the failure concerns the server, so that every message would fail. False if it concerns only this message. */
  readonly retry: boolean;
  readonly reason: string;
}

export interface SmtpConnection {
  /** The server as `host:port`. */
  readonly name: string;
  /** Sends a message. Returns undefined once the server has accepted it. */
  readonly send: (mail: Mail) => Promise<RelayFailure | undefined>;
  /** Closes the connection and aborts a message in progress. */
  readonly close: () => void;
}

/** Milliseconds. */
const TIMEOUTS = { connectionTimeout: 5_000, greetingTimeout: 5_000, socketTimeout: 30_000 };

/** Prepares the connection. It is opened for the first message. */
export async function connectTo({ host, port }: SmtpServer): Promise<SmtpConnection> {
  const { createTransport } = await import('nodemailer');
  const isHere = isLoopback(host);
  const transport = createTransport({
    pool: true,
    maxConnections: 1,
    maxMessages: Number.POSITIVE_INFINITY,
    // The name localhost can only mean this machine, so it is not looked up.
    host: host === 'localhost' ? '127.0.0.1' : host,
    port,
    name: 'sandbox.invalid',
    secure: false,
    ignoreTLS: isHere,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...TIMEOUTS,
  });
  // Ignores errors of an idle connection; a failing message reports its own.
  transport.on('error', () => undefined);
  const closed = new AbortController();
  const ended = new Promise<RelayFailure>((resolve) => {
    const failure = { retry: true, reason: 'the sandbox is stopping' };
    closed.signal.addEventListener('abort', () => resolve(failure), { once: true });
  });
  return {
    name: `${host}:${port}`,
    send: ({ envelope, octets }) =>
      Promise.race([
        ended,
        transport.sendMail({ envelope: { ...envelope }, raw: octets }).then(
          () => undefined,
          (error: unknown) => failureOf(error),
        ),
      ]),
    close: () => {
      closed.abort();
      transport.close();
    },
  };
}

/** Returns the failure. A 5xx response to the envelope or the message concerns only this message. Any other error concerns the server. */
function failureOf(error: unknown): RelayFailure {
  const { code, responseCode, message } = Object(error) as Readonly<Record<string, unknown>>;
  const isRefused =
    (code === 'EENVELOPE' || code === 'EMESSAGE') && typeof responseCode === 'number' && responseCode >= 500;
  return { retry: !isRefused, reason: String(message ?? error) };
}
