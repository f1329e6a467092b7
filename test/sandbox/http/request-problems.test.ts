/** Contract, "The sandbox, for people and teams": `sandbox requests --explain` says what was wrong, whatever the answer holds. */
import { describe, expect, it } from 'vitest';
import { NEUTRAL_NAMING } from '../../../src/protocol/naming.ts';
import { invalid, ServiceError } from '../../../src/protocol/service-errors.ts';
import { problemsOf } from '../../../src/sandbox/http/request-problems.ts';
import { NotAuthenticated } from '../../../src/sandbox/request/failed-check.ts';
import { NOW } from '../../support/sandbox.ts';
import { type Signing, signing } from '../../support/signing.ts';

const KEY = 'c0ffee00'.repeat(4);
const headersFailed = (): ServiceError => new NotAuthenticated(NOW, { check: 'headers', why: 'no matter' });

describe('never holds a key, wherever a client has put one', () => {
  it.each<readonly [string, ServiceError, Signing]>([
    ['the path', new ServiceError(404, `folder ${KEY} not found`), { target: `/v1/folder/${KEY}` }],
    ['a percent-encoded path', new ServiceError(404, ''), { target: `/v1/folder/%63${KEY.slice(1)}` }],
    ['the name of an attribute', invalid([{ attribute: KEY, reason: 'is not an attribute' }]), {}],
    ['the value of an attribute', invalid([{ attribute: 'name', reason: `is not ${KEY}` }]), {}],
    ['the content type', new ServiceError(415, 'Unsupported'), { headers: { 'content-type': KEY } }],
    ['Date', headersFailed(), { headers: { date: KEY } }],
    ['the nonce', headersFailed(), { nonce: KEY }],
    ['Authorization', headersFailed(), { headers: { authorization: `SvcHash ${KEY}` } }],
    ['the company id', headersFailed(), { cid: KEY }],
  ])('%s', (_, error, parts) => {
    const text = JSON.stringify(problemsOf(error, signing(parts), NEUTRAL_NAMING));
    expect(text.toLowerCase()).not.toContain(KEY.slice(1));
  });
});

describe('the message of a refusal', () => {
  it.each<readonly [string, unknown, string]>([
    ['no details', undefined, 'Not Found'],
    ['null', null, 'Not Found'],
    ['a sentence', 'folder 7', 'Not Found: folder 7'],
    ['an id that a double cannot hold', { id: 9_007_199_254_740_993n }, 'Not Found: {"id":9007199254740993}'],
    ['a long text', 'x'.repeat(1000), `Not Found: ${'x'.repeat(289)}…`],
    [
      'a key at the place where it is cut',
      `${'x '.repeat(140)}${KEY}`,
      `Not Found: ${'x '.repeat(140)}[redacted…`,
    ],
  ])('with %s as details', (_, additionalInformation, message) => {
    const error = new ServiceError(404, 'Not Found', { additionalInformation });
    expect(problemsOf(error, undefined, NEUTRAL_NAMING)).toEqual({ message, fields: [] });
  });

  it('of a HEAD, which has no body, are the known ones', () => {
    const error = new ServiceError(404, '', { additionalInformation: 'folder 7' });
    const { message, fields } = problemsOf(error, signing({ method: 'HEAD' }), NEUTRAL_NAMING);
    expect(message).toBe('folder 7');
    expect(fields).toEqual([{ field: 'path', sent: '/v1/folder', problem: 'folder 7' }]);
  });
});
