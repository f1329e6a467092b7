/** Contract, "Tests of campaigns", Sends: `--update` writes a table of sends, with which later runs compare. */
import { cp, lstat, mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { openDemoService } from '../../../support/demo-service.ts';
import { type Outside, runCli } from '../../../support/run-cli.ts';
import { NOW } from '../../../support/sandbox.ts';
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts';

const TESTS = `version: 1
campaign: spring.yaml
account: demo
audience: opens=40%,clicks=10%
for: 11d
people:
  ada: {list: 1, email: ada@example.com}
tests:
  ada gets it:
    - ada receives newsletter
`;

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await makeTemporaryFolder('sends-file');
  path = join(folder, 'spring.sends.md');
  await cp('examples/campaign', folder, { recursive: true });
  await writeFile(join(folder, 'spring.test.yaml'), TESTS);
});

const svc = (words: readonly string[], outside: Outside = {}) => runCli(words, { cwd: folder, ...outside });
const change = async (name: string, edit: (text: string) => string): Promise<void> => {
  const before = await readFile(join(folder, name), 'utf8');
  expect(edit(before)).not.toBe(before);
  await writeFile(join(folder, name), edit(before));
};
const sendLater = () => change('spring.yaml', (text) => text.replace('monday 09:00', 'tuesday 09:30'));

it('is written only with --update, with one line for each send, the same in every week', async () => {
  const before = await readdir(folder);
  const plain = await svc(['test', '-o', 'json']);
  expect(JSON.parse(plain.stdout).files[0].sends).toBeNull();
  expect(await readdir(folder)).toEqual(before);
  const updated = await svc(['test', '--update']);
  expect(updated.stdout).toContain(
    '  ok     wrote spring.sends.md\n      + | day 1, Mon 09:00 | newsletter |',
  );
  expect(updated.exitCode).toBe(0);
  const text = await readFile(path, 'utf8');
  expect(text.split('\n').filter((line) => line.startsWith('| day'))).toEqual([
    expect.stringMatching(
      /^\| day 1, Mon 09:00 \| newsletter \| spring \| email \| [0-9]{3} \| [0-9]{3} \|$/,
    ),
    expect.stringMatching(
      /^\| day 1, Mon \| rule thank-you \| thanks \| email \| [0-9]{1,2} \| [0-9]{1,2} \|$/,
    ),
    expect.stringMatching(/^\| day 2, Tue \| rule thank-you \| thanks \| email \|/),
    expect.stringMatching(/^\| day 10, Wed 12:00 \| last-day \| reminder \| sms \|/),
  ]);
  await writeFile(path, text.replaceAll('\n', '\r\n'));
  const later = await svc(['test'], { now: NOW + 8 * 86_400 });
  expect(later.stdout).toContain('  ok     sends as in spring.sends.md\n');
  expect(later.stdout).toContain('2 tests, 1 seed: all passed');
  expect(later.exitCode).toBe(0);
});

describe('other sends', () => {
  beforeEach(async () => {
    expect((await svc(['test', '--update'])).exitCode).toBe(0);
    await sendLater();
  });

  it('are exit 11, with what differs and the command that updates the file, and change nothing', async () => {
    const text = await readFile(path, 'utf8');
    const run = await svc(['test']);
    expect(run.exitCode).toBe(11);
    expect(run.stdout).toMatch(
      /\n {2}FAILED sends as in spring\.sends\.md\n {6}- \| day 1, Mon 09:00 \| newsletter/,
    );
    expect(run.stdout).toMatch(/\n {6}\+ \| day 2, Tue 09:30 \| newsletter \| spring \| email \|/);
    expect(run.stdout).toContain('\n      if this is right: svc test spring.test.yaml --update\n');
    expect(run.stdout).not.toContain('last-day');
    expect(await readFile(path, 'utf8')).toBe(text);
    expect((await svc(['test', '--update'])).exitCode).toBe(0);
    expect((await svc(['test'])).exitCode).toBe(0);
  });

  it.each([
    [
      'junit',
      /tests="2" failures="1"[\s\S]*name="sends as in spring\.sends\.md"[^>]*><failure message="the sends are/,
    ],
    [
      'tap',
      /\n1\.\.2\n[\s\S]*\nnot ok 2 - spring\.test\.yaml: sends as in spring\.sends\.md\n {2}---\n {2}message: "/,
    ],
    ['markdown', /^### Campaign tests: 1 of 2 failed\n[\s\S]*\*\*failed\*\*[\s\S]*\n- \| day 1, Mon 09:00/],
    [
      'json',
      /^\{"passed":false,[\s\S]*"sends":\{"file":"spring\.sends\.md","state":"changed","diff":\["- \| day 1/,
    ],
  ])('are in the format %s', async (format, expected) => {
    const run = await svc(['test', '--format', format]);
    expect(run.stdout).toMatch(expected);
    expect(run.exitCode).toBe(11);
  });

  it('are not compared if only a part runs, or with another audience', async () => {
    const run = await svc(['test', '--test', 'ada gets it']);
    expect(run.stdout).toContain('1 test, 1 seed: all passed');
    expect((await svc(['test', '--audience', 'none'])).exitCode).toBe(0);
  });
});

it('is written although a test fails, and not if the campaign is blocked', async () => {
  await change('spring.test.yaml', (text) => text.replace('receives newsletter', 'receives nothing'));
  expect((await svc(['test', '--update'])).exitCode).toBe(11);
  const text = await readFile(path, 'utf8');
  await change('spring.yaml', (file) => file.replace('300..500', '1..2'));
  const blocked = await svc(['test', '--update']);
  expect(blocked.stdout).toContain('the campaign cannot be applied');
  expect(blocked.exitCode).toBe(11);
  expect(await readFile(path, 'utf8')).toBe(text);
});

describe('bad input', () => {
  it('of a file that svc has not written is exit 2, and keeps it', async () => {
    await writeFile(path, '# My notes\n');
    for (const words of [['test'], ['test', '--update']]) {
      const run = await svc(words);
      expect(run.stderr).toContain('spring.sends.md was not written by svc test --update');
      expect(run.exitCode).toBe(2);
    }
    expect(await readFile(path, 'utf8')).toBe('# My notes\n');
  });

  it('of a damaged file is exit 11 and shows the damage', async () => {
    await svc(['test', '--update']);
    await change('spring.sends.md', (text) => `${text}<<<<<<< HEAD\n`);
    const run = await svc(['test']);
    expect(run.stdout).toContain('      - <<<<<<< HEAD\n');
    expect(run.exitCode).toBe(11);
  });

  it('of a folder in its place is exit 2, and of one that svc cannot write exit 1', async () => {
    await mkdir(path);
    const folderThere = await svc(['test']);
    expect(folderThere.stderr).toContain('spring.sends.md is a folder');
    expect(folderThere.exitCode).toBe(2);
    await rename(path, `${path}.new`);
    const run = await svc(['test', '--update']);
    expect(run.stderr).toContain('cannot write spring.sends.md');
    expect(run.exitCode).toBe(1);
  });

  it('of a symbolic link reads what it names, and replaces only the link', async () => {
    await svc(['test', '--update']);
    await rename(path, join(folder, 'kept.md'));
    await symlink('kept.md', path);
    expect((await svc(['test'])).stdout).toContain('ok     sends as in');
    const kept = await readFile(join(folder, 'kept.md'), 'utf8');
    await sendLater();
    expect((await svc(['test', '--update'])).exitCode).toBe(0);
    expect((await lstat(path)).isFile()).toBe(true);
    expect(await readFile(join(folder, 'kept.md'), 'utf8')).toBe(kept);
  });

  it.each([
    ['--test', 'ada gets it'],
    ['--seed', '3'],
    ['--audience', 'none'],
    ['--list-size', '1=3'],
    ['--watch'],
  ])('of --update with %s is exit 2', async (...words) => {
    const run = await svc(['test', '--update', ...words]);
    expect(run.stderr).toContain(`cannot combine --update with ${words[0]}`);
    expect(run.exitCode).toBe(2);
  });

  it('of two test files with the same sends file is exit 2', async () => {
    await cp(join(folder, 'spring.test.yaml'), join(folder, 'spring.test.yml'));
    const run = await svc(['test', '--update']);
    expect(run.stderr).toContain('two test files have the sends file spring.sends.md');
    expect(run.exitCode).toBe(2);
  });

  it("of the profile's account is exit 2, because its sends change by themselves", async () => {
    await change('spring.test.yaml', (text) => text.replace('account: demo\n', ''));
    const demo = await openDemoService();
    const run = await svc(['test', '--update'], { transport: demo.transport, env: demo.admin });
    expect(run.stderr).toContain('the account of the profile changes by itself');
    expect(run.stderr).toContain('set account: to demo or to a snapshot file');
    expect(run.exitCode).toBe(2);
  });
});
