/**
 * `email pull` and `email push`, with the promises of campaigns as files (contract, "Campaigns as files"): original links; "A locked
 * message is replaced by a new version"; a change by hand is drift (exit 5) and is never silently overwritten.
 */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { appendCampaignMark } from '../../../../src/service/resources/campaign-mark.ts';
import { EMAIL, putEmail, putList } from '../../../support/messages.ts';
import { PARTNER, runCli, serviceOf, writesIn } from '../../../support/run-cli.ts';
import { createTestSandbox, NOW, type TestSandbox } from '../../../support/sandbox.ts';
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts';

const HTML =
  '<p>See <a href="https://example.com/a?x=1&amp;y=2">a</a> and <a href="https://example.com/b">b</a></p>';
const TEXT = 'See https://example.com/a.';

let cwd: string;
let sandbox: TestSandbox;
let service: ReturnType<typeof serviceOf>;
beforeEach(async () => {
  cwd = await makeTemporaryFolder('pull');
  sandbox = await createTestSandbox();
  service = serviceOf(sandbox);
  forgotten = 0;
  await send('POST', '/v1/emailMessage', {
    ...EMAIL,
    name: 'Spring sale',
    html: HTML,
    text: TEXT,
    tracktextlinks: true,
  });
});
afterEach(() => rm(cwd, { recursive: true }));

const send = async (method: 'POST' | 'PUT' | 'DELETE', target: string, body: object) => {
  expect((await sandbox.send('admin', method, target, body)).status).toBeLessThan(300);
};
const run = (...argv: string[]) => runCli(['email', ...argv], { ...service, cwd });
const read = (name: string) => readFile(join(cwd, name), 'utf8');
const write = (name: string, text: string) => writeFile(join(cwd, name), text);
const sidecar = async () => JSON.parse(await read('spring-sale.svc.json'));
const schedule = async () => {
  const list = await putList(sandbox);
  await send('POST', '/v1/task', {
    channel: 'email',
    message_id: 1,
    name: 'Task',
    scheduledtime: NOW + 86_400,
    list_id: list,
    search_id: null,
  });
};
/** The number of requests from earlier steps, which `writes` leaves out. */
let forgotten = 0;
const writes = () => writesIn(service.sent.slice(forgotten));
const forget = () => {
  forgotten = service.sent.length;
};

describe('pull', () => {
  it('writes both parts with their original links, and the id of their message', async () => {
    const done = await run('pull', 'Spring sale', '-o', 'json');
    expect(done).toMatchObject({ exitCode: 0, stderr: 'wrote spring-sale.html and spring-sale.txt\n' });
    expect(JSON.parse(done.stdout)).toEqual([
      { id: 1, name: 'Spring sale', html: 'spring-sale.html', text: 'spring-sale.txt' },
    ]);
    expect(await read('spring-sale.html')).toBe(HTML);
    expect(await read('spring-sale.txt')).toBe(TEXT);
    expect(await sidecar()).toMatchObject({ version: 1, company: '1', id: '1' });
    expect(writes()).toEqual([]);
  });

  it('writes a file again that somebody deleted', async () => {
    await run('pull', '1');
    await rm(join(cwd, 'spring-sale.txt'));
    const again = await run('pull', '1');
    expect(again.exitCode, again.stderr).toBe(0);
    expect(await read('spring-sale.txt')).toBe(TEXT);
  });

  it('updates files that were not changed here when it runs again', async () => {
    await run('pull', '1');
    await send('PUT', '/v1/emailMessage/1', { html: '<p>New</p>', name: 'Renamed' });
    expect(await run('pull', '1')).toMatchObject({ exitCode: 0 });
    expect(await read('spring-sale.html')).toBe('<p>New</p>');
    expect((await readdir(cwd)).sort()).toEqual([
      'spring-sale.html',
      'spring-sale.svc.json',
      'spring-sale.txt',
    ]);
  });

  it('overwrites a file that was changed here only with --overwrite', async () => {
    await run('pull', '1');
    await write('spring-sale.txt', 'Mine');
    expect(await run('pull', '1')).toMatchObject({
      exitCode: 5,
      stderr:
        'svc: spring-sale.txt was changed on this machine since the pull; nothing was written\n' +
        'Hint: upload the change with svc email push spring-sale.txt, or discard it with --overwrite\n',
    });
    expect(await read('spring-sale.txt')).toBe('Mine');
    expect(await run('pull', '1', '--overwrite')).toMatchObject({ exitCode: 0 });
    expect(await read('spring-sale.txt')).toBe(TEXT);
  });

  it('never overwrites a file that svc did not write', async () => {
    await write('spring-sale.txt', 'Mine');
    expect(await run('pull', '1')).toMatchObject({ exitCode: 2 });
    expect(await readdir(cwd)).toEqual(['spring-sale.txt']);
    expect(await read('spring-sale.txt')).toBe('Mine');
  });

  it('writes separate files for messages with the same name, and never outside the folder', async () => {
    for (const name of ['Spring sale', '../../up', '../../up', 'con', '']) await putEmail(sandbox, { name });
    expect(await run('pull', '1', '2', '3', '4', '5', '6')).toMatchObject({ exitCode: 0 });
    expect((await readdir(cwd)).filter((name) => name.endsWith('.html')).sort()).toEqual([
      'message-6.html',
      'message-con.html',
      'spring-sale-2.html',
      'spring-sale.html',
      'up-4.html',
      'up.html',
    ]);
  });

  it('creates the folder, and refuses a file in its place and an unknown message', async () => {
    expect(await run('pull', '1', '--dir', 'a/b')).toMatchObject({ exitCode: 0 });
    expect(await readdir(join(cwd, 'a/b'))).toHaveLength(3);
    await rm(join(cwd, 'a'), { recursive: true });
    expect(await run('pull', '1', '--dir', '/dev/null/a')).toMatchObject({ exitCode: 2 });
    expect(await run('pull', '99')).toMatchObject({ exitCode: 4 });
    expect(await readdir(cwd)).toEqual([]);
  });
});

describe('push', () => {
  beforeEach(async () => {
    await run('pull', '1');
    forget();
  });
  const newText = () => write('spring-sale.txt', 'New text: https://example.com/new\n');

  it('sends nothing if nothing changed', async () => {
    const done = await run('push', 'spring-sale.html', 'spring-sale.txt', '-o', 'json');
    expect(done).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(done.stdout)).toEqual([{ file: 'spring-sale.html', id: 1, done: 'nothing' }]);
    expect(writes()).toEqual([]);
  });

  it('changes an unused message, keeps links of the text tracked, and then has nothing to send', async () => {
    await newText();
    expect(await run('push', 'spring-sale.txt')).toMatchObject({ exitCode: 0 });
    const [message] = await sandbox.rows('email_message');
    expect(message).toMatchObject({ name: 'Spring sale', tracktextlinks: 1 });
    expect(message?.['text']).toMatch(/^New text: \S+\/t\/c\/[0-9]+\n$/);
    const links = await sandbox.rows('email_message_link');
    expect(links.map(({ target }) => target)).toContain('https://example.com/new');
    forget();
    expect(await run('push', 'spring-sale.svc.json')).toMatchObject({ exitCode: 0 });
    expect(writes()).toEqual([]);
    expect(await run('pull', '1')).toMatchObject({ exitCode: 0 });
    expect(await read('spring-sale.txt')).toBe('New text: https://example.com/new\n');
  });

  it('overwrites a change on the service only with --overwrite, and ignores other attributes', async () => {
    await newText();
    await send('PUT', '/v1/emailMessage/1', { subject: 'Other' });
    await send('PUT', '/v1/emailMessage/1', { html: HTML.replace('/b"', '/elsewhere"') });
    expect(await run('push', 'spring-sale.html')).toMatchObject({
      exitCode: 5,
      stderr:
        'svc: email 1 (Spring sale) has changed on the service since spring-sale.html was pulled; nothing was uploaded\n' +
        'Hint: get the new version with svc email pull 1 --overwrite, or replace it with --overwrite here\n',
    });
    expect(writes()).toEqual([]);
    expect(await run('push', 'spring-sale.html', '--overwrite')).toMatchObject({ exitCode: 0 });
    expect((await sandbox.rows('email_message'))[0]).toMatchObject({ subject: 'Other' });
    forget();
    expect(await run('push', 'spring-sale.html')).toMatchObject({ exitCode: 0 });
    expect(writes()).toEqual([]);
  });

  it('ignores a change of another attribute on the service', async () => {
    await newText();
    await send('PUT', '/v1/emailMessage/1', { subject: 'Other' });
    expect(await run('push', 'spring-sale.html')).toMatchObject({ exitCode: 0 });
  });

  describe('a message in use', () => {
    beforeEach(async () => {
      await schedule();
      await newText();
      forget();
    });

    it('needs --yes without a terminal, and asks on one', async () => {
      expect(await run('push', 'spring-sale.html')).toMatchObject({ exitCode: 2 });
      const asked = await runCli(['email', 'push', 'spring-sale.html'], {
        ...service,
        cwd,
        tty: true,
        answers: [false],
      });
      expect(asked.questions).toEqual([
        'Really create a new version of email 1 (Spring sale), because the message is in use?',
      ]);
      expect(asked.exitCode).toBe(2);
      expect(writes()).toEqual([]);
    });

    it('gets a new version with all other attributes unchanged, once, and the files then belong to that version', async () => {
      await run('push', 'spring-sale.html', '--yes');
      const [old, made, ...others] = await sandbox.rows('email_message');
      expect(others).toEqual([]);
      expect(old).toMatchObject({ name: 'Spring sale', id: 1 });
      expect(made).toMatchObject({
        name: 'Spring sale (2)',
        subject: EMAIL.subject,
        fromname: EMAIL.fromname,
      });
      expect(await sidecar()).toMatchObject({ id: '2' });
      expect(await run('push', 'spring-sale.html', '--yes')).toMatchObject({ exitCode: 0 });
      expect(await sandbox.rows('email_message')).toHaveLength(2);
      expect((await sandbox.rows('task'))[0]).toMatchObject({ message_id: 1 });
    });

    it('gets no second version after an interruption before the first version was recorded', async () => {
      const before = await read('spring-sale.svc.json');
      await run('push', 'spring-sale.html', '--yes');
      await write('spring-sale.svc.json', before);
      await run('push', 'spring-sale.html', '--yes');
      expect(await sandbox.rows('email_message')).toHaveLength(2);
      expect(await sidecar()).toMatchObject({ id: '2' });
    });
  });

  it('sends nothing if one of several messages cannot be sent', async () => {
    await putEmail(sandbox, { name: 'Second' });
    await run('pull', '2');
    await write('second.html', '<p>New</p>');
    await newText();
    await send('PUT', '/v1/emailMessage/1', { html: '<p>By hand</p>' });
    forget();
    expect(await run('push', 'second.html', 'spring-sale.html')).toMatchObject({ exitCode: 5 });
    await write('second.txt', 'x'.repeat(1001));
    expect(await run('push', 'second.html')).toMatchObject({ exitCode: 2 });
    expect(writes()).toEqual([]);
  });

  it.each([
    ['another company', { company: '2' }],
    ['damaged content', { hash: '../' }],
    ['a file without an id', { id: 1 }],
    ['another version', { version: 2 }],
  ])('refuses a lock file of %s', async (_, more) => {
    await newText();
    await write('spring-sale.svc.json', JSON.stringify({ ...(await sidecar()), ...more }));
    expect(await run('push', 'spring-sale.html')).toMatchObject({ exitCode: 2 });
    expect(writes()).toEqual([]);
  });

  it('refuses files that were never pulled, are missing, or are not text', async () => {
    await write('other.html', 'x');
    for (const file of ['other.html', 'nowhere.txt', 'spring-sale.yaml', '.html'])
      expect(await run('push', file)).toMatchObject({ exitCode: 2 });
    await writeFile(join(cwd, 'spring-sale.html'), Buffer.from([0xff, 0xfe, 0x41]));
    expect(await run('push', 'spring-sale.txt')).toMatchObject({ exitCode: 2 });
    await rm(join(cwd, 'spring-sale.html'));
    expect(await run('push', 'spring-sale.txt')).toMatchObject({ exitCode: 2 });
    expect(writes()).toEqual([]);
  });

  it('refuses a message of a campaign file', async () => {
    const name = appendCampaignMark('Spring sale', {
      campaignHash: 'aaaaaa',
      keyHash: 'bbbbb',
      contentHashOrReason: 'ccccccc',
    });
    await send('PUT', '/v1/emailMessage/1', { name });
    await newText();
    expect(await run('push', 'spring-sale.html')).toMatchObject({ exitCode: 2 });
    expect(writes()).toEqual([]);
  });

  it('exits with 4 for a deleted message', async () => {
    await newText();
    await send('DELETE', '/v1/emailMessage/1', {});
    expect(await run('push', 'spring-sale.html')).toMatchObject({ exitCode: 4 });
  });

  it('works for a partner acting for the company', async () => {
    await newText();
    const done = await runCli(['email', 'push', 'spring-sale.html'], { ...service, cwd, env: PARTNER });
    expect(done).toMatchObject({ exitCode: 0 });
  });
});
