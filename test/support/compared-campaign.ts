/** The example campaign in a folder, and rehearsals of it with the demo company, which change nothing in the folder. */
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import type { WireRequest } from '../../src/service/protocol/wire.ts';
import { type DemoService, openDemoService } from './demo-service.ts';
import { type Outside, runCli } from './run-cli.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

export let folder: string;
export let demo: DemoService;
export let requests: WireRequest[];

/** Gives each test of the file a copy of the campaign, the demo company, and an empty list of requests. */
export function useCampaignFolder(): void {
  beforeEach(async () => {
    folder = await makeTemporaryFolder('against');
    await cp('examples/campaign', folder, { recursive: true });
    demo = await openDemoService();
    requests = [];
  });
  afterEach(() => rm(folder, { recursive: true }));
}

/** The settings of git, without those of whoever runs the tests. */
export const GIT_ENV = {
  ...{ PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' },
  ...{ GIT_AUTHOR_NAME: 'Ada', GIT_AUTHOR_EMAIL: 'ada@example.com' },
  ...{ GIT_COMMITTER_NAME: 'Ada', GIT_COMMITTER_EMAIL: 'ada@example.com' },
};
export const svc = (line: string, outside: Outside = {}) =>
  runCli(line.split(' '), {
    cwd: folder,
    transport: (request) => {
      requests.push(request);
      return demo.transport(request);
    },
    ...outside,
    env: { ...demo.admin, ...GIT_ENV, ...outside.env },
  });
/** The demo company has 443 people on list 1 and 211 on list 3. 10 % of 443 are 44. */
export const compare = async (line: string, outside: Outside = {}) => {
  const run = await svc(`rehearse ${line} --audience opens=10%,clicks=10% -o json`, outside);
  expect(run.stderr).toBe('');
  return { exitCode: run.exitCode, found: JSON.parse(run.stdout) };
};
export const edit = async (change: (text: string) => string, file = 'spring.yaml'): Promise<void> => {
  const path = join(folder, file);
  const before = await readFile(path, 'utf8');
  const after = change(before);
  expect(after).not.toBe(before);
  await writeFile(path, after);
};
export const keepOldFile = () => cp(join(folder, 'spring.yaml'), join(folder, 'old.yaml'));
export const withSecondSend = (text: string): string =>
  text.replace(
    'tasks:\n',
    'tasks:\n  again:\n    name: Again\n    message: thanks\n    list: 1\n    at: 2026-12-09 12:00\n',
  );
export const withBadLink = (text: string): string =>
  text.replace('</body>', '<a href="/sale">Sale</a></body>');

interface Shown {
  readonly change: string;
  readonly differs: readonly string[];
  readonly before: { readonly key: string } | null;
  readonly after: { readonly key: string } | null;
}
export const changesIn = (changes: readonly Shown[]) =>
  changes.map(({ change, differs, before, after }) => [change, (after ?? before)?.key, differs.join()]);
