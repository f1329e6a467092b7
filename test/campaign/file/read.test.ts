/** Contract, "Campaigns as files": the values that are read, and every fault with its line and column. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type {
  ContentFileLimits,
  ContentFileResult,
} from '../../../src/features/campaign/file/content-files.ts';
import {
  type CampaignReadResult,
  type ParsedCampaign,
  positionOf,
  readCampaign,
  readCampaignFile,
} from '../../../src/features/campaign/file/read.ts';
import { computeItemKeyHash } from '../../../src/features/campaign/marks.ts';
import type { WantedItem } from '../../../src/features/campaign/model.ts';
import { listSequences } from '../../../src/features/campaign/sequences.ts';
import { depth } from '../../support/depth.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';
import { ACCEPTED_RENAMES, REFUSED_RENAMES } from './rename-samples.ts';
import { ACCEPTED, CONTENTS, ENVIRONMENT, MAIL, REFUSED, SET, TEXT, variable } from './samples.ts';
import { ACCEPTED_SEQUENCES, REFUSED_SEQUENCES } from './sequence-samples.ts';
import { ACCEPTED_SERIES, REFUSED_SERIES } from './series-samples.ts';

const OPTIONS = { env: ENVIRONMENT, set: SET };
const readContent = async (path: string): Promise<ContentFileResult> => {
  const text = CONTENTS[path];
  return text === undefined ? { fault: 'does not exist' } : { octets: Buffer.from(text) };
};
const read = (yaml: string | Uint8Array): Promise<CampaignReadResult> =>
  readCampaign({ path: 'team/sale.yaml', octets: Buffer.from(yaml) }, { ...OPTIONS, readContent });

const faultsOf = (found: CampaignReadResult): readonly string[] =>
  'faults' in found ? found.faults.map(({ line, column, message }) => `${line}:${column} ${message}`) : [];

function good(found: CampaignReadResult): ParsedCampaign {
  expect(faultsOf(found)).toEqual([]);
  if ('faults' in found) throw new Error('it has faults');
  return found;
}

async function itemOf(yaml: string, key: string): Promise<WantedItem | undefined> {
  const { campaign } = good(await read(yaml));
  return campaign.items.find((item) => item.key === key);
}

describe('reading a file', () => {
  it.each([...ACCEPTED, ...ACCEPTED_SEQUENCES, ...ACCEPTED_RENAMES, ...ACCEPTED_SERIES])(
    '%s',
    async (_, yaml) => {
      good(await read(yaml));
    },
  );

  it.each([
    ['Windows line ends', ACCEPTED[6]?.[1].replaceAll('\n', '\r\n') ?? ''],
    ['a byte order mark', `\ufeff${ACCEPTED[6]?.[1]}`],
  ])('%s', async (_, yaml) => {
    expect(good(await read(yaml)).campaign).toEqual(good(await read(ACCEPTED[6]?.[1] ?? '')).campaign);
  });

  it('makes a rule of each step of a sequence, under a key that no other item can have', async () => {
    const yaml = `version: 1
campaign: Sale
messages:
  t:
${TEXT}sequences:
  welcome:
    name: Welcome
    list: 7
    paused: true
    steps:
      - {message: 12, after: 0m}
      - {message: t, after: 3d, at-hour: 9, weekends: false, key: text}
`;
    const { campaign } = good(await read(yaml));
    const rule = { kind: 'automation', rule: 'subscription', paused: true };
    const list_id = { id: '7' };
    expect(campaign.items.slice(1)).toEqual([
      {
        ...rule,
        key: 'welcome/1',
        name: 'Welcome, step 1',
        values: { actiontimediff: 0, actiontype: 'email_autoresponder' },
        references: { list_id, actiontarget: { id: '12' } },
      },
      {
        ...rule,
        key: 'welcome/text',
        name: 'Welcome, step text',
        values: {
          actiontimediff: 3 * 1440,
          actionhour: '09:00:00',
          actiononweekend: false,
          actiontype: 'sms_autoresponder',
        },
        references: { list_id, actiontarget: { key: 't' } },
      },
    ]);
    expect(listSequences(campaign.items)).toEqual([
      {
        ...{ key: 'welcome', name: 'Welcome', list: '7' },
        steps: [
          { key: '1', rule: campaign.items[1] },
          { key: 'text', rule: campaign.items[2] },
        ],
      },
    ]);
  });

  it('returns items in the order of the kinds, whatever their order in the file', async () => {
    const yaml = `tasks:
  t: {name: T, message: m, list: 7, at: +2d}
folders:
  f: {name: F}
messages:
  m:
${TEXT}version: 1
campaign: Sale
company: 12
`;
    expect(good(await read(yaml)).campaign).toEqual({
      campaign: 'Sale',
      company: 12,
      items: [
        { kind: 'folder', key: 'f', name: 'F' },
        {
          kind: 'message',
          key: 'm',
          channel: 'sms',
          name: 'Text',
          // Without the line end that an editor adds at the end of a file.
          values: { fromname: 'Shop', message: 'Hello' },
          files: { message: 'c/sms.txt' },
        },
        {
          kind: 'task',
          key: 't',
          name: 'T',
          channel: null,
          message: { key: 'm' },
          list: '7',
          search: null,
          at: '+2d',
          rate: null,
          expectSize: null,
          maxCredits: null,
          hold: null,
        },
      ],
    });
  });

  it("returns the same e-mail message for friendly names and the interface's names", async () => {
    const head = 'version: 1\ncampaign: Sale\nmessages:\n  m:\n';
    const own = MAIL.replace('from:', 'fromemail:')
      .replace('from-name', 'fromname')
      .replace('reply-to', 'replyemail');
    const found = await itemOf(head + MAIL, 'm');
    expect(found).toEqual({
      kind: 'message',
      key: 'm',
      channel: 'email',
      name: 'Mail',
      values: {
        fromemail: 'news@shop.example',
        fromname: 'Shop',
        replyemail: 'shop@shop.example',
        subject: 'Sale',
        html: '<p>Hello</p>\n',
        text: 'Hello\n',
      },
      files: { html: 'c/mail.html', text: 'c/mail.txt' },
    });
    expect(await itemOf(head + own, 'm')).toEqual(found);
  });

  it('returns values as the service stores them: no + before a number, and zeros as written', async () => {
    const yaml = `version: 1\ncampaign: Sale\nmessages:\n  m:\n${TEXT.replace('Shop', '+447700900123').replace('name: Text', 'name: 007')}`;
    expect(await itemOf(yaml, 'm')).toMatchObject({ name: '007', values: { fromname: '447700900123' } });
  });

  it.each([
    ['447', { from: 447, to: 447 }],
    ['9000..11000', { from: 9000, to: 11000 }],
    [`1..${variable('n')}`, { from: 1, to: 500 }],
    ['null', null],
  ])('reads expect-size: %s', async (text, expectSize) => {
    const yaml = `version: 1\ncampaign: Sale\ntasks:\n  t: {name: T, message: 12, list: 7, at: +2d, expect-size: "X"}\n`;
    expect(await itemOf(yaml.replace('"X"', text === 'null' ? text : `"${text}"`), 't')).toMatchObject({
      expectSize,
    });
  });

  it.each([
    ['mail', { key: 'mail' }],
    ['12', { id: '12' }],
    ['"12"', { id: '12' }],
    ['90071992547409931', { id: '90071992547409931' }],
    ['Old mail', { name: 'Old mail' }],
    ['"Mail"', { name: 'Mail' }],
  ])('reads a reference: %s', async (text, message) => {
    const yaml = `version: 1\ncampaign: Sale\nmessages:\n  mail:\n${MAIL}tasks:\n  t: {name: T, message: ${text}, list: 7, at: +2d}\n`;
    expect(await itemOf(yaml, 't')).toMatchObject({ message });
  });

  // Interface, "Automation rules", per-kind differences: minutes for subscription rules, seconds for the others.
  it.each([
    ['kind: click, link: 3', 'after: 2d', 172_800],
    ['kind: open, message: 3', 'after: 2d', 172_800],
    ['kind: subscription, list: 3', 'after: 2d', 2880],
    ['kind: date', 'after: 2d', 172_800],
    ['kind: date', 'before: 2d', -172_800],
    ['kind: date', 'actiontimediff: -60', -60],
    ['kind: subscription, list: 3', 'actiontimediff: 60', 60],
  ])('reads {%s, %s}', async (kind, offset, actiontimediff) => {
    const yaml = `version: 1\ncampaign: Sale\nautomations:\n  r: {${kind}, ${offset}, name: R, actiontype: notify, actiontarget: a@shop.example, actiononweekend: true}\n`;
    expect(await itemOf(yaml, 'r')).toMatchObject({ values: { actiontimediff } });
  });

  it('returns a rule with references separate from values, and explicit nulls', async () => {
    const yaml = `version: 1
campaign: Sale
messages:
  mail:
${MAIL}automations:
  r: {kind: click, name: R, message: mail, link: null, actiontype: email_autoresponder, actiontarget: Thanks, summary: null}
  s: {kind: sms, name: S, keyword: hello, list: 7, email-list: 8, notifyurl: "https://shop.example/in", paused: true}
`;
    expect(await itemOf(yaml, 'r')).toEqual({
      kind: 'automation',
      key: 'r',
      rule: 'click',
      name: 'R',
      values: { link_id: null, actiontype: 'email_autoresponder', summary: null },
      references: { message_id: { key: 'mail' }, actiontarget: { name: 'Thanks' } },
      paused: false,
    });
    expect(await itemOf(yaml, 's')).toEqual({
      kind: 'automation',
      key: 's',
      rule: 'sms',
      name: 'S',
      values: { keyword: 'hello', notifyurl: 'https://shop.example/in' },
      references: { list_id: { id: '7' }, email_list_id: { id: '8' } },
      paused: true,
    });
  });

  it('returns inputs with their hashes, each file once', async () => {
    const yaml = `version: 1\ncampaign: Sale\nmessages:\n  a:\n${MAIL}  b:\n${MAIL.replace('c/mail.html', './c//mail.html')}`;
    const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
    expect(good(await read(yaml)).inputs).toEqual([
      { file: 'sale.yaml', sha256: hash(yaml) },
      { file: 'c/mail.html', sha256: hash(CONTENTS['c/mail.html'] ?? '') },
      { file: 'c/mail.txt', sha256: hash(CONTENTS['c/mail.txt'] ?? '') },
    ]);
  });

  it("returns places of items and attributes, by the interface's names", async () => {
    const found = good(await read(`version: 1\ncampaign: Sale\nmessages:\n  m:\n${MAIL}`));
    expect(positionOf(found, 'message', 'm')).toEqual({ line: 4, column: 3 });
    expect(positionOf(found, 'message', 'm', 'fromemail')).toEqual({ line: 7, column: 11 });
    expect(positionOf(found, 'message', 'm', 'galinkdata')).toEqual({ line: 4, column: 3 });
    expect(positionOf(found, 'task', 'm')).toBeUndefined();
  });
});

describe('variables', () => {
  const nameOf = async (text: string): Promise<string | undefined> =>
    (await itemOf(`version: 1\ncampaign: Sale\nfolders:\n  a:\n    name: ${text}\n`, 'a'))?.name;

  it.each([
    ['of the environment', `Build ${variable('env.BUILD')}`, 'Build 17'],
    ['of --set', `"${variable('n')}/${variable('n')}"`, '500/500'],
    ['without blanks', `\${{n}}`, '500'],
    ['in a block', `>-\n      on\n      ${variable('day')}`, 'on 2027-03-20'],
    ['escaped', `$${variable('n')}`, variable('n')],
    ['an empty one in a text', `a${variable('env.EMPTY')}b`, 'ab'],
    ['braces of the service', '"{{ field.City }}"', '{{ field.City }}'],
  ])('%s', async (_, text, name) => {
    expect(await nameOf(text)).toBe(name);
  });

  // Contract: "are data: they cannot add YAML".
  it('cannot add YAML', async () => {
    const yaml = `version: 1\ncampaign: Sale\ntasks:\n  t:\n    name: ${variable('env.YAML')}\n    message: 12\n    list: 7\n    at: +2d\n`;
    expect(await itemOf(yaml, 't')).toMatchObject({ name: ENVIRONMENT['YAML'] });
  });

  it('are not replaced inside another variable', async () => {
    const found = await readCampaign(
      { path: 'a.yaml', octets: Buffer.from(`version: 1\ncampaign: ${variable('a')}\n`) },
      { env: ENVIRONMENT, set: new Map([['a', variable('env.BUILD')]]), readContent },
    );
    expect(good(found).campaign.campaign).toBe(variable('env.BUILD'));
  });

  it('are not replaced in content files', async () => {
    const found = await readCampaign(
      { path: 'a.yaml', octets: Buffer.from(`version: 1\ncampaign: Sale\nmessages:\n  m:\n${TEXT}`) },
      { ...OPTIONS, readContent: async () => ({ octets: Buffer.from(variable('nosuch')) }) },
    );
    expect(good(found).campaign.items[0]).toMatchObject({ values: { message: variable('nosuch') } });
  });

  it('are listed if they are used', async () => {
    const found = good(await read(`version: 1\ncampaign: ${variable('n')} ${variable('env.BUILD')}\n`));
    expect([...found.usedVariables]).toEqual(['n', 'env.BUILD']);
  });

  it('never reveal the value of a key', async () => {
    const found = await read(`version: 1\ncampaign: ${variable('env.SVC_API_KEY')}\n`);
    expect(JSON.stringify(found)).not.toContain(ENVIRONMENT['SVC_API_KEY']);
  });
});

// Contract, "The everyday screen": rule flags. `svc explain campaign` names the same words.
describe('words of rules', () => {
  it.each([
    ['action: add-to-list, target: 2', { actiontype: 'addtolist' }],
    ['kind: subscription, list: 1, action: Copy-To-List, target: 2', { actiontype: 'copytolist' }],
    ['kind: subscription, list: 1, action: move-to-list, target: 2', { actiontype: 'movetolist' }],
    ['kind: subscription, list: 1, action: remove-from-list, target: 0', { actiontype: 'removefromlist' }],
    ['action: autoresponder, target: Thanks', { actiontype: 'email_autoresponder' }],
    ['action: email-autoresponder, target: Thanks', { actiontype: 'email_autoresponder' }],
    ['action: sms-autoresponder, target: Thanks', { actiontype: 'sms_autoresponder' }],
    ['actiontype: add-to-list, target: 2', { actiontype: 'addtolist' }],
    ['action: addtolist, target: 2, at-hour: 9', { actiontype: 'addtolist', actionhour: '09:00:00' }],
    ['action: addtolist, target: 2, at-hour: "09:00"', { actionhour: '09:00:00' }],
  ])('%s', async (words, values) => {
    const found = await read(
      `version: 1\ncampaign: Sale\nautomations:\n  r: {${words.startsWith('kind') ? '' : 'kind: open, message: 7, '}name: R, ${words}, after: 1d, weekends: true}\n`,
    );
    expect(good(found).campaign.items[0]).toMatchObject({ values });
  });

  it.each(['action: add, target: 2', 'action: addtolist, target: 2, at-hour: 25'])(
    'are refused: %s',
    async (words) => {
      const found = await read(
        `version: 1\ncampaign: Sale\nautomations:\n  r: {kind: open, message: 7, name: R, ${words}, after: 1d, weekends: true}\n`,
      );
      expect(faultsOf(found).join()).toMatch(/must be (one of|a full hour)/);
    },
  );
});

describe('faults', () => {
  it.each([...REFUSED, ...REFUSED_SEQUENCES, ...REFUSED_RENAMES, ...REFUSED_SERIES])(
    '$title',
    async ({ yaml, faults }) => {
      const found = faultsOf(await read(yaml));
      expect(found.map((fault) => fault.split(' ')[0])).toEqual(faults.map(([place]) => place));
      for (const [index, [, says]] of faults.entries()) expect(found[index]).toContain(says);
    },
  );

  it('name the file as the user gave it, and come in order', async () => {
    const found = await read('version: 1\ncompany: x\nfolders:\n  A: {}\n  b: {nam: x}\n');
    expect('faults' in found && found.faults.map(({ file, line, column }) => [file, line, column])).toEqual([
      ['team/sale.yaml', 1, 1],
      ['team/sale.yaml', 2, 10],
      ['team/sale.yaml', 4, 3],
      ['team/sale.yaml', 5, 3],
      ['team/sale.yaml', 5, 7],
    ]);
  });

  it('include two items with the same marks', async () => {
    const seen = new Map<string, string>();
    let pair: readonly string[] = [];
    for (let index = 0; pair.length === 0; index += 1) {
      const key = `k${index}`;
      const other = seen.get(computeItemKeyHash('folder', key));
      if (other !== undefined) pair = [other, key];
      seen.set(computeItemKeyHash('folder', key), key);
    }
    const yaml = `version: 1\ncampaign: Sale\nfolders:\n  ${pair[0]}: {name: A}\n  ${pair[1]}: {name: B}\n`;
    expect(faultsOf(await read(yaml))).toEqual([
      `5:3 folder ${pair[1]}: svc cannot distinguish this key from folder ${pair[0]}; choose another key`,
    ]);
  });

  it('include text in the file that is not UTF-8', async () => {
    const octets = Buffer.concat([Buffer.from('version: 1\ncampaign: '), Buffer.from([0xe4, 0x0a])]);
    expect(faultsOf(await read(octets))).toEqual([expect.stringContaining('1:1 the file is not UTF-8 text')]);
  });

  it('include content that is not UTF-8', async () => {
    const found = await readCampaign(
      { path: 'a.yaml', octets: Buffer.from(`version: 1\ncampaign: Sale\nmessages:\n  m:\n${TEXT}`) },
      { ...OPTIONS, readContent: async () => ({ octets: Uint8Array.of(0xe4) }) },
    );
    expect(faultsOf(found)).toEqual(['8:14 message m: message: c/sms.txt is not UTF-8 text']);
  });

  it('include a file of more than 1 MiB', async () => {
    const octets = Buffer.concat([
      Buffer.from('version: 1\ncampaign: Sale\n#'),
      Buffer.alloc(1024 * 1024, 'x'),
    ]);
    expect(faultsOf(await read(octets))).toEqual(['1:1 the file is larger than 1 MiB']);
  });

  it.each([
    ['brackets', '['.repeat(100_000)],
    ['braces', '{a: '.repeat(50_000)],
    ['hyphens', '- '.repeat(50_000)],
    ['question marks', '? '.repeat(50_000)],
  ])('include %s nested too deeply', async (_, yaml) => {
    expect(faultsOf(await read(`version: 1\ncampaign: Sale\nfolders:\n ${yaml}`))).toEqual([
      expect.stringMatching(/^4:\d+ the file is nested more than 50 levels deep$/),
    ]);
  });

  it('include aliases of aliases: a few lines that represent millions', async () => {
    const levels = Array.from({ length: 12 }, (_, level) => {
      const of = level === 0 ? 'x' : `*a${level - 1}`;
      return `  a${level}: &a${level} [${Array(10).fill(of).join(', ')}]`;
    });
    expect(faultsOf(await read(`version: 1\ncampaign: Sale\nfolders:\n${levels.join('\n')}\n`))).toEqual([
      '1:1 the file has 110 aliases; the maximum is 100',
    ]);
  });

  // Contract, "Campaigns as files": "Faults are exit 2, each with `file:line:column`", not a full memory. Without this limit, 50 kB were enough.
  it('include a hundred aliases of items with aliases', async () => {
    const item = Array.from({ length: 1000 }, (_, at) => `k${at}: 1`).join(', ');
    const items = Array.from({ length: 49 }, (_, at) => `  i${at}: *i\n`).join('');
    const sections = Array.from({ length: 49 }, (_, at) => `s${at}: *s\n`).join('');
    const file = `version: 1\ncampaign: Sale\nfolders: &s\n  first: &i {${item}}\n${items}${sections}`;
    expect(faultsOf(await read(file))).toEqual([
      expect.stringMatching(/^1:1 the aliases of the file repeat [0-9]{7} values; the maximum is 10000$/),
    ]);
  });

  it('include aliases that contain themselves', async () => {
    expect(faultsOf(await read('version: 1\ncampaign: Sale\nfolders: &a\n  a: *a\n'))).toEqual([
      expect.stringContaining('4:3 '),
      expect.stringContaining('4:3 '),
    ]);
  });

  const KEYS = depth('SVC_CAMPAIGN_KEYS', { few: 5_000, full: 60_000 });
  it('are found among many keys without quadratic time', async () => {
    const keys = Array.from({ length: KEYS }, (_, index) => `k${index}: 1`);
    const found = await read(`version: 1\ncampaign: Sale\n${keys.join('\n')}\n`);
    // The list of faults is limited, too.
    expect(faultsOf(found)).toHaveLength(1000);
  });
});

describe('files on disk', () => {
  async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
    const outer = await makeTemporaryFolder('campaign');
    const folder = join(outer, 'team');
    await mkdir(join(folder, 'c', 'deep'), { recursive: true });
    await writeFile(join(outer, 'secret.txt'), 'secret');
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    return folder;
  }
  const sale = (path: string): string =>
    `version: 1\ncampaign: Sale\nmessages:\n  m:\n${TEXT.replace('c/sms.txt', path)}`;
  const readIn = (cwd: string, limits: Partial<ContentFileLimits> = {}): Promise<CampaignReadResult> =>
    readCampaignFile('sale.yaml', { cwd, ...OPTIONS, limits: { ownFolders: [], secrets: [], ...limits } });

  it('are read as content beside and below the campaign file', async () => {
    const folder = await folderWith({ 'sale.yaml': sale('c/deep/sms.txt'), 'c/deep/sms.txt': 'Hello' });
    expect(good(await readIn(folder)).inputs.map(({ file }) => file)).toEqual([
      'sale.yaml',
      'c/deep/sms.txt',
    ]);
  });

  it('can be links that stay inside', async () => {
    const folder = await folderWith({ 'sale.yaml': sale('c/link.txt'), 'sms.txt': 'Hello' });
    await symlink('../sms.txt', join(folder, 'c', 'link.txt'));
    good(await readIn(folder));
  });

  it('include a campaign file behind a link, with its content beside the link', async () => {
    const folder = await folderWith({ 'real.yaml': sale('sms.txt'), 'sms.txt': 'Hello' });
    await symlink('real.yaml', join(folder, 'sale.yaml'));
    good(await readIn(folder));
  });

  it.each([
    ['a symbolic link that points outside', '../../secret.txt'],
    ['a link to a folder outside', '..'],
  ])('%s', async (_, target) => {
    const path = target === '..' ? 'c/link/../link/secret.txt' : 'c/link';
    const folder = await folderWith({ 'sale.yaml': sale(target === '..' ? 'c/link/secret.txt' : path) });
    await symlink(target === '..' ? '../..' : target, join(folder, 'c', 'link'));
    expect(faultsOf(await readIn(folder))).toEqual([
      expect.stringContaining('symbolic link to a file outside'),
    ]);
  });

  it.each([
    ['a folder', 'c/deep', 'is a folder'],
    ['a pipe', 'pipe', 'is not a regular file'],
    ['a link to itself', 'loop', 'is a link to itself'],
    ['nothing', 'c/sms.txt', 'does not exist'],
    ['a file in a file', 'sale.yaml/x', 'does not exist'],
    ['too much', 'large', 'is larger than 10 MiB'],
  ])('%s', async (_, path, says) => {
    const folder = await folderWith({ 'sale.yaml': sale(path), large: '' });
    await symlink('loop', join(folder, 'loop'));
    await truncate(join(folder, 'large'), 10 * 1024 * 1024 + 1);
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    expect(faultsOf(await readIn(folder))).toEqual([`8:14 message m: message: ${path} ${says}`]);
  });

  describe('second attack M2: never give a message what its author must not see', () => {
    const SECRET = 'deadbeefdeadbeefdeadbeefdeadbeef';
    it.each([
      ['.env', '.env', 'is hidden'],
      ['.git/config', '.git/config', 'is hidden'],
      ['c/.env', 'c/.env', 'is hidden'],
      ['a link to a hidden file', 'c/link.txt', 'is hidden'],
      ["a file of svc's folder", 'own/journal.txt', 'is in a folder in which svc keeps keys'],
      ["a link into svc's folder", 'own-link/journal.txt', 'is in a folder in which svc keeps keys'],
      ['a file with the key', 'key.txt', 'holds an API key or a token of svc'],
    ])('%s', async (_, path, says) => {
      const folder = await folderWith({ 'sale.yaml': sale(path), '.env': 'x', 'key.txt': `a\n${SECRET}.\n` });
      for (const hidden of ['.git', 'own']) await mkdir(join(folder, hidden));
      for (const file of ['.git/config', 'c/.env', 'own/journal.txt'])
        await writeFile(join(folder, file), 'content');
      await symlink('../.env', join(folder, 'c', 'link.txt'));
      await symlink('own', join(folder, 'own-link'));
      const limits = { ownFolders: [join(folder, 'own'), join(folder, 'missing')], secrets: [SECRET] };
      const [fault = '', ...others] = faultsOf(await readIn(folder, limits));
      expect(fault).toMatch(`8:14 message m: message: ${path} ${says}`);
      expect(fault).not.toContain(SECRET);
      expect(others).toEqual([]);
    });

    it('a campaign file with the key', async () => {
      const folder = await folderWith({ 'sale.yaml': `${sale('sms.txt')}# ${SECRET}`, 'sms.txt': 'Hello' });
      expect(faultsOf(await readIn(folder, { secrets: [SECRET] }))).toEqual([
        '1:1 the file holds an API key or a token of svc',
      ]);
    });

    it('but reads a campaign whose own folder is hidden', async () => {
      const outer = await folderWith({});
      const folder = join(outer, '.campaigns');
      await mkdir(folder);
      await writeFile(join(folder, 'sale.yaml'), sale('sms.txt'));
      await writeFile(join(folder, 'sms.txt'), 'Hello');
      good(await readIn(folder));
    });
  });

  it('can be missing', async () => {
    const folder = await folderWith({});
    expect(await readIn(folder)).toEqual({
      faults: [{ file: 'sale.yaml', line: 1, column: 1, message: 'the file does not exist' }],
    });
  });
});
