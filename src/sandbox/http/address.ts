/** Where a sandbox listens, and by which URL people reach it. */
import { isIPv6 } from 'node:net';
import { isLoopback } from '../../protocol/origin.ts';
import type { Doors } from './doors.ts';

export interface Address {
  /** To bind to. */
  readonly listen: string;
  /** What a command on this machine connects to. */
  readonly connect: string;
  readonly baseUrl: (port: number) => string;
  readonly doorsAt: (port: number) => Doors;
  /** Whether requests may come from other machines. */
  readonly servesOthers: boolean;
}

interface Wanted {
  readonly host?: string | undefined;
  readonly certificate?: unknown;
  readonly behindProxy?: boolean | undefined;
  readonly allowHosts?: readonly string[] | undefined;
}

const LOOPBACK = '127.0.0.1';
/** Every address of this machine. */
const EVERY: Readonly<Record<string, string>> = { '0.0.0.0': LOOPBACK, '::': '::1' };

/** The name in its URL is the first that was allowed, else the address that it listens on. */
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
    // The loopback names have to come with the port.
    doorsAt: (port) => ({ scheme, port, names: withoutLoopback(names) }),
    servesOthers: behindProxy || !isLoopback(host),
  };
}

const inUrl = (host: string): string => (isIPv6(host) ? `[${host}]` : host);

const withoutLoopback = (names: ReadonlySet<string>): ReadonlySet<string> =>
  new Set([...names].filter((name) => ![LOOPBACK, 'localhost', '[::1]'].includes(name)));
