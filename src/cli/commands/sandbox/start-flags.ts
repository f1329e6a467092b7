/**
 * Reads flags of `svc sandbox start`: its address and TLS (contract, "The sandbox, for people and teams"), the hosts to which it may
 * connect, and the reactions of recipients. Without flags, a sandbox connects to no host.
 */

import { resolve } from 'node:path';
import type { Parsed } from '../../../kit/schema/parameter.ts';
import { readUrl } from '../../../kit/text/address.ts';
import { formatTime } from '../../../kit/text/timezone.ts';
import {
  parseRecipientReactionShares,
  type RecipientReactionShares,
} from '../../../service/protocol/control/audience.ts';
import { isLoopback } from '../../../service/protocol/wire.ts';
import type { Input } from '../../command/command.ts';
import {
  type Flag,
  type FlagShape,
  fileFlag,
  parsedFlag,
  type RawFlagValue,
  repeatableTextFlag,
  switchFlag,
} from '../../command/flag.ts';
import { UsageError } from '../../errors/errors.ts';
import type { Invocation } from '../../session/ports.ts';

const listenFlag = parsedFlag(
  'listen',
  { describe: 'Host and port to listen on, instead of 127.0.0.1 and --port', value: 'host:port' },
  (text) => parseHostAndPort(text, 0),
);
const certFlag = fileFlag('tls-cert', {
  describe: 'TLS certificate (PEM); SIGHUP reloads it',
});
const keyFlag = fileFlag('tls-key', { describe: 'Private key for --tls-cert (PEM)' });
const behindProxyFlag = switchFlag('behind-proxy', {
  describe: 'Accept plain HTTP, because a proxy in front of the sandbox handles HTTPS',
});
const allowHostFlag = hostNamesFlag(
  'allow-host',
  'Host name that clients may use for the sandbox (repeatable); the first one is in the URL that svc shows',
);

export type ListenOptions = ReturnType<typeof readListenOptions>;

/**
 * Without `listen`, the sandbox listens on loopback, at the port of `--port`. `allowHosts` has names as in URLs.
 * @throws UsageError if flags contradict each other
 */
export function readListenOptions({ context }: Invocation, input: Input, isPortGiven: boolean) {
  const listen = input.get(listenFlag);
  const [cert, key] = [input.get(certFlag), input.get(keyFlag)];
  const behindProxy = input.get(behindProxyFlag);
  const allowHosts = input.get(allowHostFlag).map(inUrl);
  if ((cert === undefined) !== (key === undefined))
    throw new UsageError(`--tls-${cert === undefined ? 'key' : 'cert'} is missing`, {
      hint: 'add both --tls-cert FILE and --tls-key FILE',
    });
  if (cert !== undefined && behindProxy)
    throw new UsageError('cannot combine --behind-proxy with --tls-cert', {
      hint: 'leave out --behind-proxy or --tls-cert',
    });
  if (listen !== undefined && isPortGiven)
    throw new UsageError('cannot combine --listen with --port', { hint: 'leave out --port' });
  if (behindProxy && allowHosts.length === 0)
    throw new UsageError('--behind-proxy needs the host name of the proxy', {
      hint: 'add --allow-host NAME',
    });
  if (listen !== undefined && !isLoopback(listen.host)) {
    if (cert === undefined && !behindProxy)
      throw new UsageError(`--listen: ${listen.host} is not a loopback address and needs TLS`, {
        hint: 'add --tls-cert FILE and --tls-key FILE, or --behind-proxy if a proxy handles HTTPS',
      });
    if (['0.0.0.0', '::'].includes(listen.host) && allowHosts.length === 0)
      throw new UsageError(`--listen: ${listen.host} needs a host name`, {
        hint: 'add --allow-host NAME; the sandbox rejects requests for other host names',
      });
  }
  const certificate =
    cert === undefined || key === undefined
      ? undefined
      : { cert: resolve(context.cwd, cert), key: resolve(context.cwd, key) };
  return { listen, certificate, behindProxy, allowHosts };
}

const inUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** @throws CertificateError if the sandbox can't use the certificate */
export async function findCertificateProblems(
  session: Invocation,
  { certificate, allowHosts, listen }: ListenOptions,
) {
  if (certificate === undefined) return [];
  const { readCertificate } = await import('../../../sandbox/http/certificate.ts');
  const { isPrivate, isFor } = readCertificate(certificate, session.context.clock.now());
  const names = allowHosts.length > 0 ? allowHosts : [listen?.host ?? '127.0.0.1'];
  const missing = names.filter((name) => !isFor(name.replace(/^\[(.*)\]$/, '$1')));
  return [
    ...missing.map(
      (name) => `The certificate is not valid for ${name}, so clients that use this name reject it.`,
    ),
    ...(isPrivate
      ? [
          'A private authority issued the certificate. To make svc trust this authority, set NODE_EXTRA_CA_CERTS to the file with its certificate. Other clients have their own setting for this.',
        ]
      : []),
  ];
}

/** @param validUntil Unix seconds */
export const certificateReloadedNote = (validUntil: number): string =>
  `Reloaded the certificate; it is valid until ${formatTime(validUntil, 'UTC', 'table')} UTC.`;

const smtpFlag = parsedFlag(
  'smtp',
  { describe: 'SMTP server on this machine that also receives all e-mail', value: 'host:port' },
  (text) => parseHostAndPort(text, 1),
);
const allowSmtpFlag = hostNamesFlag(
  'allow-smtp',
  'Allow --smtp to use this host; the host can mail real people',
);
const allowNotifyFlag = hostNamesFlag('allow-notify', 'Allow automation rules to call this host (notifyurl)');

export const CONNECTION_FLAGS: readonly FlagShape[] = [
  ...[listenFlag, certFlag, keyFlag, behindProxyFlag, allowHostFlag],
  ...[smtpFlag, allowSmtpFlag, allowNotifyFlag],
];

interface Server {
  readonly host: string;
  readonly port: number;
}

/** The names of the hosts that rules may notify are in lower case. */
export function readOutboundConnections(input: Input) {
  const allowNotify = input.get(allowNotifyFlag);
  const smtp = input.get(smtpFlag);
  if (smtp === undefined) return { allowNotify };
  const { host } = smtp;
  if (!isLoopback(host) && !input.get(allowSmtpFlag).includes(host))
    throw new UsageError(`--smtp: ${host} is not this machine and can reach people`, {
      hint: `to allow it, add --allow-smtp ${host}`,
    });
  return { smtp, allowNotify };
}

function parseHostAndPort(text: string, minPort: 0 | 1): Parsed<Server> {
  const [, name = '', digits] = /^(\[[0-9a-f:.]+\]|[^:\s]+):([0-9]{1,5})$/i.exec(text) ?? [];
  const host = hostIn(name);
  const port = Number(digits);
  if (host !== undefined && port >= minPort && port <= 65_535) return { value: { host, port } };
  return { fault: { reason: 'is not a host and a port', instead: 'write 127.0.0.1:1025' } };
}

function hostNamesFlag(name: string, describe: string): Flag<readonly string[]> {
  const texts = repeatableTextFlag(name, { describe, value: 'host' });
  const read = (given: RawFlagValue | undefined): Parsed<readonly string[]> => {
    const hosts: string[] = [];
    for (const text of [given ?? []].flat().map(String)) {
      const host = hostIn(text);
      if (host === undefined)
        return { fault: { reason: 'is not a host', sentence: `${text} is not a host` } };
      hosts.push(host);
    }
    return { value: hosts };
  };
  return { ...texts, read };
}

/** Returns the host in lower case and without brackets. */
function hostIn(text: string): string | undefined {
  const bare = /^\[(.*)\]$/.exec(text)?.[1] ?? text;
  const host = bare.includes(':') ? `[${bare}]` : bare;
  const url = /[\s/?#@\\]/.test(host) ? undefined : readUrl(`http://${host}`);
  if (url === undefined) return undefined;
  const { hostname, port } = url;
  return port === '' ? hostname.replace(/^\[(.*)\]$/, '$1') : undefined;
}

export const createAudienceFlag = (defaultText: string) =>
  parsedFlag<RecipientReactionShares | undefined>(
    'audience',
    {
      describe:
        'Reactions of the simulated recipients: lively, quiet, none, or shares such as opens=30%,clicks=4%',
      value: 'audience',
      defaultText,
    },
    (text) => {
      const read = parseRecipientReactionShares(text);
      if ('shares' in read) return { value: read.shares };
      const reason = 'is not a valid description of how many recipients react';
      return { fault: { reason, sentence: read.fault, instead: read.instead } };
    },
  );
