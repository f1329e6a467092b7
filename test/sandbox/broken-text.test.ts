/**
 * Wire, "Requests", text: U+0000 and lone surrogates are 400 in every string; texts are never cut short (M10). The command line refuses
 * them before it sends anything.
 */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { payloadAttributesFor } from '../../src/kit/schema/resource.ts';
import { checkValue } from '../../src/kit/schema/validator.ts';
import { unstorableTextReason } from '../../src/kit/text/words.ts';
import { catalogue } from '../../src/service/resources/catalogue.ts';
import { withEverything } from '../support/everything.ts';
import { runCli, serviceOf, writesIn } from '../support/run-cli.ts';
import { runSandbox, type SocketSandbox, temporaryFolder } from '../support/running-sandbox.ts';
import { createTestSandbox } from '../support/sandbox.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const BROKEN = {
  'U+0000': 'pay\u0000me',
  'U+0000 alone': '\u0000',
  'a high surrogate': 'a\ud83db',
  'a low surrogate': 'a\ude00b',
  'surrogates the wrong way round': '\ude00\ud83d',
} as const;

it.each(Object.entries(BROKEN))('%s is recognised as broken', (_, text) => {
  expect(unstorableTextReason(text)).toBeDefined();
});

it.each(['', 'Hello', 'naïve', '😀', '\u0001\t\r\n', '\ufffd', '\ufeff'])(
  '%j is accepted as a text',
  (text) => {
    expect(unstorableTextReason(text)).toBeUndefined();
  },
);

describe('both ends reject it in every attribute with text', () => {
  const fields = catalogue.flatMap((resource) => {
    const names = (['POST', 'PUT'] as const).flatMap((method) => {
      const { required, optional } = payloadAttributesFor(resource, method, 'partner');
      return [...required, ...optional];
    });
    return [...new Set(names)]
      .filter((name) => resource.fields[name]?.kind === 'string')
      .map((name) => [resource.name, name, resource.fields[name]] as const);
  });

  it('the table has many attributes', () => {
    expect(fields.length).toBeGreaterThan(50);
  });

  it.each(fields)('%s.%s', (_, name, field) => {
    for (const text of Object.values(BROKEN)) {
      if (!field) throw new Error('no field');
      const checked = checkValue(name, field, text);
      expect('finding' in checked && checked.finding.reason).toMatch(/U\+/);
    }
  });
});

describe('the service responds with 400, and stores nothing', () => {
  const EMAIL = {
    name: 'A',
    subject: 'B',
    fromemail: null,
    fromname: 'C',
    replyemail: 'a@example.com',
    html: '<p>D</p>',
    text: 'D',
  };
  const REQUESTS = [
    ['sms', { msisdn: '447700900123', fromaddress: 'Example', message: 'Hi' }, 'message'],
    ['folder', { name: 'A' }, 'name'],
    ...Object.keys(EMAIL)
      .filter((name) => name !== 'fromemail')
      .map((name) => ['emailMessage', EMAIL, name] as const),
    ['smsMessage', { name: 'A', fromname: 'Example', message: 'Hi' }, 'message'],
  ] as const;

  it.each(REQUESTS)('to POST %s of %j with a broken %s', async (resource, body, attribute) => {
    const sandbox = await createTestSandbox();
    for (const text of Object.values(BROKEN)) {
      const answer = await sandbox.send('admin', 'POST', `/v1/${resource}`, { ...body, [attribute]: text });
      expect(answer.status).toBe(400);
      expect(answer.text).toContain(`"attribute":"${attribute}"`);
    }
    expect((await sandbox.send('admin', 'GET', `/v1/${resource}`)).status).toBe(404);
  });

  it.each(['%00', 'a%00b', '%ED%A0%80', '%FF'])('to a filter of %s', async (text) => {
    const { send } = await withEverything();
    expect((await send('admin', 'GET', `/v1/folder?name=${text}`)).status).toBe(400);
    expect((await send('admin', 'DELETE', `/v1/doNotContact?contactdata=${text}`)).status).toBe(400);
    expect((await send('admin', 'GET', `/v1/folder/${text}`)).status).toBe(400);
    expect((await send('admin', 'GET', '/v1/folder?name=100%')).status).toBe(404);
  });
});

describe('the control plane', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let sandbox: SocketSandbox;
  beforeAll(async () => {
    folder = await temporaryFolder();
    sandbox = await runSandbox(folder.path, { seed: 'demo' });
  });
  afterAll(async () => {
    await sandbox.stop();
    await folder.remove();
  });

  it.each([
    ['list create', (text: string) => ({ name: text })],
    ['field create', (text: string) => ({ name: text })],
    ['form create', (text: string) => ({ name: text })],
    ['search create', (text: string) => ({ name: 'A', field: 1, equals: text })],
    ['snapshot save', (text: string) => ({ name: text })],
    ['event sms-in', (text: string) => ({ to: '447700900990', from: '447700900001', text })],
    ['event failed-login', (text: string) => ({ username: text })],
    [
      'subscriber import',
      (text: string) => ({ lists: [1], rows: [{ email: 'a@example.com', fields: { City: text } }] }),
    ],
    [
      'subscriber import',
      (text: string) => ({ lists: [1], rows: [{ email: 'a@example.com', fields: { [text]: 'A' } }] }),
    ],
  ])('rejects it in %s', async (operation, args) => {
    for (const text of Object.values(BROKEN))
      expect((await sandbox.control(operation, args(text))).status).toBe(400);
    expect(sandbox.reports).toEqual([]);
  });
});

describe('the command line rejects it before it sends anything', () => {
  it.each([
    ['sms-message', 'create', '--name', 'A', '--from', 'Example', '--text-file', 'text'],
    ['sms', 'send', '--to', '447700900123', '--from', 'Example', '--text-file', 'text', '--now', '--yes'],
    ['email', 'update', 'Free', '--html-file', 'text'],
    ['email', 'update', 'Free', '--text-file', 'text'],
    ['email', 'lint', '--html-file', 'text'],
    ['folder', 'create', '--data', '{"name":"a\\u0000b"}'],
    ['folder', 'create', '--data', '{"name":"a\\ud800"}'],
    ['folder', 'update', 'News', '--data', '@json'],
    ['sms', 'send', '--file', 'rows', '--from', 'Example', '--now', '--yes'],
  ])('%s %s %s %s', async (...argv) => {
    const cwd = await makeTemporaryFolder('text');
    try {
      await writeFile(join(cwd, 'text'), 'hello\u0000world');
      await writeFile(join(cwd, 'json'), '{"name":"hello\\u0000world"}');
      await writeFile(join(cwd, 'rows'), 'to,message\n447700900123,hello\u0000world\n');
      const { transport, sent } = serviceOf(await withEverything());
      const run = await runCli(argv, { transport, cwd });
      expect(run).toMatchObject({ exitCode: 2, stdout: '' });
      expect(run.stderr).toContain('U+');
      expect(run.stderr).not.toContain('\u0000');
      expect(writesIn(sent)).toEqual([]);
    } finally {
      await rm(cwd, { recursive: true });
    }
  });
});
