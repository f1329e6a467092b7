/**
 * Contract, "For assistants in a shell": "`init --agents` writes `AGENTS.md`" (how to plan, rehearse, ask for approval; never how to send).
 */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { registry } from '../../support/registry.ts';
import { runCli } from '../../support/run-cli.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

let folder: string;
beforeEach(async () => {
  folder = await makeTemporaryFolder('agents');
});
afterEach(() => rm(folder, { recursive: true }));
const init = (...more: readonly string[]) => runCli(['init', '--agents', ...more], { cwd: folder });
const written = () => readFile(join(folder, 'AGENTS.md'), 'utf8');

it('writes the file, and replaces an existing one only with --force', async () => {
  expect((await init()).exitCode).toBe(0);
  expect(await written()).toContain('Only a person sends');
  await writeFile(join(folder, 'AGENTS.md'), 'ours');
  const again = await init();
  expect([again.exitCode, again.stderr]).toEqual([2, expect.stringContaining('AGENTS.md')]);
  expect(await written()).toBe('ours');
  expect((await init('--force')).exitCode).toBe(0);
  expect(await written()).not.toBe('ours');
});

it('writes nothing in a dry run', async () => {
  const { stdout, stderr } = await init('--dry-run');
  expect(stdout + stderr).toContain('write AGENTS.md');
  await expect(written()).rejects.toThrow('ENOENT');
});

it('names only commands that exist and do not write to the service, and never a way to send', async () => {
  await init();
  const text = await written();
  const verbs = await registry();
  const lines = [...text.matchAll(/`svc ([^`]+)`/g)].map(([, line = '']) => line.split(' '));
  expect(lines.length).toBeGreaterThan(5);
  for (const words of lines.filter(([first]) => first !== 'help')) {
    const verb =
      verbs.get(words.slice(0, 2).join(' ')) ?? verbs.get(`${words[0]} make`) ?? verbs.get(words[0] ?? '');
    expect(verb, words.join(' ')).toBeDefined();
    if (words[0] !== 'sandbox') expect(['local', 'reads', 'finds']).toContain(verb?.work);
  }
  expect(text).not.toMatch(/svc (apply|approve|api|sms send|task create|email proof)|--now\b/);
});
