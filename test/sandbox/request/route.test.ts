/** From a path to a resource (interface, "General conventions"; wire, the rows of 404 and 405). */
import { beforeEach, describe, expect, it } from 'vitest';
import { automationKinds, automationRules, type Transcript, transcript } from '../../resources/transcript.ts';
import { createTestSandbox, IDS, NOW, readAnswer, type TestSandbox } from '../../support/sandbox.ts';
import { ADMIN, PARTNER, type Signing, signing } from '../../support/signing.ts';

let sandbox: TestSandbox;
beforeEach(async () => {
  sandbox = await createTestSandbox();
});

const send = async (parts: Signing) =>
  readAnswer(await sandbox.service.handle(signing({ ...ADMIN, ...parts })));
const folder = (name: string, cdate = NOW): Promise<number> =>
  sandbox.put('folder', { account_id: IDS.company, name, cdate, mdate: cdate });

describe('404 for what is no resource', () => {
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
  it('are as many as the document has', () => {
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

describe('a slash at the end is the collection, signed with or without it', () => {
  it.each(['/v1/folder', '/v1/folder/'])('%s', async (target) => {
    await folder('News');
    const answer = await send({ target });
    expect([answer.status, answer.list.map(({ name }) => name)]).toEqual([200, ['News']]);
    expect((await send({ method: 'POST', target, body: '{"name":"B"}' })).status).toBe(202);
  });
  it('signed without the slash, sent with it', async () => {
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
