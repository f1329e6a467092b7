/** A client's outside without sockets: a clock that advances while the client sleeps, counted octets and scripted responses. */
import { createHash } from 'node:crypto';
import { type Client, type ClientOptions, createClient } from '../../src/client/requests/client.ts';
import { TransportError } from '../../src/client/requests/errors.ts';
import type { Clock, RandomOctets } from '../../src/client/requests/ports.ts';
import type { Credentials } from '../../src/service/auth/credentials.ts';
import type { Transport, WireRequest, WireResponse } from '../../src/service/protocol/wire.ts';

export const KEY = '0123456789abcdef0123456789abcdef';
export const COMPANY: Credentials = { kind: 'company', companyId: 7, userId: 3, apiKey: KEY };
export const BEGIN = Date.UTC(2026, 10, 20, 9, 0, 0);

export interface VirtualClock extends Clock {
  readonly advance: (milliseconds: number) => void;
  readonly slept: readonly number[];
}

export function virtualClock(now = BEGIN): VirtualClock {
  const slept: number[] = [];
  return {
    slept,
    now: () => now,
    advance: (milliseconds) => {
      now += milliseconds;
    },
    sleep: async (milliseconds, signal) => {
      signal?.throwIfAborted();
      slept.push(milliseconds);
      now += milliseconds;
    },
  };
}

/** Returns octets that differ from call to call and are the same in every run. */
export function countedRandom(): RandomOctets {
  let calls = 0;
  return (count) => {
    calls += 1;
    return createHash('sha512').update(String(calls)).digest().subarray(0, count);
  };
}

export type Reply =
  | WireResponse
  | TransportError
  | ((request: WireRequest) => WireResponse | Promise<WireResponse>);

/** Responds in the order of `replies`, repeats the last reply, and keeps the requests. */
export function scripted(replies: readonly Reply[]): {
  readonly transport: Transport;
  readonly sent: readonly WireRequest[];
} {
  const sent: WireRequest[] = [];
  const transport: Transport = async (request) => {
    sent.push(request);
    const reply = replies[Math.min(sent.length, replies.length) - 1];
    if (reply === undefined) throw new Error('nothing is scripted');
    if (reply instanceof TransportError) throw reply;
    return typeof reply === 'function' ? reply(request) : reply;
  };
  return { transport, sent };
}

export function clientOn(
  replies: readonly Reply[],
  options: Partial<ClientOptions> = {},
): { readonly client: Client; readonly sent: readonly WireRequest[]; readonly clock: VirtualClock } {
  const { transport, sent } = scripted(replies);
  const clock = virtualClock();
  const client = createClient({
    credentials: COMPANY,
    transport,
    clock,
    random: countedRandom(),
    ...options,
  });
  return { client, sent, clock };
}

export const answer = (
  status: number,
  body: unknown = '',
  headers: Readonly<Record<string, string>> = {},
): WireResponse => ({ status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) });

export const ok = (data: unknown, next: unknown = null, status = 200): WireResponse =>
  answer(status, {
    status: 'ok',
    response: { count: Array.isArray(data) ? data.length : 1, next, data },
  });

export const no = (
  status: number,
  message = 'no',
  headers: Readonly<Record<string, string>> = {},
  more: Readonly<Record<string, unknown>> = {},
): WireResponse =>
  answer(
    status,
    {
      status: 'error',
      response: { code: status, subcode: null, message, ...more },
    },
    headers,
  );

export const notSent = new TransportError('not-sent', 'refused');
export const lost = new TransportError('unknown', 'cut');
export const timedOut = new TransportError('unknown', 'no answer', { timedOut: true });
