/**
 * Contract, "Rehearse": "`--against OTHER` (`none`, a file, or a revision of git) prints only what differs: sends, recipients, messages per
 * person, rules, credits, findings. Exit 0, or 11 if the new one has findings of severity error that the other has not."
 */
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  changesIn,
  compare,
  edit,
  folder,
  keepOldFile,
  svc,
  useCampaignFolder,
  withBadLink,
  withSecondSend,
} from '../../../support/compared-campaign.ts';
import { parsePage, textOf } from '../../../support/web-page.ts';

useCampaignFolder();

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

  it('has the article of the eighth message', async () => {
    await keepOldFile();
    await edit((text) =>
      withSecondSend(text).replace('12:00\n', '12:00\n    repeat: {every: day, times: 7, ahead: 7}\n'),
    );
    const { stdout } = await svc('rehearse spring.yaml --against old.yaml');
    expect(stdout).toMatch(/get a seventh message\.\n.* get an eighth message\./);
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
