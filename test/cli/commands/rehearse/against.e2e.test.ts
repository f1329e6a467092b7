/** Contract, "Rehearse": "`--against OTHER`" for a revision of git. Each test has a repository, and svc starts git. */
import { execFileSync } from 'node:child_process';
import { chmod, cp, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  changesIn,
  compare,
  demo,
  edit,
  folder,
  GIT_ENV,
  requests,
  svc,
  useCampaignFolder,
  withBadLink,
  withSecondSend,
} from '../../../support/compared-campaign.ts';

useCampaignFolder();

const git = (line: string, cwd = folder): string =>
  execFileSync('git', line.split(' '), { cwd, env: GIT_ENV, encoding: 'utf8', stdio: 'pipe' }).trim();
const commit = (message = 'change'): string => {
  git('add --all');
  git(`commit --quiet --message ${message}`);
  return git('rev-parse HEAD');
};

describe('svc rehearse --against a revision of git', () => {
  beforeEach(() => {
    git('init --quiet --initial-branch main');
    commit();
  });

  it('compares with the campaign file of that revision', async () => {
    await edit(withSecondSend);
    const head = git('rev-parse HEAD');
    const { found } = await compare('spring.yaml --against main');
    expect(found.against).toEqual({ kind: 'revision', name: 'main', commit: head, missing: [] });
    expect(changesIn(found.sends)).toEqual([['added', 'again', '']]);
    commit();
    expect((await compare('spring.yaml --against main')).found.same).toBe(true);
    const byHash = await svc(`rehearse spring.yaml --against ${head} --for 1h`);
    expect(byHash.stdout.replace(/\s+/g, ' ')).toContain(`(company 1) against commit ${head.slice(0, 10)} `);
    const earlier = await svc('rehearse spring.yaml --against HEAD~1 --format markdown');
    expect(earlier.stdout.split('\n')[0]).toBe(
      `### Rehearsal of Harbour Coffee Roasters (company 1) against HEAD\\~1 (commit ${head.slice(0, 10)})`,
    );
  });

  it('compares with the content files of that revision, and leaves no file behind', async () => {
    await edit(withBadLink, 'content/spring.html');
    commit();
    await edit((text) => text.replace('<a href="/sale">Sale</a>', ''), 'content/spring.html');
    await rename(join(folder, 'content', 'thanks.html'), join(folder, 'content', 'thank-you.html'));
    await edit((text) => text.replace('content/thanks.html', 'content/thank-you.html'));
    const before = await readdir(folder, { recursive: true });
    const { found, exitCode } = await compare('spring.yaml --against main');
    expect(exitCode).toBe(0);
    expect(found.findings.added).toEqual([]);
    expect(found.findings.removed).toEqual([
      expect.objectContaining({
        ...{ rule: 'lint', severity: 'error' },
        at: expect.stringMatching(/^main:\.\/content\/spring\.html:[0-9]+/),
      }),
    ]);
    expect(await readdir(folder, { recursive: true })).toEqual(before);
  });

  it.each([
    ['the root', '.', 'team/campaigns/spring.yaml'],
    ['a folder above it', 'team', 'campaigns/spring.yaml'],
    ['its folder', 'team/campaigns', './spring.yaml'],
    ['a folder below it', 'team/campaigns/content', '../spring.yaml'],
  ])('finds a file below the root of the repository from %s', async (_, cwd, path) => {
    await mkdir(join(folder, 'team', 'campaigns'), { recursive: true });
    for (const name of ['spring.yaml', 'content'])
      await rename(join(folder, name), join(folder, 'team', 'campaigns', name));
    commit();
    const { found } = await compare(`${path} --against main --for 1h`, { cwd: join(folder, cwd) });
    expect([found.against.missing, found.same, found.rules]).toEqual([[], true, []]);
  });

  it('uses the repository of the campaign file, also in a hook of git', async () => {
    const env = { GIT_DIR: '.git', GIT_WORK_TREE: join(folder, 'content') };
    const { found } = await compare('spring.yaml --against main --for 1h', { env });
    expect([found.against.missing, found.same]).toEqual([[], true]);
  });

  it('takes a file that the revision does not have as none, and says so', async () => {
    await rename(join(folder, 'spring.yaml'), join(folder, 'summer.yaml'));
    const { found } = await compare('summer.yaml --against main');
    expect(found.against.missing).toEqual(['summer.yaml']);
    expect(found.sends).toHaveLength(2);
    const run = await svc('rehearse summer.yaml --against main --format markdown');
    expect(run.stdout).toContain('main does not have the file summer.yaml, so everything in it is new.');
  });

  it('takes a name that is a file and a revision as the file', async () => {
    await edit(withSecondSend);
    await cp(join(folder, 'spring.yaml'), join(folder, 'main'));
    expect((await compare('spring.yaml --against main')).found).toMatchObject({
      against: { kind: 'file' },
      same: true,
    });
    expect((await compare('spring.yaml --against refs/heads/main')).found).toMatchObject({
      against: { kind: 'revision' },
      same: false,
    });
    await cp(join(folder, 'spring.yaml'), join(folder, 'none'));
    expect((await compare('spring.yaml --against none')).found.against.kind).toBe('none');
    expect((await compare('spring.yaml --against ./none')).found.same).toBe(true);
  });

  it('names faults by the revision, in the form of git', async () => {
    await edit((text) => text.replace('version: 1', 'version: 1\nnonsense: 1'));
    await edit((text) => text.replace('content/thanks.txt', 'content/nosuch.txt'));
    commit();
    await edit((text) => text.replace('nonsense: 1\n', '').replace('nosuch.txt', 'thanks.txt'));
    const run = await svc('rehearse spring.yaml --against main');
    expect([run.exitCode, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toMatch(/main:\.\/spring\.yaml:4:1: .*nonsense/);
    expect(run.stderr).toMatch(/main:\.\/spring\.yaml:[0-9]+:[0-9]+: .*nosuch\.txt.*does not exist/);
  });

  it.each([
    [
      'a symbolic link',
      () => symlink('spring.txt', join(folder, 'content', 'odd.txt')),
      'is a symbolic link',
    ],
    [
      'a folder',
      async () =>
        mkdir(join(folder, 'content', 'odd.txt')).then(() =>
          writeFile(join(folder, 'content', 'odd.txt', 'a'), ''),
        ),
      'is a folder',
    ],
    [
      'a file with a key',
      () => writeFile(join(folder, 'content', 'odd.txt'), `Key: ${demo.admin['SVC_API_KEY']}`),
      'holds an API key',
    ],
  ])('reads no content file that is %s', async (_, make, words) => {
    await make();
    await edit((text) => text.replace('content/thanks.txt', 'content/odd.txt'));
    commit();
    await edit((text) => text.replace('content/odd.txt', 'content/thanks.txt'));
    const run = await svc('rehearse spring.yaml --against main');
    expect([run.exitCode, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toContain(words);
    expect(run.stderr).not.toContain(demo.admin['SVC_API_KEY']);
  });

  it.each([
    ['an unknown revision', 'spring.yaml --against maim', 'no such file, and no such revision of git'],
    ['a file in place of a revision', 'spring.yaml --against main:spring.yaml', 'no such revision of git'],
    ['a range', 'spring.yaml --against main..main', 'no such revision of git'],
    ['an option of git', 'spring.yaml --against=--output=stolen', 'no such revision of git'],
    ['no campaign file', '--against main', '--against needs a campaign file'],
    ['a missing campaign file', 'nosuch.yaml --against main', 'file nosuch.yaml not found'],
    ['an empty name', 'spring.yaml --against=', 'is empty'],
  ])('exits with 2 for %s, before a request', async (_, line, words) => {
    const before = await readdir(folder);
    const run = await svc(`rehearse ${line}`);
    expect([run.exitCode, run.stdout, requests.length]).toEqual([2, '', 0]);
    expect(run.stderr).toContain(words);
    expect(await readdir(folder)).toEqual(before);
  });

  it('refuses a plan, which is made for the present files', async () => {
    expect((await svc('plan spring.yaml --out spring.plan')).exitCode).toBe(0);
    const run = await svc('rehearse spring.plan --against main');
    expect([run.exitCode, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toContain('spring.plan is a plan');
  });

  it('says how to fetch a revision into a shallow clone', async () => {
    await edit(withSecondSend);
    commit();
    const clone = join(folder, 'clone');
    git(`clone --quiet --depth 1 file://${folder} ${clone}`);
    const run = await svc('rehearse spring.yaml --against HEAD~1', { cwd: clone });
    expect([run.exitCode, run.stdout, requests.length]).toEqual([2, '', 0]);
    expect(run.stderr).toContain('this shallow clone has no such revision');
    expect(run.stderr).toContain('git fetch --depth=1 origin main');
    git('fetch --quiet --depth=1 origin main', clone);
    expect((await compare('spring.yaml --against FETCH_HEAD', { cwd: clone })).found.same).toBe(true);
  });

  // "svc reads them from the repository of the campaign file, and writes nothing", so it starts no program that the repository names.
  it('fetches nothing into a partial clone', async () => {
    await edit((text) => `${text} `, 'content/thanks.txt');
    commit();
    git('config uploadpack.allowFilter true');
    git('config uploadpack.allowAnySHA1InWant true');
    const clone = join(folder, 'clone');
    git(`clone --quiet --filter=blob:none file://${folder} ${clone}`);
    const trap = join(folder, 'trap');
    await writeFile(trap, `#!/bin/sh\ntouch ${join(folder, 'sprung')}\nexec git-upload-pack "$@"\n`, {
      mode: 0o755,
    });
    git(`config remote.origin.uploadpack ${trap}`, clone);
    const run = await svc('rehearse spring.yaml --against HEAD~1', { cwd: clone });
    expect([run.exitCode, run.stdout, requests.length]).toEqual([2, '', 0]);
    expect(run.stderr).toContain('a partial clone may lack files of the revision');
    expect(await readdir(folder)).not.toContain('sprung');
    git('archive --output=/dev/null HEAD~1', clone);
    expect((await svc('rehearse spring.yaml --against HEAD~1 --for 1h', { cwd: clone })).exitCode).toBe(0);
  });

  it('needs a repository', async () => {
    await rm(join(folder, '.git'), { recursive: true });
    const run = await svc('rehearse spring.yaml --against main');
    expect([run.exitCode, requests.length]).toEqual([2, 0]);
    expect(run.stderr).toContain('there is no file main, and the campaign file is in no git repository');
  });

  it('needs git, and gives it no key', async () => {
    const missing = await svc('rehearse spring.yaml --against main', {
      env: { PATH: join(folder, 'content') },
    });
    expect([missing.exitCode, requests.length]).toEqual([2, 0]);
    expect(missing.stderr).toContain('a revision needs git, which is not on PATH');
    const spy = join(folder, 'bin');
    await mkdir(spy);
    await writeFile(
      join(spy, 'git'),
      `#!/bin/sh\nenv >"${folder}/seen"\nexec git "$@"\n`.replace(
        'exec git',
        `PATH='${GIT_ENV.PATH}' exec git`,
      ),
    );
    await chmod(join(spy, 'git'), 0o755);
    const { found } = await compare('spring.yaml --against main', {
      env: { PATH: `${spy}:${GIT_ENV.PATH}` },
    });
    expect(found.same).toBe(true);
    const seen = await readFile(join(folder, 'seen'), 'utf8');
    expect(seen).toContain('GIT_TERMINAL_PROMPT=0');
    expect(seen).not.toContain(demo.admin['SVC_API_KEY']);
  });
});
