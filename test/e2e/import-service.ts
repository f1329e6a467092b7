/**
 * Starts a sandbox in a separate process, behind a proxy that delays requests, loses responses, and counts the result
 * of each row.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { bodyOf, forward } from '../support/relay.ts';

export interface Faults {
  /** The maximum milliseconds from the request to its processing, which happens even if the client no longer waits. */
  readonly delay: number;
  /** The share of responses to POSTs that are cut off after the work. */
  readonly lost: number;
}

export interface ImportService extends AsyncDisposable {
  /** The environment of a child process: the address of the service and the credentials. */
  readonly env: Readonly<Record<string, string>>;
  /** The number of times that each row was added (response 202). */
  readonly made: ReadonlyMap<string, number>;
  /** Rows that arrived again after they had been performed. */
  readonly again: readonly string[];
  readonly posts: () => number;
  /** Resolves after this many POSTs in total. */
  readonly untilPosts: (count: number) => Promise<void>;
  readonly misbehave: (faults: Faults) => void;
}

/** @param svc the script of the command line */
export async function startImportService(
  svc: string,
  home: string,
  random: () => number,
): Promise<ImportService> {
  const base = { PATH: process.env['PATH'] ?? '', HOME: home, SVC_CONFIG_DIR: join(home, 'config') };
  const args = ['sandbox', 'start', '--port', '0', '--data', join(home, 'data'), '--seed', 'empty'];
  const sandbox = spawn(process.execPath, [svc, ...args, '--profile', 'none', '-o', 'json'], {
    env: base,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { baseUrl, company } = JSON.parse(await firstLine(sandbox));
  const made = new Map<string, number>();
  const again: string[] = [];
  let posts = 0;
  let faults: Faults = { delay: 0, lost: 0 };
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];

  const respond = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const body = await bodyOf(incoming);
    const isPost = incoming.method === 'POST';
    if (isPost) {
      posts += 1;
      for (const each of waiting.filter(({ count }) => count <= posts)) each.resolve();
      const wait = random() * faults.delay;
      if (wait >= 1) await new Promise((resolve) => setTimeout(resolve, wait));
    }
    const answer = await forward(baseUrl, incoming, body);
    if (isPost) {
      const row = body.toString('utf8');
      if (answer.status === 202) made.set(row, (made.get(row) ?? 0) + 1);
      else if (answer.status === 409) again.push(row);
      if (random() < faults.lost) {
        outgoing.destroy();
        return;
      }
    }
    outgoing.writeHead(answer.status, answer.headers);
    outgoing.end(answer.body);
  };
  const door = createServer((incoming, outgoing) => {
    respond(incoming, outgoing).catch(() => outgoing.destroy());
  });
  // A request on a connection that is being closed is lost. Only the faults may lose requests.
  door.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', () => resolve()));
  return {
    env: {
      ...base,
      SVC_BASE_URL: `http://127.0.0.1:${(door.address() as AddressInfo).port}`,
      SVC_COMPANY_ID: String(company.id),
      SVC_USER_ID: String(company.adminUserId),
      SVC_API_KEY: company.apiKey,
    },
    made,
    again,
    posts: () => posts,
    untilPosts: (count) =>
      posts >= count ? Promise.resolve() : new Promise((resolve) => waiting.push({ count, resolve })),
    misbehave: (wanted) => {
      faults = wanted;
    },
    [Symbol.asyncDispose]: async () => {
      door.closeAllConnections();
      door.close();
      await ended(sandbox, 'SIGTERM');
    },
  };
}

/** Ends a process and waits for its end. */
export async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const over = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await over;
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the sandbox ended with ${code}`)));
    if (child.stdout) createInterface({ input: child.stdout }).once('line', resolve);
  });
}
