/** Contract, "Assistants": `draft_campaign` writes below the working folder only, and returns the findings. */
import { mkdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type Assistant,
  type AssistantWorld,
  assistantWorld,
  type Result,
} from '../../../support/assistant.ts';

let world: AssistantWorld;
let assistant: Assistant;
beforeAll(async () => {
  world = await assistantWorld();
  assistant = await world.open();
});
afterAll(async () => {
  await assistant.close();
  await world.remove();
});
beforeEach(() => rm(join(world.folder, 'new'), { recursive: true, force: true }));

const YAML = `version: 1
campaign: Draft
messages:
  news:
    channel: email
    name: News
    subject: News
    fromemail: news@harbourcoffee.example
    fromname: Harbour Coffee
    replyemail: news@harbourcoffee.example
    html: content/news.html
    text: content/news.txt
`;
const HTML =
  '<html lang="en"><head><title>News</title></head><body><p>Hello</p> <a href="#optout#">Leave</a></body></html>';
const file = (path: string, text: string) => ({ path: `new/${path}`, text });
const draft = (more: Record<string, unknown> = {}): Promise<Result> =>
  assistant.call('draft_campaign', {
    file: ['new/draft.yaml'],
    write: [file('draft.yaml', YAML), file('content/news.html', HTML), file('content/news.txt', 'Hello')],
    ...more,
  });
const read = (path: string): Promise<string> => readFile(join(world.folder, 'new', path), 'utf8');

it('writes the files, makes their folders, and finds nothing in a good campaign, which plan then takes', async () => {
  const { ok, rows, untrusted } = await draft();
  expect([ok, rows.filter(({ severity }: Result) => severity === 'error')]).toEqual([true, []]);
  expect(untrusted.notes).toEqual(
    ['draft.yaml', 'content/news.html', 'content/news.txt'].map((each) => `wrote new/${each}`),
  );
  expect([await read('draft.yaml'), await read('content/news.html')]).toEqual([YAML, HTML]);
  expect((await stat(join(world.folder, 'new/draft.yaml'))).mode & 0o777).toBe(0o600);
  const planned = await assistant.call('plan', { file: ['new/draft.yaml'] });
  expect(planned).toMatchObject({ ok: true, result: { passed: true } });
});

it('returns faults of the file and errors of lint with their places', async () => {
  const broken = YAML.replace('fromname', 'fromnmae');
  const { ok, exit, rows } = await draft({
    write: [file('draft.yaml', broken), file('content/news.html', '<a href="https:///x">x</a>')],
  });
  expect([ok, exit]).toEqual([false, 11]);
  expect(rows).toContainEqual(expect.objectContaining({ rule: 'campaign-file', severity: 'error', line: 9 }));
});

it('replaces existing files only with replace, and says which', async () => {
  await draft();
  await rm(join(world.folder, 'new/content/news.txt'));
  const other = { write: [file('content/news.txt', 'New'), file('content/news.html', '<p>Other</p>')] };
  const refused = await draft(other);
  expect(refused).toMatchObject({ ok: false, exit: 2 });
  expect(refused.untrusted.message).toBe('new/content/news.html: exists already; nothing was written');
  expect(await read('content/news.html')).toBe(HTML);
  await expect(read('content/news.txt')).rejects.toThrow('ENOENT');
  const replaced = await draft({ ...other, replace: true });
  expect(replaced.untrusted.notes).toEqual(['wrote new/content/news.txt', 'replaced new/content/news.html']);
  expect(await read('content/news.html')).toBe('<p>Other</p>');
});

it('checks a campaign without writing anything', async () => {
  expect(await assistant.call('draft_campaign', { file: ['spring.yaml'] })).toMatchObject({
    ok: true,
    exit: 0,
  });
});

// "Paths stay in the working folder, also through links. Hidden files … are refused": also the path in a test file.
it.each(['../elsewhere.yaml', 'gone.yaml', '.env'])('reads no campaign %s for a test file', async (path) => {
  await writeFile(join(world.folder, '..', 'elsewhere.yaml'), 'secret: 1\n');
  await writeFile(join(world.folder, '.env'), 'secret: 1\n');
  await rm(join(world.folder, 'gone.yaml'), { force: true });
  await symlink(join(world.folder, '..', 'elsewhere.yaml'), join(world.folder, 'gone.yaml'));
  const text = `version: 1\ncampaign: ../${path}\ntests: {a: [list 1 receives nothing]}\n`;
  const drafted = await draft({ file: ['new/a.test.yaml'], write: [file('a.test.yaml', text)] });
  expect(drafted).toMatchObject({ ok: false, exit: 11, rows: [{ line: 2, severity: 'error' }] });
  expect(JSON.stringify(drafted)).toMatch(/is not in the working folder|is hidden/);
  expect(JSON.stringify(drafted)).not.toContain('secret');
});

describe('refuses, and writes no other file of the call', () => {
  beforeAll(async () => {
    const outside = join(world.folder, '..', 'outside');
    await mkdir(outside);
    await writeFile(join(outside, 'page.html'), 'outside');
    await symlink(outside, join(world.folder, 'away'));
    await symlink(join(outside, 'page.html'), join(world.folder, 'away.html'));
    await writeFile(join(world.folder, 'signers.txt'), await readFile(join(world.folder, 'team.signers')));
  });

  it.each([
    ['a path outside of the folder', '../escaped.html', /must not leave/],
    ['an absolute path', '/tmp/escaped.html', /relative to the working folder/],
    ['a hidden file', '.github/workflows/ci.yaml', /hidden/],
    ['a link to a folder outside', 'away/page.html', /link out/],
    ['a link to a file outside', 'away.html', /link out/],
    ['a program', 'run.sh', /names end in/],
    ['a plan', 'spring.plan', /names end in/],
    ['an approval', 'spring.plan.alice.sig', /names end in/],
    ['a signers file', 'team.signers', /names end in/],
    ['a folder', 'content', /is a folder/],
  ])('%s', async (_, path, says) => {
    const write = [file('first.html', 'x'), { path, text: 'changed' }];
    const result = await draft({ write, replace: true });
    expect(result).toMatchObject({ ok: false, exit: 2 });
    expect(result.untrusted.message).toMatch(says);
    await expect(read('first.html')).rejects.toThrow('ENOENT');
    expect(await readFile(join(world.folder, 'away.html'), 'utf8')).toBe('outside');
  });

  it('the signers of the profile, whatever their name', async () => {
    const path = join(world.folder, 'signers.txt');
    await world.svc('profile', 'set', 'prod', 'signers', 'signers.txt');
    const other = await world.open();
    const before = await readFile(path, 'utf8');
    const given = { file: ['spring.yaml'], write: [{ path: 'signers.txt', text: 'me' }], replace: true };
    expect(await other.call('draft_campaign', given)).toMatchObject({ ok: false, exit: 2 });
    expect(await readFile(path, 'utf8')).toBe(before);
    await other.close();
    await world.svc('profile', 'set', 'prod', 'signers', 'team.signers');
  });

  it.each([
    ['no list', 'x'],
    ['no text', [{ path: 'new/a.html' }]],
    ['too many files', Array(51).fill({ path: 'new/a.html', text: '' })],
    ['a file of more than 1 MiB', [{ path: 'new/a.html', text: 'x'.repeat(1024 * 1024 + 1) }]],
  ])('%s', async (_, write) => {
    expect(await draft({ write })).toMatchObject({ ok: false, exit: 2 });
    await expect(read('a.html')).rejects.toThrow('ENOENT');
  });

  it('a campaign that neither exists nor is written', async () => {
    const result = await draft({ write: [file('content/news.html', HTML)] });
    expect(result).toMatchObject({ ok: false, exit: 2 });
    expect(result.untrusted.message).toContain('new/draft.yaml not found');
    await expect(read('content/news.html')).rejects.toThrow('ENOENT');
  });

  it('every file with --dry-run', async () => {
    const other = await world.open('--dry-run');
    const given = { file: ['new/draft.yaml'], write: [file('draft.yaml', YAML)] };
    expect(await other.call('draft_campaign', given)).toMatchObject({ ok: false, exit: 2 });
    await expect(read('draft.yaml')).rejects.toThrow('ENOENT');
    await other.close();
  });
});
