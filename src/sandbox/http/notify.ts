/** The HTTP GET to the `notifyurl` of an sms rule. A rehearsal must not call production: loopback alone. */
import { request } from 'node:http';
import { isLoopback } from '../../protocol/origin.ts';
import type { Effect } from '../engine/due.ts';
import type { Store } from '../store/open.ts';
import { insertRow } from '../store/rows.ts';

const TIMEOUT_MS = 5_000;

/** Follows no redirect, reads no answer, sends no credentials, and never fails: what came of it is in the log. */
export async function notify(store: Store, effect: Effect, machineNow: () => number): Promise<void> {
  const outcome = await get(effect.url).catch((error: unknown) => String(error));
  const text = `GET ${effect.url}: ${outcome}`;
  const line = { time: Math.floor(machineNow() / 1000), kind: 'notify', text };
  // The store may be closing by the time that an answer comes.
  await insertRow(store.db, 'log', line).catch(() => undefined);
}

async function get(text: string): Promise<string> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' || !isLoopback(url.hostname))
    return 'not sent, the sandbox calls http on this machine alone';
  // The name is not looked up: what is checked is what is called.
  const host = url.hostname === '[::1]' ? '::1' : url.hostname === 'localhost' ? '127.0.0.1' : url.hostname;
  const path = `${url.pathname}${url.search}`;
  return new Promise((resolve, reject) => {
    const sent = request(
      { host, port: url.port || 80, path, agent: false, timeout: TIMEOUT_MS },
      (answer) => {
        resolve(String(answer.statusCode));
        answer.destroy();
      },
    );
    sent.on('timeout', () => sent.destroy(new Error('no answer in time')));
    sent.on('error', reject);
    sent.end();
  });
}
