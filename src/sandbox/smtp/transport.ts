/** One SMTP connection that is kept open while there is something to send. No credentials: a rehearsal needs none. */
import { isLoopback } from '../../protocol/origin.ts';
import type { Mail } from '../engine/mail/mime.ts';

export interface SmtpServer {
  readonly host: string;
  readonly port: number;
}

export interface Failure {
  /** Whether the server, not this message, was the matter. */
  readonly retry: boolean;
  readonly reason: string;
}

export interface SmtpConnection {
  /** `host:port` */
  readonly name: string;
  /** Undefined once the server has taken the message. */
  readonly send: (mail: Mail) => Promise<Failure | undefined>;
  /** Lets go of what is under way. */
  readonly close: () => void;
}

/** Milliseconds. */
const TIMEOUTS = { connectionTimeout: 5_000, greetingTimeout: 5_000, socketTimeout: 30_000 };

/** Nothing is connected before the first message. */
export async function connectTo({ host, port }: SmtpServer): Promise<SmtpConnection> {
  const { createTransport } = await import('nodemailer');
  const isHere = isLoopback(host);
  const transport = createTransport({
    pool: true,
    maxConnections: 1,
    maxMessages: Number.POSITIVE_INFINITY,
    // What a name stands for is not looked up where it can be only this machine.
    host: host === 'localhost' ? '127.0.0.1' : host,
    port,
    name: 'sandbox.invalid',
    secure: false,
    ignoreTLS: isHere,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...TIMEOUTS,
  });
  // Of an idle connection; what matters fails with the message.
  transport.on('error', () => undefined);
  const closed = new AbortController();
  const ended = new Promise<Failure>((resolve) => {
    const failure = { retry: true, reason: 'the sandbox stops' };
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

/** A 5xx to the envelope or the message is about this one; all else is about the server. */
function failureOf(error: unknown): Failure {
  const { code, responseCode, message } = Object(error) as Readonly<Record<string, unknown>>;
  const isRefused =
    (code === 'EENVELOPE' || code === 'EMESSAGE') && typeof responseCode === 'number' && responseCode >= 500;
  return { retry: !isRefused, reason: String(message ?? error) };
}
