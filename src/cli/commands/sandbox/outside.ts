/** Reads the flags that name the hosts to which a sandbox may connect. Without flags, a sandbox connects to no host. */

import { isLoopback } from '../../../protocol/origin.ts';
import { readUrl } from '../../../text/url.ts';
import type { Input } from '../../command/command.ts';
import {
  type Flag,
  type FlagShape,
  type Given,
  type Parsed,
  parsedFlag,
  textsFlag,
} from '../../command/flag.ts';
import { UsageError } from '../../errors/errors.ts';

const smtpFlag = parsedFlag(
  'smtp',
  { describe: 'Local SMTP server that also receives all e-mail', value: 'host:port' },
  (text) => serverIn(text, 1),
);
const allowSmtpFlag = hostsFlag('allow-smtp', 'Allow this host for --smtp; it can reach people');
const allowNotifyFlag = hostsFlag('allow-notify', 'Allow notifyurl calls to this host');

export const LINK_FLAGS: readonly FlagShape[] = [smtpFlag, allowSmtpFlag, allowNotifyFlag];

interface Server {
  readonly host: string;
  readonly port: number;
}

export interface OutsideConnections {
  readonly smtp?: Server;
  /** Host names in lower case. */
  readonly allowNotify: readonly string[];
}

export function readSandboxLinks(input: Input): OutsideConnections {
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

/** Parses a host and a port. @param least the lowest valid port */
export function serverIn(text: string, least: 0 | 1): Parsed<Server> {
  const [, name = '', digits] = /^(\[[0-9a-f:.]+\]|[^:\s]+):([0-9]{1,5})$/i.exec(text) ?? [];
  const host = hostIn(name);
  const port = Number(digits);
  if (host !== undefined && port >= least && port <= 65_535) return { value: { host, port } };
  return { fault: { reason: 'is not a host and a port', instead: 'write 127.0.0.1:1025' } };
}

export function hostsFlag(name: string, describe: string): Flag<readonly string[]> {
  const texts = textsFlag(name, { describe, value: 'host' });
  const read = (given: Given | undefined): Parsed<readonly string[]> => {
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
