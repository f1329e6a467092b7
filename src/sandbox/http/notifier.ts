/**
 * Sends the HTTP GET to the `notifyurl` of an sms rule (interface, "Events") on this machine or an allowed host, because a rehearsal must not
 * call servers in production. If other machines can reach the sandbox, even this machine must be allowed: otherwise, anyone with a key could
 * probe its ports.
 */
import { lookup } from 'node:dns/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { BlockList, isIP } from 'node:net';
import { readUrl } from '../../kit/text/address.ts';
import { readServiceTime } from '../engine/clock.ts';
import type { NotifyUrlRequest } from '../engine/due.ts';
import { type Store, WITHOUT_LOCK } from '../store/open.ts';
import { insertRow, updateRow } from '../store/rows.ts';

export interface NotifyUrlOptions {
  /** Allowed hosts, in lower case, without a port. */
  readonly allowed: readonly string[];
  /** True if the sandbox may call loopback addresses that are not in `allowed`. */
  readonly allowsLoopback: boolean;
  /** Returns all addresses of a host name. */
  readonly resolve: (host: string) => Promise<readonly string[]>;
  /** Milliseconds for the whole call. */
  readonly timeout: number;
}

export const NOTIFY_URL_TIMEOUT_MS = 5_000;

export const resolveHostAddresses = async (host: string): Promise<readonly string[]> =>
  (await lookup(host, { all: true })).map(({ address }) => address);

/** Returns a function that calls a `notifyurl` once, even if the process ends, and writes the outcome to log and outbox. */
export function createNotifyUrlCaller(
  store: Store,
  machineNow: () => number,
  options: NotifyUrlOptions,
): (effect: NotifyUrlRequest) => void {
  const perform = async ({ url, deliveryId }: NotifyUrlRequest): Promise<void> => {
    const outcome = await notify(url, options);
    await store.transaction(async (db) => {
      const time = await readServiceTime(db, machineNow());
      await insertRow(db, 'log', { time, kind: 'notify', text: `GET ${url}: ${outcome}` });
      await updateRow(db, 'delivery', deliveryId, { body: `GET ${url}\n${outcome}` });
    }, WITHOUT_LOCK);
  };
  // The store may be closed before a response comes.
  return (effect) => void perform(effect).catch(() => undefined);
}

/**
 * Calls the URL at the address that was checked: no redirect, credentials or proxy, and 64 KiB at most. Never throws; returns `200`,
 * `not sent: …` or `failed: …`.
 */
export async function notify(urlText: string, options: NotifyUrlOptions): Promise<string> {
  const url = readUrl(urlText);
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    return 'not sent: the URL must begin with http:// or https://';
  if (url.username !== '' || url.password !== '') return 'not sent: the URL contains a user name or password';
  const signal = AbortSignal.timeout(options.timeout);
  try {
    const address = await within(addressOf(url, options), signal);
    if (address === undefined) return refusal(url.hostname, options);
    return String(await get(url, address, signal));
  } catch (error) {
    if (signal.aborted) return `failed: no response within ${options.timeout / 1000} s`;
    return `failed: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function refusal(host: string, { allowsLoopback }: NotifyUrlOptions): string {
  const reason = allowsLoopback ? `${host} is not this machine` : 'other machines can reach this sandbox';
  return `not sent: ${reason}, so the host must be allowed; --allow-notify ${host} allows it`;
}

/** Returns the one address to connect to, or undefined if the host is not allowed. */
async function addressOf(url: URL, options: NotifyUrlOptions): Promise<string | undefined> {
  const { allowed, allowsLoopback, resolve } = options;
  const host = bare(url.hostname);
  const isNamed = allowed.includes(host);
  // A lookup would reveal the rehearsal to the owner of the name, so a name that could never be allowed is not looked up.
  if (!isNamed && (!allowsLoopback || (isIP(host) === 0 && !isLocalName(host)))) return undefined;
  const addresses = isIP(host) === 0 ? await resolve(host) : [host];
  const [first] = addresses;
  if (first === undefined) throw new Error(`${host} has no address`);
  const isAllowed = isNamed || addresses.every(isThisMachine);
  return isAllowed && isIP(first) !== 0 ? first : undefined;
}

const bare = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, '$1');

/** Reports whether the name always means this machine (RFC 6761). */
const isLocalName = (host: string): boolean => /^(?:.+\.)?localhost\.?$/.test(host);

/** Returns false for every notation of the IPv6 loopback address other than `::1`. */
const isThisMachine = (address: string): boolean =>
  isIP(address) === 4 ? LOOPBACK.check(address) : address === '::1';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);

const MAX_OCTETS = 65_536;

function get(url: URL, address: string, signal: AbortSignal): Promise<number> {
  const host = bare(url.hostname);
  const options = {
    host: address,
    path: `${url.pathname}${url.search}`,
    headers: { host: url.host, accept: '*/*', 'user-agent': 'svc-sandbox', connection: 'close' },
    agent: false as const,
    signal,
    ...(url.port === '' ? {} : { port: Number(url.port) }),
  };
  return new Promise((resolve, reject) => {
    const taken = (answer: IncomingMessage): void => {
      let octets = 0;
      const done = (): void => {
        resolve(answer.statusCode ?? 0);
        answer.destroy();
      };
      answer.on('data', (chunk: Buffer) => {
        octets += chunk.length;
        if (octets >= MAX_OCTETS) done();
      });
      answer.on('end', done);
      answer.on('error', reject);
    };
    const sent =
      url.protocol === 'https:'
        ? // The certificate must be valid for the name, whatever the address.
          httpsRequest({ ...options, servername: isIP(host) === 0 ? host : '' }, taken)
        : httpRequest(options, taken);
    sent.on('error', reject);
    sent.end();
  });
}

/** Rejects as soon as the signal aborts. A lookup of a host can't be cancelled, so a later result is ignored. */
function within<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  return Promise.race([work, late]);
}
