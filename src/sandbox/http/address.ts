/** Computes the address that a sandbox listens on, and its public URL. */
import { isIPv6 } from 'node:net';
import { isLoopback } from '../../protocol/origin.ts';
import type { Doors } from './doors.ts';

export interface Address {
  /** The host to bind to. */
  readonly listen: string;
  /** The host to which commands on this machine connect. */
  readonly connect: string;
  readonly baseUrl: (port: number) => string;
  readonly doorsAt: (port: number) => Doors;
  /** Reports whether requests may come from other machines. */
  readonly servesOthers: boolean;
}

interface Wanted {
  readonly host?: string | undefined;
  readonly certificate?: unknown;
  readonly behindProxy?: boolean | undefined;
  readonly allowHosts?: readonly string[] | undefined;
}

const LOOPBACK = '127.0.0.1';
/** The addresses that mean every interface of this machine, each with its loopback address. */
const EVERY: Readonly<Record<string, string>> = { '0.0.0.0': LOOPBACK, '::': '::1' };

/** Returns the addresses of a sandbox. The host in its URL is the first allowed name, otherwise the address that it listens on. */
export function addressOf({
  host = LOOPBACK,
  certificate,
  behindProxy = false,
  allowHosts = [],
}: Wanted): Address {
  const scheme = certificate !== undefined || behindProxy ? 'https' : 'http';
  const connect = EVERY[host] ?? host;
  const named = allowHosts[0] ?? inUrl(connect);
  const names = new Set([...allowHosts, inUrl(connect).toLowerCase()]);
  return {
    listen: host,
    connect,
    baseUrl: (port) => (behindProxy ? `https://${named}` : `${scheme}://${named}:${port}`),
    // Loopback names are accepted only with the port.
    doorsAt: (port) => ({ scheme, port, names: withoutLoopback(names) }),
    servesOthers: behindProxy || !isLoopback(host),
  };
}

const inUrl = (host: string): string => (isIPv6(host) ? `[${host}]` : host);

const withoutLoopback = (names: ReadonlySet<string>): ReadonlySet<string> =>
  new Set([...names].filter((name) => ![LOOPBACK, 'localhost', '[::1]'].includes(name)));
