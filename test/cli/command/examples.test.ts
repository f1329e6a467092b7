/**
 * Each page of help has one example that works as it stands: here against the sandbox's demo company, with the files that
 * it names and the task of the example of `task create`. Writes are rehearsed (--dry-run).
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isGroup, type Verb } from '../../../src/cli/command/command.ts';
import { nouns } from '../../../src/cli/registry/nouns.ts';
import { automations } from '../../../src/resources/catalogue.ts';
import { type DemoService, openDemoService } from '../../support/demo-service.ts';
import { runCli } from '../../support/run-cli.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

const FILES: Readonly<Record<string, string>> = {
  'sale.html': '<html><body><p>Sale</p></body></html>',
  'sale.txt': 'Sale\n',
  'baseline.yaml': 'enableemail: true\n',
  'unsubscribed.csv': 'email\nsomeone@example.com\n',
};

const examples: readonly (readonly [string, string])[] = (
  await Promise.all(
    nouns.map(async (noun) => {
      const tree = await noun.load();
      if (!isGroup(tree)) throw new Error(`${noun.name} is no group`);
      return tree.commands
        .filter((each): each is Verb => !isGroup(each) && each.announced === undefined)
        .map((verb) => [`${noun.name} ${verb.name}`, verb.example] as const);
    }),
  )
).flat();

let demo: DemoService;
let cwd: string;
let state: string;

beforeAll(async () => {
  demo = await openDemoService();
  cwd = await makeTemporaryFolder('examples');
  state = join(cwd, 'state');
  mkdirSync(state, { mode: 0o700 });
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(cwd, name), text);
  for (const path of ['task create', 'sms send']) {
    expect(await run(path, exampleOf(path), [])).toMatchObject({ exitCode: 0 });
  }
});

afterAll(() => rm(cwd, { recursive: true }));

const exampleOf = (path: string): string => examples.find(([name]) => name === path)?.[1] ?? '';

const run = (path: string, example: string, more: readonly string[]) =>
  runCli([...wordsOf(example), ...more], {
    transport: demo.transport,
    env: { ...(/^(features|account create)/.test(path) ? demo.partner : demo.admin), SVC_STATE_DIR: state },
    stdin: 'correct7horse\n',
    cwd,
  });

/** As a shell splits it, with the quotes that examples have. */
const wordsOf = (line: string): readonly string[] =>
  [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  );

describe('the example of each verb works as it stands', () => {
  it.each(examples.filter(([path]) => !path.startsWith('form ')))('%s: svc %s', async (path, example) => {
    expect(example.startsWith(path)).toBe(true);
    const { exitCode, stderr } = await run(path, example, ['--dry-run']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.anything() });
  });

  it.each(automations.map(({ variant }) => variant ?? ''))('automation create --kind %s', async (kind) => {
    const page = await runCli(['automation', 'create', '--kind', kind, '--help']);
    const example = /^Example: svc (.*)$/m.exec(page.stdout)?.[1] ?? '';
    expect(example).toContain(`--kind ${kind}`);
    expect(await run('automation create', example, ['--dry-run'])).toMatchObject({ exitCode: 0 });
  });
});
