/** Contract, "Partners and many companies": `.svc.json` counts once somebody has accepted its content (second attack M1). */
import { mkdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Outside, runCli } from '../../support/run-cli.ts';
import { KEYS } from '../../support/sandbox.ts';
import { makeTemporaryFolder, removeFolder } from '../../support/temporary-folder.ts';

let root: string;
let clone: string;
const svc = (line: string, outside: Outside = {}) =>
  runCli(line.split(' '), { cwd: clone, ...outside, env: { SVC_CONFIG_DIR: join(root, 'config') } });
const write = (text: string, ...folders: readonly string[]) =>
  writeFile(join(clone, ...folders, '.svc.json'), text);
const trusted = async () => JSON.parse((await svc('profile trust --list -o json')).stdout);
beforeEach(async () => {
  root = await makeTemporaryFolder('trust');
  clone = join(root, 'clone');
  await mkdir(join(clone, 'a', 'b'), { recursive: true });
  for (const name of ['prod', 'prod-raw'])
    await svc(
      `profile add ${name} --base-url https://api.example.com --company 1 --user 1 --no-check --api-key-stdin`,
      { stdin: KEYS.company },
    );
  await svc('profile set prod require-approvals 1');
});
afterEach(() => removeFolder(root));

describe('svc profile trust', () => {
  it('shows what the file selects and the limits of the profile, even with --quiet, then asks', async () => {
    await write('{"profile":"prod-raw","company":1}');
    const file = join(clone, '.svc.json');
    const run = await svc('profile trust --quiet', { tty: true, answers: [false], columns: 200 });
    expect(run.stderr).toContain(`${file} selects profile prod-raw and company 1.`);
    expect(run.stderr).toContain(
      'Profile prod-raw is for company 1 at https://api.example.com; it requires no approvals, it has no budget.',
    );
    expect(run.stderr).toContain('Your default profile is prod.');
    expect(run.questions).toEqual([`Really trust ${file}?`]);
    expect(run.exitCode).toBe(2);
    expect(await trusted()).toEqual([]);
    await svc('profile trust', { tty: true, answers: [true] });
    expect(await trusted()).toEqual([{ file, state: 'trusted', profile: 'prod-raw', company: '1' }]);
    const path = join(root, 'config', 'trusted-files.json');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('needs --yes without a terminal, and writes nothing in a dry run', async () => {
    await write('{"profile":"prod-raw"}');
    expect(await svc('profile trust')).toMatchObject({ exitCode: 2, stdout: '' });
    expect((await svc('profile trust --dry-run')).exitCode).toBe(0);
    expect(await trusted()).toEqual([]);
  });

  it.each([
    ['', ['a', 'b'], ['a']],
    ['a', [], ['a']],
    ['a/.svc.json', [], ['a']],
  ])('trusts the nearest file, or the named one: %j', async (given, cwd, place) => {
    await write('{"profile":"prod"}', ...place);
    const run = await svc(`profile trust ${given} --yes`.replace('  ', ' '), { cwd: join(clone, ...cwd) });
    expect(run.exitCode, run.stderr).toBe(0);
    expect(await trusted()).toMatchObject([{ file: join(clone, ...place, '.svc.json'), state: 'trusted' }]);
  });

  it('trusts the real file behind a link', async () => {
    await write('{"profile":"prod"}', 'a');
    await symlink(join(clone, 'a'), join(clone, 'c'));
    await svc('profile trust c --yes');
    expect(await trusted()).toMatchObject([{ file: join(clone, 'a', '.svc.json') }]);
  });

  it.each([
    ['no file', undefined, 'there is no .svc.json in this folder or in a folder above it'],
    ['a profile that does not exist', '{"profile":"nobody"}', 'not found'],
    ['another setting', '{"apiKey":"x"}', 'is not a setting of this file'],
  ])('refuses %s', async (_, text, reason) => {
    if (text !== undefined) await write(text);
    const run = await svc('profile trust --yes');
    expect(run.exitCode).toBe(2);
    expect(run.stderr.replaceAll(/\s+/g, ' ')).toContain(reason);
    expect(await trusted()).toEqual([]);
  });
});

describe('svc profile trust --list', () => {
  it('shows files that have changed, that are invalid, and that are gone', async () => {
    for (const [folder, text] of [
      ['a', '{"profile":"prod"}'],
      ['b', '{"company":1}'],
      ['c', '{"company":2}'],
      ['d', '{"company":3}'],
    ] as const) {
      await mkdir(join(clone, folder), { recursive: true });
      await write(text, folder);
      await svc(`profile trust ${folder} --yes`);
    }
    await write('{"company":9}', 'b');
    await write('{', 'c');
    await rm(join(clone, 'd', '.svc.json'));
    expect((await trusted()).map(({ state }: { state: string }) => state)).toEqual([
      'trusted',
      'changed',
      'invalid',
      'missing',
    ]);
  });
});

describe('svc profile untrust', () => {
  it('removes the trust, also in a file that is gone, and says if there was none', async () => {
    await write('{"profile":"prod"}', 'a');
    await svc('profile trust a --yes');
    await rm(join(clone, 'a', '.svc.json'));
    expect((await svc('profile untrust a')).exitCode).toBe(0);
    expect(await trusted()).toEqual([]);
    const again = await svc('profile untrust a');
    expect([again.exitCode, again.stderr]).toEqual([0, expect.stringContaining('was not trusted')]);
  });

  it('the file next to the profiles holds real paths and digests, and nothing else', async () => {
    await write('{"profile":"prod"}');
    await svc('profile trust --yes');
    const text = await readFile(join(root, 'config', 'trusted-files.json'), 'utf8');
    expect(JSON.parse(text)).toEqual({
      version: 1,
      files: { [join(clone, '.svc.json')]: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
  });
});
