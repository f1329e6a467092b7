/** Conformance checks of authentication (interface, "Authentication"; wire, "Authentication, where open"). */
import {
  type ConformanceCheck,
  type ConformanceClient,
  type ConformanceRequest,
  createRequestPathMatchingNoRecord,
  createStatusCheck,
  expectStatus,
  expectThat,
  VALID_GET_STATUSES,
} from './check.ts';

const TARGET = '/v1/account';
const MINUTES = 60;

const accepts = (
  id: string,
  says: string,
  parts: Partial<ConformanceRequest> = {},
  statuses: readonly number[] = [200],
): ConformanceCheck => createStatusCheck(id, says, { target: TARGET, ...parts }, statuses);

const refuses = (
  id: string,
  says: string,
  parts: Partial<ConformanceRequest> | ((probe: ConformanceClient) => Partial<ConformanceRequest>),
): ConformanceCheck =>
  createStatusCheck(
    id,
    `${says}: 401`,
    (probe) => ({ target: TARGET, ...(typeof parts === 'function' ? parts(probe) : parts) }),
    [401],
  );

const withoutKey = (canonical: string): string => canonical.slice(0, canonical.lastIndexOf('\r\n') + 2);

export const AUTHENTICATION_CHECKS: readonly ConformanceCheck[] = [
  accepts('signature', 'A request with a correct signature is accepted'),
  accepts('signature-case', 'Hexadecimal letters in a signature may be upper case', {
    signature: (signature) => signature.toUpperCase(),
  }),
  createStatusCheck(
    'nonce-short',
    'A nonce may be shorter than 40 characters',
    (probe) => ({ target: TARGET, nonce: probe.uniqueHex().slice(0, 12) }),
    [200],
  ),
  accepts('date-behind', 'A Date of 14 minutes ago is accepted', { dateOffset: -14 * MINUTES }),
  accepts('date-ahead', 'A Date 14 minutes ahead is accepted', { dateOffset: 14 * MINUTES }),
  accepts(
    'path-slash',
    'The path of a collection may be signed with a slash at its end',
    { target: '/v1/folder/' },
    VALID_GET_STATUSES,
  ),
  accepts(
    'path-slash-unsigned',
    'The path of a collection may be signed without the slash at its end',
    { target: '/v1/folder/', stringToHash: (canonical) => canonical.replace('/\r\n', '\r\n') },
    VALID_GET_STATUSES,
  ),
  accepts(
    'path-encoded',
    'The signature covers the path as sent, with its percent-encoding',
    { target: '/v1/%66older' },
    VALID_GET_STATUSES,
  ),
  refuses('key', 'A signature made with another key is refused', {
    stringToHash: (canonical) => `${withoutKey(canonical)}${'0'.repeat(32)}`,
  }),
  refuses('authorization-missing', 'A request without Authorization is refused', {
    headers: { authorization: undefined },
  }),
  refuses('scheme', 'An unknown scheme is refused', {
    headers: { authorization: `Basic ${'0'.repeat(40)}` },
  }),
  refuses('signature-length', 'A signature of 39 characters is refused', {
    signature: (signature) => signature.slice(1),
  }),
  refuses('line-ends', 'A signature of a string with LF instead of CR LF is refused', {
    stringToHash: (canonical) => canonical.replaceAll('\r\n', '\n'),
  }),
  refuses('last-line', 'A signature is refused if the string to sign has CR LF after the key', {
    stringToHash: (canonical) => `${canonical}\r\n`,
  }),
  refuses('query-signed', 'A signature that covers the query is refused', {
    target: `${TARGET}?count=1`,
    stringToHash: (canonical) => canonical.replace(TARGET, `${TARGET}?count=1`),
  }),
  refuses('method-signed', 'A signature for another method is refused', {
    stringToHash: (canonical) => canonical.replace('GET ', 'HEAD '),
  }),
  refuses('path-signed', 'A signature for another path is refused', {
    stringToHash: (canonical) => canonical.replace(TARGET, '/v1/folder'),
  }),
  refuses('date-missing', 'A request without Date is refused', { headers: { date: undefined } }),
  refuses('date-form', 'A Date is refused if its format differs from Tue, 01 Dec 2026 09:00:00 GMT', {
    headers: { date: '2026-12-01T09:00:00Z' },
  }),
  refuses('date-too-old', 'A Date of 16 minutes ago is refused', { dateOffset: -16 * MINUTES }),
  refuses('date-too-new', 'A Date 16 minutes ahead is refused', { dateOffset: 16 * MINUTES }),
  refuses('nonce-missing', 'A request without a nonce is refused', (probe) => ({
    headers: { [probe.headerNames.nonce]: undefined },
  })),
  refuses('nonce-long', 'A nonce of 41 characters is refused', { nonce: 'n'.repeat(41) }),
  {
    id: 'nonce-replay',
    says: 'A nonce that was used before is refused with 401',
    run: async (probe) => {
      const nonce = `${probe.uniqueHex()}${probe.uniqueHex()}`;
      expectStatus(await probe.send({ target: TARGET, nonce }), [200]);
      expectStatus(await probe.send({ target: TARGET, nonce }), [401]);
    },
  },
  {
    id: 'nonce-of-failure',
    says: 'A refused request does not use up its nonce',
    run: async (probe) => {
      const nonce = `${probe.uniqueHex()}${probe.uniqueHex()}`;
      const wrong = (signature: string): string => signature.split('').reverse().join('');
      expectStatus(await probe.send({ target: TARGET, nonce, signature: wrong }), [401]);
      expectStatus(await probe.send({ target: TARGET, nonce }), [200]);
    },
  },
  refuses('user-without-company', 'A user id without a company id is refused', (probe) => ({
    headers: { [probe.headerNames.cid]: undefined, [probe.headerNames.uid]: '1' },
  })),
  refuses('user-unknown', 'A user id that does not exist is refused', (probe) => ({
    headers: { [probe.headerNames.uid]: '999999999999999' },
  })),
  {
    id: 'one-refusal',
    says: 'Every 401 response has the same message, and never contains the key',
    run: async (probe) => {
      const { apiKey } = probe.credentials;
      const wrongKey = await probe.send({
        target: TARGET,
        stringToHash: (canonical) => `${withoutKey(canonical)}${'f'.repeat(32)}`,
      });
      const noUser = await probe.send({
        target: TARGET,
        headers: { [probe.headerNames.uid]: '999999999999998' },
      });
      const [one, other] = [wrongKey.error.message, noUser.error.message];
      expectThat(typeof one === 'string', 'a 401 response has no JSON error object with a message');
      expectThat(one === other, `two messages: ${String(one)}; ${String(other)}`);
      expectThat(
        ![wrongKey, noUser].some(({ body }) => body.includes(apiKey)),
        'the response contains the key',
      );
    },
  },
  createStatusCheck(
    'query-unsigned',
    'The query is not part of the signature',
    (probe) => ({ target: createRequestPathMatchingNoRecord(probe) }),
    [404],
  ),
];
