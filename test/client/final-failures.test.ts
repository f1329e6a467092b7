/** Failures that another attempt would only repeat: L14 (certificates), M2 (answers beyond all bounds). */
import { expect, it } from 'vitest';
import { explainError } from '../../src/cli/errors/errors.ts';
import { ClientError, TransportError } from '../../src/client/errors.ts';
import { failureOf } from '../../src/client/failures.ts';
import { folder } from '../../src/resources/folder.ts';
import { clientOn, ok } from './fakes.ts';

const codes = [
  ['CERT_HAS_EXPIRED', 'has expired', 'clock of this machine'],
  ['CERT_NOT_YET_VALID', 'not valid yet', 'clock of this machine'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'for another host', 'base URL'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed', 'NODE_EXTRA_CA_CERTS'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'self-signed', 'NODE_EXTRA_CA_CERTS'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'nobody whom this machine trusts', 'NODE_EXTRA_CA_CERTS'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'nobody whom this machine trusts', 'NODE_EXTRA_CA_CERTS'],
] as const;

it.each(codes)('%s is tried once, and says what to do', async (code, words, advice) => {
  const failure = failureOf(Object.assign(new Error('tls'), { code }));
  const { words: problem, ...about } = failure;
  const { client, sent } = clientOn([new TransportError('not-sent', problem, about)]);
  const error = await client.get(folder, 1).catch((each: unknown) => each);
  expect(sent).toHaveLength(1);
  expect(explainError(error)).toMatchObject({
    kind: 'unreachable',
    exit: 7,
    message: expect.stringContaining(words),
    hint: expect.stringContaining(advice),
  });
});

it('one that undici wraps for a proxy is recognised', () => {
  const inner = Object.assign(new Error('altname'), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
  const outer = Object.assign(new Error('proxy', { cause: inner }), { code: 'UND_ERR_PRX_TLS' });
  expect(failureOf(outer)).toMatchObject({ isFinal: true, words: expect.stringContaining('another host') });
});

it.each([
  ['ECONNRESET', false],
  ['ETIMEDOUT', true],
])('%s may be tried again', (code, timedOut) => {
  expect(failureOf(Object.assign(new Error('x'), { code }))).toMatchObject({ isFinal: false, timedOut });
});

const tooLarge = () =>
  new TransportError('unknown', 'the answer is larger than 16 MiB', { isFinal: true, isTooLarge: true });

it('an answer beyond all bounds: a read is tried once, exit 1', async () => {
  const { client, sent } = clientOn([tooLarge()]);
  const error = await client.get(folder, 1).catch((each: unknown) => each);
  expect(sent).toHaveLength(1);
  expect(error).toBeInstanceOf(ClientError);
  expect(explainError(error)).toMatchObject({
    kind: 'not-ours',
    exit: 1,
    message: expect.stringContaining('larger than 16 MiB'),
    hint: expect.stringContaining('count=10'),
  });
});

it.each(['update', 'remove'] as const)(
  'of a write (%s) it leaves the outcome open, exit 10',
  async (verb) => {
    const { client, sent } = clientOn([tooLarge()]);
    const call =
      verb === 'update' ? client.update(folder, 1, { name: 'A' }) : client.remove(folder, { id: 1 });
    const error = await call.catch((each: unknown) => each);
    expect(sent).toHaveLength(1);
    expect(explainError(error)).toMatchObject({ kind: 'unknown', exit: 10 });
  },
);

it('of a page it asks for fewer rows', async () => {
  const { client, sent } = clientOn([tooLarge(), tooLarge(), ok([{ id: 1 }])]);
  const rows = [];
  for await (const row of client.list(folder)) rows.push(row);
  expect(rows).toEqual([{ id: 1 }]);
  expect(sent.map(({ query }) => new URLSearchParams(query).get('count'))).toEqual(['200', '50', '12']);
});
