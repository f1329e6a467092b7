/** Reads the flags that name the hosts to which a sandbox may connect. Without flags, a sandbox connects to no host. */

import { isLoopback } from '../../../protocol/wire.ts';
import type { Parsed } from '../../../schema/parameter.ts';
import { readUrl } from '../../../text/address.ts';
import type { Input } from '../../command/command.ts';
import {
  type Flag,
  type FlagShape,
  parsedFlag,
  type RawFlagValue,
  repeatableTextFlag,
} from '../../command/flag.ts';
import { UsageError } from '../../errors/errors.ts';

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

export const OUTBOUND_FLAGS: readonly FlagShape[] = [smtpFlag, allowSmtpFlag, allowNotifyFlag];

interface Server {
  readonly host: string;
  readonly port: number;
}

/** Hosts to which the sandbox may connect. */
export interface OutboundConnections {
  readonly smtp?: Server;
  /** Names of the hosts that rules may notify, in lower case. */
  readonly allowNotify: readonly string[];
}

export function readOutboundConnections(input: Input): OutboundConnections {
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

/** Parses a host and a port. @param minPort the lowest valid port */
export function parseHostAndPort(text: string, minPort: 0 | 1): Parsed<Server> {
  const [, name = '', digits] = /^(\[[0-9a-f:.]+\]|[^:\s]+):([0-9]{1,5})$/i.exec(text) ?? [];
  const host = hostIn(name);
  const port = Number(digits);
  if (host !== undefined && port >= minPort && port <= 65_535) return { value: { host, port } };
  return { fault: { reason: 'is not a host and a port', instead: 'write 127.0.0.1:1025' } };
}

/** Declares a repeatable flag whose values are host names or IP addresses. */
export function hostNamesFlag(name: string, describe: string): Flag<readonly string[]> {
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

/** Returns the host in lower case and without brackets, or undefined if the text is not a host. */
function hostIn(text: string): string | undefined {
  const bare = /^\[(.*)\]$/.exec(text)?.[1] ?? text;
  const host = bare.includes(':') ? `[${bare}]` : bare;
  const url = /[\s/?#@\\]/.test(host) ? undefined : readUrl(`http://${host}`);
  if (url === undefined) return undefined;
  const { hostname, port } = url;
  return port === '' ? hostname.replace(/^\[(.*)\]$/, '$1') : undefined;
}
