/** The route from a path to a resource (interface, "General conventions"; wire, the rows of 404 and 405). */
import { beforeEach, describe, expect, it } from 'vitest';
import { namingWithOverrides } from '../../../src/service/protocol/naming.ts';
import { automationKinds, automationRules, type Transcript, transcript } from '../../resources/transcript.ts';
import { createTestSandbox, IDS, NOW, readAnswer, type TestSandbox } from '../../support/sandbox.ts';
import { ADMIN, PARTNER, type Signing, signing } from '../../support/signing.ts';

let sandbox: TestSandbox;
beforeEach(async () => {
  sandbox = await createTestSandbox();
});

const send = async (parts: Signing) =>
  readAnswer(await sandbox.service.handle(signing({ ...ADMIN, ...parts })), parts.method);
const folder = (name: string, cdate = NOW): Promise<number> =>
  sandbox.put('folder', { account_id: IDS.company, name, cdate, mdate: cdate });

describe('404 for unknown resources', () => {
  it.each([
    '/v1/nothing',
    '/v1/Folder',
    '/v1/FOLDER',
    '/v1/folders',
    '/v1/accountfeatures',
    '/v1/list',
    '/v1/subscriber',
    '/v1/',
    '/v1',
    '/',
    '/v2/folder',
    '/folder',
    '/v1//folder',
    '/v1/folder/1/name',
    '/v1/constructor',
    '/v1/__proto__',
  ])('%s', async (target) => {
    const answer = await send({ target });
    expect([answer.status, answer.response['code']]).toEqual([404, 404]);
  });
});

describe('message of a 404', () => {
  const message = async (target: string) => (await send({ target })).response['message'];

  it.each([
    ['/v1/foldr', 'Unknown resource "foldr". Did you mean folder?'],
    ['/v1/folders/3', 'Unknown resource "folders". Did you mean folder?'],
    ['/v1/emailMesage', 'Unknown resource "emailMesage". Did you mean emailMessage?'],
    ['/v1/Folder', 'Unknown resource "Folder": case counts. Did you mean folder?'],
    ['/v1/accountfeatures', 'Unknown resource "accountfeatures": case counts. Did you mean accountFeatures?'],
    ['/v1/invoice', 'Unknown resource "invoice"'],
    [`/v1/${'x'.repeat(500)}`, `Unknown resource "${'x'.repeat(40)}"`],
    ['/v0/folder', 'Version v0 of the interface does not exist: paths begin with /v1/'],
    ['/v1.2/folder', 'Version v1.2 of the interface does not exist: paths begin with /v1/'],
    ['/V1/folder', 'Version V1 of the interface does not exist: paths begin with /v1/'],
    ['/v1/', 'A path of the interface is /v1/<resource> or /v1/<resource>/<id>'],
    ['/v1/folder/1/name', 'There is nothing below one folder: /v1/folder/<id>'],
  ])('%s', async (target, words) => {
    expect(await message(target)).toBe(words);
  });
});

describe('wire, "Vendor names": `case: any`', () => {
  beforeEach(async () => {
    sandbox = await createTestSandbox({ naming: namingWithOverrides({ case: 'any' }) });
  });

  it.each(['folder', 'Folder', 'FOLDER', 'fOLDER'])('accepts /v1/%s', async (name) => {
    const id = await folder('News');
    expect((await send({ target: `/v1/${name}/${id}` })).data['name']).toBe('News');
    const made = await send({ method: 'POST', target: `/v1/${name}`, body: '{"name":"Olds"}' });
    expect(made.status).toBe(202);
    expect((await send({ method: 'DELETE', target: `/v1/${name}/${id}` })).data).toEqual({ id });
  });

  it('accepts every name of the interface in lower case', async () => {
    for (const name of Object.keys(transcript)) {
      const { status, response } = await send({ target: `/v1/${name.toLowerCase()}` });
      expect([name, status, response['message'] ?? null]).not.toEqual([
        name,
        404,
        expect.stringContaining('no resource'),
      ]);
    }
  });

  it('signs the path as sent, in its own case', async () => {
    const request = signing({ ...ADMIN, target: '/v1/User' });
    const forged = await sandbox.service.handle({ ...request, path: '/v1/user' });
    expect(forged.status).toBe(401);
    expect((await sandbox.service.handle(request)).status).toBe(200);
  });

  it('rejects an unknown resource in any case', async () => {
    expect((await send({ target: '/v1/Folders' })).status).toBe(404);
  });
});

const tables = new Map<string, Transcript>([
  ...Object.entries(transcript),
  ...Object.keys(automationKinds).map((kind) => [kind, automationRules] as const),
]);

const unsupported = [...tables].flatMap(([name, table]) =>
  (['HEAD', 'POST', 'PUT', 'DELETE'] as const)
    .filter((method) => table[method] === undefined)
    .map((method) => [method, name] as const),
);

describe('405 with Allow for every method that the document marks unsupported', () => {
  it('is returned as often as the document says', () => {
    expect(unsupported.map(([method, name]) => `${method} ${name}`).sort()).toEqual([
      'DELETE account',
      'DELETE accountFeatures',
      'DELETE emailMessageLink',
      'DELETE sms',
      'DELETE smsDestination',
      'DELETE task',
      'HEAD accountFeatures',
      'POST accountFeatures',
      'POST emailMessageLink',
      'POST form',
      'POST smsDestination',
      'PUT account',
      'PUT doNotContact',
      'PUT emailMessageLink',
      'PUT form',
      'PUT sms',
    ]);
  });

  it.each(unsupported)('%s %s', async (method, name) => {
    const table = tables.get(name);
    const allowed = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'].filter(
      (each) => each === 'GET' || table?.[each as 'HEAD'] !== undefined,
    );
    for (const caller of [ADMIN, PARTNER]) {
      const answer = await send({ uid: undefined, ...caller, method, target: `/v1/${name}` });
      expect(answer.status).toBe(405);
      expect(words(answer.headers['allow'])).toEqual(allowed.sort());
      expect(answer.text === '').toBe(method === 'HEAD');
    }
  });

  it('POST account with company authentication: "unsupported for company auth"', async () => {
    const answer = await send({
      method: 'POST',
      target: '/v1/account',
      body: '{"name":"N","contactemail":"a@example.com"}',
    });
    expect([answer.status, words(answer.headers['allow'])]).toEqual([405, ['GET', 'HEAD']]);
    expect(await sandbox.rows('account')).toHaveLength(3);
  });

  it.each([...tables].filter(([, table]) => table.POST).map(([name]) => name))(
    'POST to an item path of %s',
    async (name) => {
      const answer = await send({ method: 'POST', target: `/v1/${name}/1`, body: '{}' });
      expect(answer.status).toBe(405);
      expect(words(answer.headers['allow'])).not.toContain('POST');
    },
  );
});

describe('a path with a slash at the end is the collection, signed with or without the slash', () => {
  it.each(['/v1/folder', '/v1/folder/'])('%s', async (target) => {
    await folder('News');
    const answer = await send({ target });
    expect([answer.status, answer.list.map(({ name }) => name)]).toEqual([200, ['News']]);
    expect((await send({ method: 'POST', target, body: '{"name":"B"}' })).status).toBe(202);
  });
  it('may be signed without the slash, but sent with it', async () => {
    await folder('News');
    const { headers } = signing({ ...ADMIN, target: '/v1/folder' });
    const answer = await sandbox.service.handle({ method: 'GET', path: '/v1/folder/', query: '', headers });
    expect(answer.status).toBe(200);
  });
});

function words(list: string | undefined): string[] {
  return (list ?? '')
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
    .sort();
}
