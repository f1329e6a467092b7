/** Requests that wait together share one commit, and each gets the same response as it would alone. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createService } from '../../src/sandbox/service.ts';
import { openStore, type Store } from '../../src/sandbox/store/open.ts';
import { createTestSandbox, IDS, NOW, readAnswer, type TestSandbox } from '../support/sandbox.ts';
import { ADMIN, type Signing, signing } from '../support/signing.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

let folder: string;
let store: Store;
let sandbox: TestSandbox;
let commits: number;
beforeEach(async () => {
  folder = await makeTemporaryFolder('group');
  store = await openStore(join(folder, 'sandbox.db'));
  const counting: Store = {
    ...store,
    transaction: (work) => {
      commits += 1;
      return store.transaction(work);
    },
  };
  sandbox = await createTestSandbox({ store: counting });
  commits = 0;
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

const post = (contactdata: string): Signing => ({
  method: 'POST',
  target: '/v1/doNotContact',
  body: JSON.stringify({ contactdata }),
});
/** Sends all requests at the same moment. */
const together = async (requests: readonly Signing[]) => {
  const answers = requests.map((parts) => sandbox.service.handle(signing({ ...ADMIN, ...parts })));
  return (await Promise.all(answers)).map((answer) => readAnswer(answer));
};
const listed = async () =>
  (await sandbox.rows('do_not_contact')).map(({ contactdata }) => contactdata).sort();

it('refuses a failing request as if it were alone, and keeps the successful ones, in one commit', async () => {
  const answers = await together([
    post('a@example.com'),
    post('A@example.com'),
    { method: 'POST', target: '/v1/doNotContact', body: '{"contactdata":17}' },
    { target: '/v1/folder/99' },
    post('b@example.com'),
    { method: 'DELETE', target: '/v1/doNotContact?contactdata=a%40example.com' },
    post('a@example.com'),
    { key: 'wrong', ...post('c@example.com') },
    { target: '/v1/doNotContact?sort=contactdata' },
  ]);
  expect(answers.map(({ status }) => status)).toEqual([202, 409, 400, 404, 202, 200, 202, 401, 200]);
  expect(answers[1]?.response).toMatchObject({ resource_id: answers[0]?.data['id'] });
  expect(answers[8]?.list.map(({ contactdata }) => contactdata)).toEqual(['a@example.com', 'b@example.com']);
  expect(commits).toBe(1);
  expect(await listed()).toEqual(['a@example.com', 'b@example.com']);
});

it('keeps a folder that may not be deleted, with its list, and deletes another (interface, folder: 423)', async () => {
  const times = { cdate: NOW, mdate: NOW };
  const own = { account_id: IDS.company, ...times };
  const kept = await sandbox.put('folder', { ...own, name: 'Kept' });
  const gone = await sandbox.put('folder', { ...own, name: 'Gone' });
  for (const [folder_id, permanent] of [
    [kept, 1],
    [gone, 0],
  ] as const)
    await sandbox.put('list', { account_id: IDS.company, folder_id, name: 'List', permanent, cdate: NOW });
  commits = 0;
  const answers = await together([
    { method: 'DELETE', target: `/v1/folder/${gone}` },
    { method: 'DELETE', target: `/v1/folder/${kept}` },
    { method: 'PUT', target: `/v1/folder/${kept}`, body: '{"name":"Other"}' },
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 423, 200]);
  expect(commits).toBe(1);
  expect((await sandbox.rows('folder')).map(({ name }) => name)).toEqual(['Other']);
  expect(await sandbox.rows('list')).toHaveLength(1);
});

it('counts a nonce once within a group, and releases it if its request failed', async () => {
  const twice = { ...post('a@example.com'), nonce: 'twice' };
  const corrected = { ...post('b@example.com'), nonce: 'corrected' };
  const answers = await together([
    twice,
    { ...twice, body: '{"contactdata":"other@example.com"}' },
    { ...corrected, body: '{"contactdata":17}' },
    corrected,
    corrected,
  ]);
  expect(answers.map(({ status }) => status)).toEqual([202, 401, 400, 202, 401]);
  expect(commits).toBe(1);
  expect(await listed()).toEqual(['a@example.com', 'b@example.com']);
});

it('treats reads the same way, although they have no savepoint: a repetition does not affect the first', async () => {
  const found = { target: '/v1/account', nonce: 'found' };
  const missing = { target: '/v1/folder/77', nonce: 'missing' };
  const answers = await together([found, found, found, missing, missing, post('a@example.com')]);
  expect(answers.map(({ status }) => status)).toEqual([200, 401, 401, 404, 404, 202]);
  expect(commits).toBe(1);
  expect((await together([found, missing])).map(({ status }) => status)).toEqual([401, 404]);
});

it('remembers nonces of a group after a restart', async () => {
  const requests = ['GET', 'HEAD', 'GET'].map((method, at) =>
    signing({ ...ADMIN, method: method as 'GET', target: '/v1/account', nonce: `n${at}` }),
  );
  const answers = await Promise.all(requests.map((request) => sandbox.service.handle(request)));
  expect([answers.map(({ status }) => status), commits]).toEqual([[200, 200, 200], 1]);
  await store.close();
  store = await openStore(join(folder, 'sandbox.db'));
  const { environment } = sandbox.service;
  const again = createService(store, environment);
  const replayed = await Promise.all(requests.map((request) => again.handle(request)));
  expect(replayed.map(({ status }) => status)).toEqual([401, 401, 401]);
});

it('refuses a user after the lock, also within the same group', async () => {
  const features = { pid: IDS.partner, cid: IDS.company, uid: undefined, key: 'partner-key-of-the-tests' };
  const answers = await together([
    { target: '/v1/account' },
    { ...features, method: 'PUT', target: `/v1/accountFeatures/${IDS.company}`, body: '{"locked":true}' },
    { target: '/v1/account' },
    { ...features, method: 'PUT', target: `/v1/accountFeatures/${IDS.company}`, body: '{"locked":false}' },
    { target: '/v1/account' },
  ]);
  expect([answers.map(({ status }) => status), commits]).toEqual([[200, 200, 403, 200, 200], 1]);
});
