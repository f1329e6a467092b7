/** Runs the command line against a sandbox in this process, and ends the run at a chosen request, as a signal would. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TransportError } from '../../src/client/requests/errors.ts';
import type { WireRequest, WireResponse } from '../../src/service/protocol/wire.ts';
import { putEmail, putList, putSms, putSubscriber } from './messages.ts';
import { type Run, runCli } from './run-cli.ts';
import { createTestSandbox, type TestSandbox } from './sandbox.ts';
import { makeTemporaryFolder, removeFolder } from './temporary-folder.ts';

/** The way in which a run ends: a signal before or after the service processes a request, or a lost response. */
export type CutWhen = 'before' | 'after' | 'lost';

export interface Cut {
  /** The number of the request, from 1; 0 for none. */
  readonly at: number;
  readonly when: CutWhen;
  /** True if the terminal also closes, so that no output can be written from then on. */
  readonly isTerminalGone?: boolean;
  /** True if the service is unreachable from then on. */
  readonly isServiceGone?: boolean;
  /** Changes responses of the service. */
  readonly alter?: (request: WireRequest, answer: WireResponse) => WireResponse;
  /** True if only the failed requests end the run, and no signal. */
  readonly isSilent?: boolean;
}

export interface CutRun extends Run {
  /** The requests to the service, such as `POST /v1/task`. */
  readonly requests: readonly string[];
  /** True if the cut came before the end of the run. */
  readonly isCut: boolean;
}

export interface CutService {
  readonly sandbox: TestSandbox;
  /** A separate folder, which `close` removes. */
  readonly folder: string;
  /** @param cutAfter ends the run at the first wait after these words on stderr */
  readonly run: (argv: readonly string[], cut?: Cut, cutAfter?: string) => Promise<CutRun>;
  /** Tasks that are neither cancelled nor completed. */
  readonly live: () => Promise<readonly Readonly<Record<string, unknown>>[]>;
  readonly close: () => Promise<void>;
}

/** Opens the service. List 1 has three subscribers, and list 2 has one. E-mail message 1 and SMS message 1 exist. */
export async function openCutService(): Promise<CutService> {
  const sandbox = await createTestSandbox({ holding: { kind: 'cuts', put: putRecords } });
  const folder = await makeTemporaryFolder('cuts');
  await mkdir(join(folder, 'content'));
  await writeFile(join(folder, 'content', 'spring.txt'), 'Hello\n');
  await writeFile(join(folder, 'content', 'spring.html'), '<p>Hello</p>\n');
  return {
    sandbox,
    folder,
    live: async () =>
      (await sandbox.rows('task')).filter((row) => row['cancelled'] !== 1 && row['completed'] !== 1),
    run: (argv, cut, cutAfter) => cutRun(sandbox, folder, argv, cut, cutAfter),
    close: () => removeFolder(folder),
  };
}

async function putRecords(sandbox: TestSandbox): Promise<void> {
  const lists = [await putList(sandbox), await putList(sandbox)];
  const people = [lists, lists.slice(0, 1), lists.slice(0, 1)];
  for (const [index, of] of people.entries())
    await putSubscriber(sandbox, of, {
      email: `someone${index}@example.com`,
      msisdn: `44770090000${index}`,
    });
  await putEmail(sandbox);
  await putSms(sandbox);
}

async function cutRun(
  sandbox: TestSandbox,
  folder: string,
  argv: readonly string[],
  cut: Cut | undefined,
  cutAfter: string | undefined,
): Promise<CutRun> {
  const interrupt = new AbortController();
  const requests: string[] = [];
  let isCut = false;
  let stderr = '';
  const end = (): void => {
    isCut = true;
    if (!cut?.isSilent) interrupt.abort();
  };
  const run = await runCli(argv, {
    cwd: folder,
    signal: interrupt.signal,
    tty: false,
    stderr: {
      isTTY: false,
      columns: undefined,
      write: async (text) => {
        if (isCut && cut?.isTerminalGone)
          throw Object.assign(new Error('write EIO'), { code: 'EIO', syscall: 'write' });
        stderr += text;
      },
    },
    onSleep: () => {
      if (cutAfter !== undefined && stderr.includes(cutAfter)) end();
    },
    transport: async (request: WireRequest): Promise<WireResponse> => {
      requests.push(`${request.method} ${request.path}`);
      const isHere = cut?.at === requests.length;
      if (isCut && cut?.isServiceGone) throw new TransportError('not-sent', 'the network is gone');
      if (isHere && cut.when === 'before') end();
      const answer = await sandbox.service.handle(request);
      if (isHere && cut.when !== 'before') end();
      if (isHere && cut.when === 'lost') throw new TransportError('unknown', 'the connection broke');
      return cut?.alter?.(request, answer) ?? answer;
    },
  });
  return { ...run, stderr, requests, isCut };
}
