/**
 * Contract, "For assistants in a shell": "`init --agents` writes the guide into `AGENTS.md`". Its commands are tested in agent/guide.test.ts.
 */
import { chmod, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runCli } from '../../support/run-cli.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

let folder: string;
beforeEach(async () => {
  folder = await makeTemporaryFolder('agents');
});
afterEach(() => rm(folder, { recursive: true }));
const init = (...more: readonly string[]) => runCli(['init', '--agents', ...more], { cwd: folder });
const written = () => readFile(join(folder, 'AGENTS.md'), 'utf8');

const path = (): string => join(folder, 'AGENTS.md');
const BEGIN = '<!-- svc agent guide: begin -->';
const END = '<!-- svc agent guide: end -->';

it('writes the guide between two marker lines', async () => {
  expect((await init()).exitCode).toBe(0);
  const { stdout: guide } = await runCli(['agent', 'guide'], { cwd: folder });
  expect(await written()).toBe(`${BEGIN}\n${guide}${END}\n`);
  expect((await init()).stderr).toBe('AGENTS.md is up to date.\n');
});

it.each([
  ['no final newline', '# Ours\nBe kind.', '# Ours\nBe kind.\n\n'],
  ['a final newline', '# Ours\n', '# Ours\n\n'],
  ['lines that end in CRLF', '# Ours\r\nBe kind.', '# Ours\r\nBe kind.\r\n\r\n'],
  ['bytes that are no UTF-8', Buffer.from('caf\xe9\n', 'latin1'), Buffer.from('caf\xe9\n\n', 'latin1')],
])('adds the guide to a file with %s, and keeps the rest', async (_, before, head) => {
  await writeFile(path(), before);
  expect((await init()).exitCode).toBe(0);
  const bytes = await readFile(path());
  expect(bytes.subarray(0, Buffer.from(head).length)).toEqual(Buffer.from(head));
  const [added] = [bytes.subarray(Buffer.from(head).length).toString()];
  const lineEnd = String(head).includes('\r') ? '\r\n' : '\n';
  expect(added.startsWith(`${BEGIN}${lineEnd}# svc`)).toBe(true);
  expect(added.endsWith(`${lineEnd}${END}${lineEnd}`)).toBe(true);
  expect(added.replaceAll(lineEnd, '').includes('\n')).toBe(false);
  await init();
  expect(await readFile(path())).toEqual(bytes);
});

it.each([
  ['LF', '\n'],
  ['CRLF', '\r\n'],
])('replaces only what stands between the markers, with %s', async (_, lineEnd) => {
  const [head, tail] = [`# Ours${lineEnd}  ${BEGIN} ${lineEnd}`, `${END}${lineEnd}Be kind.`];
  await writeFile(path(), `${head}an old guide${lineEnd}${tail}`, { mode: 0o640 });
  await chmod(path(), 0o640);
  expect((await init()).exitCode).toBe(0);
  const text = await written();
  expect([text.startsWith(head), text.endsWith(tail), text.includes('an old guide')]).toEqual([
    true,
    true,
    false,
  ]);
  expect(text.slice(head.length, -tail.length)).toMatch(
    lineEnd === '\n' ? /^# svc[^\r]*$/ : /^# svc(?:[^\n]*\r\n)+$/,
  );
  expect((await stat(path())).mode & 0o777).toBe(0o640);
});

it.each([
  ['one marker', `a\n${BEGIN}\nb\n`, '2'],
  ['only the end', `${END}\n`, '1'],
  ['two begins', `${BEGIN}\n${BEGIN}\n${END}\n`, '1, 2, 3'],
  ['two pairs', `${BEGIN}\n${END}\n${BEGIN}\n${END}\n`, '1, 2, 3, 4'],
  ['the end first', `${END}\n${BEGIN}\n`, '1, 2'],
])('changes nothing in a file with %s, and names the lines', async (_, text, lines) => {
  await writeFile(path(), text);
  const { exitCode, stderr } = await init();
  expect([exitCode, stderr.replaceAll(/\s+/g, ' ')]).toEqual([
    2,
    expect.stringContaining(`in line ${lines}; nothing`),
  ]);
  expect(await written()).toBe(text);
});

it('changes nothing in a file of another encoding, or through a link, and replaces either with --force', async () => {
  await writeFile(path(), Buffer.from('\ufeff# Ours\n', 'utf16le'));
  expect(await init()).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('not UTF-8') });
  await rm(path());
  await writeFile(join(folder, 'ours.md'), 'ours');
  await symlink('ours.md', path());
  const linked = await init();
  expect([linked.exitCode, linked.stderr]).toEqual([2, expect.stringContaining('AGENTS.md')]);
  expect((await init('--force')).exitCode).toBe(0);
  expect(await readFile(join(folder, 'ours.md'), 'utf8')).toBe('ours');
  await writeFile(path(), `${BEGIN}\nours`);
  expect((await init('--force')).exitCode).toBe(0);
  expect(await written()).not.toContain('ours\n');
});

it('writes nothing in a dry run', async () => {
  const { stdout, stderr } = await init('--dry-run');
  expect(stdout + stderr).toContain('write AGENTS.md');
  await expect(written()).rejects.toThrow('ENOENT');
});
