/**
 * Contract, "Rehearse": "`--against OTHER` (`none`, a file, or a revision of git) prints only what differs: sends, recipients, messages per
 * person, rules, credits, findings. Exit 0, or 11 if the new one has findings of severity error that the other has not."
 */
import { execFileSync } from 'node:child_process';
import { chmod, cp, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WireRequest } from '../../../../src/service/protocol/wire.ts';
import { type DemoService, openDemoService } from '../../../support/demo-service.ts';
import { type Outside, runCli } from '../../../support/run-cli.ts';
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts';
import { parsePage, textOf } from '../../../support/web-page.ts';

let folder: string;
let demo: DemoService;
let requests: WireRequest[];
beforeEach(async () => {
  folder = await makeTemporaryFolder('against');
  await cp('examples/campaign', folder, { recursive: true });
  demo = await openDemoService();
  requests = [];
});
afterEach(() => rm(folder, { recursive: true }));

const { PATH = '' } = process.env;
/** As in a folder of its own: without the settings of whoever runs the tests. */
const GIT_ENV = {
  ...{ PATH, HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' },
  ...{ GIT_AUTHOR_NAME: 'Ada', GIT_AUTHOR_EMAIL: 'ada@example.com' },
  ...{ GIT_COMMITTER_NAME: 'Ada', GIT_COMMITTER_EMAIL: 'ada@example.com' },
};
const git = (line: string, cwd = folder): string =>
  execFileSync('git', line.split(' '), { cwd, env: GIT_ENV, encoding: 'utf8', stdio: 'pipe' }).trim();
const commit = (message = 'change'): string => {
  git('add --all');
  git(`commit --quiet --message ${message}`);
  return git('rev-parse HEAD');
};
const svc = (line: string, outside: Outside = {}) =>
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
const compare = async (line: string, outside: Outside = {}) => {
  const run = await svc(`rehearse ${line} --audience opens=10%,clicks=10% -o json`, outside);
  expect(run.stderr).toBe('');
  return { exitCode: run.exitCode, found: JSON.parse(run.stdout) };
};
const edit = async (change: (text: string) => string, file = 'spring.yaml'): Promise<void> => {
  const path = join(folder, file);
  const before = await readFile(path, 'utf8');
  const after = change(before);
  expect(after).not.toBe(before);
  await writeFile(path, after);
};
const keepOldFile = () => cp(join(folder, 'spring.yaml'), join(folder, 'old.yaml'));
const withSecondSend = (text: string): string =>
  text.replace(
    'tasks:\n',
    'tasks:\n  again:\n    name: Again\n    message: thanks\n    list: 1\n    at: 2026-12-09 12:00\n',
  );
const withBadLink = (text: string): string => text.replace('</body>', '<a href="/sale">Sale</a></body>');

interface Shown {
  readonly change: string;
  readonly differs: readonly string[];
  readonly before: { readonly key: string } | null;
  readonly after: { readonly key: string } | null;
}
const changesIn = (changes: readonly Shown[]) =>
  changes.map(({ change, differs, before, after }) => [change, (after ?? before)?.key, differs.join()]);

describe('svc rehearse --against a file', () => {
  it('says that nothing differs in every form', async () => {
    await keepOldFile();
    const { found, exitCode } = await compare('spring.yaml --against old.yaml');
    expect(exitCode).toBe(0);
    expect(Object.keys(found)).toEqual([
      ...['company', 'from', 'until', 'against', 'same', 'audience', 'renamed', 'sends', 'people', 'rules'],
      ...['credits', 'findings', 'estimated', 'unknown'],
    ]);
    expect(found).toMatchObject({
      against: { kind: 'file', name: 'old.yaml', commit: null, missing: [] },
      ...{ same: true, sends: [], rules: [] },
      people: { messages: [] },
      findings: { added: [], removed: [] },
    });
    const text = await svc('rehearse spring.yaml --against old.yaml --html page.html');
    expect([text.exitCode, text.stderr]).toEqual([0, 'wrote page.html\n']);
    expect(text.stdout).toMatch(/ against old\.yaml\n\nDifference\n {2}Nothing differs: /);
    expect(text.stdout).not.toMatch(/^(Sends|Rules|Findings)/m);
    const markdown = await svc('rehearse spring.yaml --against old.yaml --format markdown');
    expect(markdown.stdout).toMatch(/^### .* against old\.yaml\n\nNothing differs\.\n/);
    const { nodes, faults } = parsePage(await readFile(join(folder, 'page.html'), 'utf8'));
    expect(faults).toEqual([]);
    expect(nodes.filter(({ nodeName }) => nodeName === 'p').map(textOf)[0]).toBe('✔ Nothing differs.');
  });

  // Before: 443 get the newsletter, and 44 of them the thanks. Now 443 get another message.
  it('counts who gets a further message, and what it costs', async () => {
    await keepOldFile();
    await edit(withSecondSend);
    const { found, exitCode } = await compare('spring.yaml --against old.yaml');
    expect(exitCode).toBe(0);
    expect(found.same).toBe(false);
    expect(changesIn(found.sends)).toEqual([['added', 'again', '']]);
    expect(found.sends[0].after).toMatchObject({
      local: '2026-12-09 12:00',
      list: 1,
      sent: 443,
      credits: 443,
    });
    expect(found.people).toEqual({
      mostInADay: { before: 2, after: 2 },
      mostInAWeek: { before: 3, after: 4 },
      messages: [
        { messages: 2, more: 399, fewer: 0 },
        { messages: 3, more: 44, fewer: 0 },
      ],
    });
    expect(found.rules).toEqual([]);
    expect(found.credits).toEqual({ email: { before: 487, after: 930 }, sms: { before: 211, after: 211 } });
    expect(found.findings).toEqual({ added: [], removed: [] });
    const { stdout } = await svc('rehearse spring.yaml --against old.yaml --audience clicks=10%');
    expect(stdout.replace(/\s+/g, ' ')).toContain(
      'About 399 people get a second message. - About 44 people get a third message. - No person receives more than 4 messages in a week, instead of 3. - About 443 e-mail credits more: 930 instead of 487.',
    );
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  it('shows what is gone, moved or goes to others', async () => {
    await keepOldFile();
    await edit((text) =>
      text
        .replace('at: monday 09:00', 'at: 2026-12-08 10:00')
        .replace(/ {2}last-day:\n[\s\S]*?\n\n/, '\n')
        .replace('after: 1h', 'after: 90d')
        .replace('name: Spring readers join', 'name: Readers join'),
    );
    const { found } = await compare('spring.yaml --against old.yaml');
    expect(changesIn(found.sends)).toEqual([
      ['changed', 'newsletter', 'time,until'],
      ['removed', 'last-day', ''],
    ]);
    expect(changesIn(found.rules)).toEqual([
      ['changed', 'thank-you', 'ran,sent,queued'],
      ['changed', 'loyalty', 'name'],
    ]);
    expect(found.rules[0].after).toMatchObject({ ran: 0, sent: 0, queued: 44 });
    expect(found.people.messages).toEqual([
      { messages: 1, more: 0, fewer: 211 },
      { messages: 2, more: 0, fewer: 44 },
    ]);
    const { stdout } = await svc('rehearse spring.yaml --against old.yaml --audience clicks=10%,opens=10%');
    const flat = stdout.replace(/\s+/g, ' ');
    for (const words of [
      'About 211 people no longer get a message.',
      'About 211 SMS credits fewer: 0 instead of 211.',
      'changed E-mail Spring sale to the newsletter: 2026-12-08 10:00 instead of 2026-12-07 09:00',
      'gone 2026-12-11 09:00: SMS "Spring sale, last day"',
      'still to come 44 instead of 0',
    ])
      expect(flat).toContain(words);
  });

  // The order of the file decides about ids, and nothing else.
  it('knows items by their keys', async () => {
    await keepOldFile();
    await edit((text) => {
      const [, newsletter = '', lastDay = ''] =
        /( {2}newsletter:\n[\s\S]*?)( {2}last-day:\n[\s\S]*?)\n\n/.exec(text) ?? [];
      return text.replace(`${newsletter}${lastDay}`, `${lastDay}\n${newsletter.trimEnd()}`);
    });
    expect((await compare('spring.yaml --against old.yaml')).found.same).toBe(true);
  });

  it('exits with 11 for an error that only the new one has, and with --strict for a warning', async () => {
    await keepOldFile();
    await edit((text) => text.replace('at: monday 09:00', 'at: 2026-12-07 22:30'));
    const night = await compare('spring.yaml --against old.yaml');
    expect(night.exitCode).toBe(0);
    expect(night.found.findings.added.map(({ rule }: { rule: string }) => rule)).toEqual(['night']);
    expect((await compare('spring.yaml --against old.yaml --strict')).exitCode).toBe(11);
    await edit((text) => text.replace('expect-size: 300..500', 'expect-size: 1..2'));
    const blocked = await compare('spring.yaml --against old.yaml');
    expect([blocked.exitCode, blocked.found.findings.added.length]).toEqual([11, 1]);
    const reverse = await compare('old.yaml --against spring.yaml --strict');
    expect([reverse.exitCode, reverse.found.findings.removed.length]).toEqual([0, 1]);
  });

  it('exits with 0 if both have the same error, in another place', async () => {
    await keepOldFile();
    await edit(withBadLink, 'content/spring.html');
    await cp(join(folder, 'content', 'spring.html'), join(folder, 'content', 'new.html'));
    await edit((text) => text.replace('content/spring.html', 'content/new.html'));
    await edit((text) => text.replace('<body', '\n\n<body'), 'content/new.html');
    const { found, exitCode } = await compare('spring.yaml --against old.yaml');
    expect([exitCode, found.same, found.findings]).toEqual([0, true, { added: [], removed: [] }]);
  });

  it('gives values of flags to both, and lets the other not use them', async () => {
    await keepOldFile();
    await edit((text) => text.replace('subject: Spring coffee offers', `subject: "\${{ title }}"`));
    const { found } = await compare('spring.yaml --against old.yaml --set title=Offers');
    expect(found.same).toBe(true);
    expect((await svc('rehearse old.yaml --against spring.yaml --set title=Offers')).exitCode).toBe(2);
  });

  // "A send or a rule is the same in both if it is the same item of a campaign": `renamed-from` says which.
  describe('an item that is renamed', () => {
    const renameTask = (text: string): string =>
      text.replace('  newsletter:\n', '  letter:\n    renamed-from: newsletter\n');
    const renameRule = (text: string): string =>
      text.replace('  thank-you:\n', '  thanks-rule:\n    renamed-from: thank-you\n');
    const RENAMED = [
      { kind: 'task', before: 'newsletter', after: 'letter' },
      { kind: 'automation', before: 'thank-you', after: 'thanks-rule' },
    ];
    beforeEach(keepOldFile);

    it.each([
      ['not applied', undefined],
      ['applied', 'old.yaml'],
    ])('is the same item if the campaign is %s', async (_, applied) => {
      if (applied !== undefined) expect((await svc(`apply ${applied} --yes`)).exitCode).toBe(0);
      await edit((text) => renameRule(renameTask(text)));
      const { found, exitCode } = await compare('spring.yaml --against old.yaml --strict');
      expect([exitCode, found.same, found.renamed]).toEqual([0, true, RENAMED]);
      expect(found.sends).toEqual([]);
      expect(found.rules).toEqual([]);
      const { stdout } = await svc('rehearse spring.yaml --against old.yaml');
      expect(stdout).toContain('- The task letter is renamed: old.yaml has it as newsletter.\n');
      expect(stdout).toMatch(/ {2}Nothing differs: /);
      const reverse = await compare('old.yaml --against spring.yaml');
      expect(reverse.found.renamed).toEqual(
        RENAMED.map(({ kind, before, after }) => ({ kind, before: after, after: before })),
      );
    });

    it('shows only its real differences', async () => {
      await edit((text) => renameTask(text).replace('at: monday 09:00', 'at: 2026-12-08 10:00'));
      const { found } = await compare('spring.yaml --against old.yaml');
      expect(changesIn(found.sends)).toEqual([['changed', 'letter', 'time,until']]);
      expect(found.renamed).toEqual(RENAMED.slice(0, 1));
    });

    it('keeps its findings, also in a campaign with another name', async () => {
      await edit((text) => text.replace('at: monday 09:00', 'at: 2026-12-07 22:30'));
      await keepOldFile();
      expect((await svc('apply old.yaml --yes')).exitCode).toBe(0);
      await edit((text) =>
        renameTask(text).replace(
          /^campaign: (.*)$/m,
          (_, name: string) => `campaign: Other\nrenamed-from: ${name}`,
        ),
      );
      const { found, exitCode } = await compare('spring.yaml --against old.yaml --strict');
      expect([exitCode, found.same, found.findings]).toEqual([0, true, { added: [], removed: [] }]);
      const [campaign, ...items] = found.renamed;
      expect(campaign).toMatchObject({ kind: 'campaign', after: 'Other' });
      expect(items).toEqual(RENAMED.slice(0, 1));
      expect((await compare('spring.yaml --against none')).found.same).toBe(true);
    });

    it('is one line for a series, and one for a sequence', async () => {
      await edit((text) =>
        text
          .replace('at: monday 09:00', 'at: 2026-12-07 09:00\n    repeat: {every: day, times: 3}')
          .concat('sequences:\n  hello:\n    name: Hello\n    list: 1\n    steps:\n')
          .concat('      - {message: thanks, after: 1d}\n      - {message: thanks, after: 2d, key: last}\n'),
      );
      await keepOldFile();
      await edit((text) =>
        renameTask(text)
          .replace('  hello:\n', '  welcome:\n    renamed-from: hello\n')
          .replace('after: 1d}', 'after: 1d, key: first, renamed-from: 1}'),
      );
      const { found } = await compare('spring.yaml --against old.yaml --for 5d');
      expect(found.renamed).toEqual([
        { kind: 'task', before: 'newsletter', after: 'letter' },
        { kind: 'sequence', before: 'hello', after: 'welcome' },
        { kind: 'automation', before: 'hello/1', after: 'welcome/first' },
      ]);
      expect(found.sends).toEqual([]);
      // The name of the rule has the key of the step.
      expect(changesIn(found.rules)).toEqual([['changed', 'welcome/first', 'name']]);
    });
  });

  it('compares plans, too', async () => {
    expect((await svc('plan spring.yaml --out old.plan')).exitCode).toBe(0);
    expect((await compare('spring.yaml --against old.plan')).found.same).toBe(true);
  });
});

describe('svc rehearse --against none', () => {
  it('shows everything that the campaign does, and no send of the account', async () => {
    const whole = (await compare('spring.yaml')).found;
    const { found, exitCode } = await compare('spring.yaml --against none');
    expect(exitCode).toBe(0);
    expect(found.against).toEqual({ kind: 'none', name: 'none', commit: null, missing: [] });
    const own = (each: { readonly key: string | null }) => each.key !== null;
    expect(found.sends.map(({ after }: { after: unknown }) => after)).toEqual(whole.sends.filter(own));
    expect(found.rules.map(({ after }: { after: unknown }) => after)).toEqual(whole.rules.filter(own));
    expect(found.credits).toEqual({ email: { before: 0, after: 487 }, sms: { before: 0, after: 211 } });
    expect(found.people.messages).toEqual([
      { messages: 1, more: 443 + 211, fewer: 0 },
      { messages: 2, more: 44, fewer: 0 },
    ]);
  });

  it('leaves out a campaign that is applied already', async () => {
    expect((await svc('apply spring.yaml --yes')).exitCode).toBe(0);
    const { found } = await compare('spring.yaml --against none');
    expect([found.same, found.sends]).toEqual([true, []]);
  });
});

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
      `#!/bin/sh\nenv >"${folder}/seen"\nexec git "$@"\n`.replace('exec git', `PATH='${PATH}' exec git`),
    );
    await chmod(join(spy, 'git'), 0o755);
    const { found } = await compare('spring.yaml --against main', { env: { PATH: `${spy}:${PATH}` } });
    expect(found.same).toBe(true);
    const seen = await readFile(join(folder, 'seen'), 'utf8');
    expect(seen).toContain('GIT_TERMINAL_PROMPT=0');
    expect(seen).not.toContain(demo.admin['SVC_API_KEY']);
  });
});
