/** Wire, "Authentication, where open": both ends keep an integer digit for digit if a double cannot hold it (M1). */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Method } from '../../src/kit/schema/resource.ts';
import { putEmail, putList } from '../support/messages.ts';
import { createTestSandbox, IDS, NOW, type TestSandbox } from '../support/sandbox.ts';
import { ADMIN, signing } from '../support/signing.ts';

const LARGE = '9007199254740993';
const LARGER = '18446744073709551615';

let sandbox: TestSandbox;
beforeEach(async () => {
  sandbox = await createTestSandbox();
  await sandbox.put('folder', { account_id: IDS.company, name: 'A', cdate: NOW, mdate: NOW });
});

async function send(method: Method, target: string, body?: string) {
  const parts = { ...ADMIN, method, target, ...(body === undefined ? {} : { body }) };
  const answer = await sandbox.service.handle(signing(parts));
  return { status: answer.status, text: answer.body };
}

describe("an unknown id beyond the store's range", () => {
  it.each<readonly [Method, string, string | undefined]>([
    ['GET', `/v1/folder/${LARGE}`, undefined],
    ['GET', `/v1/folder?id=${LARGER}`, undefined],
    ['PUT', `/v1/folder/${LARGE}`, '{"name":"X"}'],
    ['PUT', '/v1/folder', `{"id":${LARGE},"name":"X"}`],
    ['DELETE', `/v1/folder/${LARGE}`, undefined],
    ['DELETE', '/v1/folder', `{"id":${LARGER}}`],
    ['DELETE', `/v1/doNotContact?id=${LARGE}`, undefined],
    ['GET', `/v1/subscriberProfileData/${LARGE}_${LARGER}`, undefined],
  ])('%s %s %s is 404 with all its digits', async (method, target, body) => {
    const answer = await send(method, target, body);
    expect(answer.status).toBe(404);
    expect(answer.text).toContain(/[0-9]{16,}/.exec(`${target} ${body}`)?.[0]);
    expect((await sandbox.rows('folder')).map(({ name }) => name)).toEqual(['A']);
    expect(sandbox.reports).toEqual([]);
  });

  it('is 404 for HEAD, matches nothing as a filter, and may begin a page beyond all records', async () => {
    expect((await send('HEAD', `/v1/folder?id=${LARGE}`)).status).toBe(404);
    expect((await send('GET', `/v1/task?list_id=${LARGE}`)).status).toBe(404);
    expect((await send('GET', `/v1/folder?start=${LARGER}`)).status).toBe(404);
    expect((await send('GET', `/v1/folder?start=${LARGER}&reverse=true`)).status).toBe(200);
    expect((await send('GET', `/v1/folder?start=-${LARGER}`)).status).toBe(200);
  });

  it('in the path differs from its neighbor in the body', async () => {
    const answer = await send('PUT', `/v1/folder/${LARGE}`, '{"id":9007199254740992,"name":"X"}');
    expect(answer.status).toBe(400);
  });
});

describe('a reference to a missing record', () => {
  beforeEach(async () => {
    await putList(sandbox);
    await putEmail(sandbox);
  });
  const task = (list: string, search: string, message: string): string =>
    `{"channel":"email","message_id":${message},"name":"T","scheduledtime":${NOW + 3600},"list_id":${list},"search_id":${search}}`;
  const rule = (more: string): string =>
    `{"actiontarget":"${LARGE}","actiontype":"addtolist","actiontimediff":60,"actiononweekend":true,"name":"R","summary":null${more}}`;

  it.each([
    ['/v1/task', task(LARGE, 'null', '1'), 'list_id'],
    ['/v1/task', task('null', LARGE, '1'), 'search_id'],
    ['/v1/task', task('1', 'null', LARGE), 'message_id'],
    ['/v1/dateAutomation', rule(''), 'actiontarget'],
    ['/v1/openAutomation', rule(`,"message_id":${LARGE}`), 'message_id'],
    ['/v1/clickAutomation', rule(`,"message_id":null,"link_id":${LARGE}`), 'link_id'],
    [
      '/v1/subscriptionAutomation',
      rule(`,"list_id":${LARGE}`).replace('addtolist', 'copytolist').replace(LARGE, '1'),
      'list_id',
    ],
    ['/v1/smsAutomation', `{"keyword":null,"list_id":${LARGE},"name":"R","summary":null}`, 'list_id'],
    [
      '/v1/smsAutomation',
      `{"keyword":null,"list_id":1,"name":"R","summary":null,"message_id":${LARGE}}`,
      'message_id',
    ],
    [
      '/v1/subscriberProfileData',
      `{"subscriber_id":${LARGE},"subscriberprofilefield_id":${LARGER},"value":"x"}`,
      'subscriber_id',
    ],
  ])('POST %s %s is 400 with the name %s and all digits', async (target, body, attribute) => {
    const answer = await send('POST', target, body);
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(attribute)]);
    expect(answer.text).toContain(LARGE);
    expect(answer.text).not.toContain('9007199254740992');
    expect(sandbox.reports).toEqual([]);
  });

  it("is also 400 for an amount beyond the store's range, and nothing is created", async () => {
    const body = task('1', 'null', '1').replace('{', `{"rate":${LARGE},`);
    const answer = await send('POST', '/v1/task', body);
    expect([answer.status, answer.text]).toEqual([
      400,
      expect.stringContaining(`service can store: ${LARGE}`),
    ]);
    expect(await sandbox.rows('task')).toEqual([]);
    const exponent = await send('POST', '/v1/task', body.replace(LARGE, '1e20'));
    expect([exponent.status, exponent.text]).toEqual([400, expect.stringContaining('100000000000000000000')]);
  });
});
