/**
 * Each page of help has one example that works unchanged. This test runs it against the sandbox's demo company, with the files that it
 * names and the task from the example of `task create`. Writes are rehearsed (--dry-run).
 */

import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { automations } from '../../../src/service/resources/rule-kinds.ts';
import { type Examples, nounVerbs, openExamples } from '../../support/examples.ts';
import { runCli } from '../../support/run-cli.ts';

const examples = nounVerbs.map(({ path, verb }) => [path, verb.example] as const);

let opened: Examples;

beforeAll(async () => {
  opened = await openExamples('examples');
  for (const path of ['task create', 'sms send']) {
    const example = examples.find(([name]) => name === path)?.[1] ?? '';
    expect(await opened.run(example, [])).toMatchObject({ exitCode: 0 });
  }
});

afterAll(() => rm(opened.cwd, { recursive: true }));

describe('the example of each verb works unchanged', () => {
  it.each(examples.filter(([path]) => !path.startsWith('form ')))('%s: svc %s', async (path, example) => {
    expect(example.startsWith(path)).toBe(true);
    const { exitCode, stderr } = await opened.run(example, ['--dry-run']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.anything() });
  });

  it.each(automations.map(({ variant }) => variant ?? ''))('automation create --kind %s', async (kind) => {
    const page = await runCli(['automation', 'create', '--kind', kind, '--help']);
    const example = /^Example: svc (.*)$/m.exec(page.stdout)?.[1] ?? '';
    expect(example).toContain(`--kind ${kind}`);
    expect(await opened.run(example, ['--dry-run'])).toMatchObject({ exitCode: 0 });
  });
});
