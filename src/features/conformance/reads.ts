/** Checks that only read (interface, "Endpoints" and "Resources and their fields"; wire, "Requests" and "Responses"). */
import { isObject } from '../../kit/text/json-object.ts';
import {
  type ConformanceCheck,
  type ConformanceResponse,
  createInvalidAttributeCheck,
  createRequestPathMatchingNoRecord,
  createStatusCheck,
  expectStatus,
  expectThat,
  requestOneUserRecord,
} from './check.ts';

const isEmpty = ({ body }: ConformanceResponse): void =>
  expectThat(body === '', 'the response to a HEAD request has a body');

export const RESPONSE_CHECKS: readonly ConformanceCheck[] = [
  createStatusCheck(
    'collection',
    'A GET of a collection returns status ok, an array as data, and the length of the array as count',
    { target: '/v1/user' },
    [200],
    ({ data, count }) => {
      expectThat(
        Array.isArray(data),
        'the response is not a JSON object with the status ok and an array called data',
      );
      expectThat(count === data.length, `the response has count ${count}, but ${data.length} records`);
    },
  ),
  createStatusCheck(
    'content-type',
    'Responses have the content type application/json',
    { target: '/v1/user' },
    [200],
    ({ headers: { 'content-type': type = 'none' } }) =>
      expectThat(/^application\/json\b/i.test(type), `Content-Type is ${type}`),
  ),
  {
    id: 'item',
    says: 'A GET with an id in the path returns one object',
    run: async (probe) => {
      const { id } = await requestOneUserRecord(probe);
      const answer = await probe.send({ target: `/v1/user/${String(id)}` });
      expectStatus(answer, [200]);
      expectThat(Object(answer.data).id === id, `data.id in the response is not ${String(id)}`);
    },
  },
  {
    id: 'item-by-query',
    says: 'A GET with an id in the query returns one object',
    run: async (probe) => {
      const { id } = await requestOneUserRecord(probe);
      const answer = await probe.send({ target: `/v1/user?id=${String(id)}` });
      expectStatus(answer, [200]);
      expectThat(isObject(answer.data), 'the response does not contain an object called data');
    },
  },
  createStatusCheck(
    'not-found',
    'A GET that finds no record returns 404 with the message Not Found',
    (probe) => ({ target: createRequestPathMatchingNoRecord(probe) }),
    [404],
    ({ error }) => {
      expectThat(error.code === 404, 'the response is not a JSON error object with code 404');
      expectThat(error.message === 'Not Found', `the message is ${JSON.stringify(error.message)}`);
    },
  ),
  {
    id: 'no-null-details',
    says: 'An error without details has no additional_information',
    run: async (probe) => {
      for (const target of [createRequestPathMatchingNoRecord(probe), '/v1/nosuchresource']) {
        const { error } = await probe.send({ target });
        expectThat('message' in error, `the response to GET ${target} is not a JSON error object`);
        expectThat(error.additional_information !== null, 'additional_information is null');
      }
    },
  },
  createStatusCheck(
    'unknown-resource',
    'An unknown resource returns 404',
    { target: '/v1/nosuchresource' },
    [404],
  ),
  {
    ...createStatusCheck(
      'resource-case',
      'Names of resources are case-sensitive',
      { target: '/v1/Folder' },
      [404],
    ),
    applies: ({ naming }) => naming.case === 'exact',
  },
  createStatusCheck(
    'version',
    'A path that begins with /v2 instead of /v1 returns 404',
    { target: '/v2/folder' },
    [404],
  ),
  createStatusCheck('id-form', 'An id that is not a number returns 400', { target: '/v1/folder/abc' }, [400]),
  createStatusCheck(
    'id-twice',
    'Different ids in path and query return 400',
    { target: '/v1/folder/1?id=2' },
    [400],
  ),
  createStatusCheck(
    'id-large',
    'The service does not round a large id, such as 9007199254740993, to another id',
    { target: '/v1/folder/9007199254740993' },
    [404],
  ),
];

export const METHOD_CHECKS: readonly ConformanceCheck[] = [
  createStatusCheck(
    'head-found',
    'A HEAD request that finds a record returns 200 without a body',
    { method: 'HEAD', target: '/v1/account' },
    [200],
    isEmpty,
  ),
  createStatusCheck(
    'head-not-found',
    'A HEAD request that finds no record returns 404 without a body',
    (probe) => ({ method: 'HEAD', target: createRequestPathMatchingNoRecord(probe) }),
    [404],
    isEmpty,
  ),
  createStatusCheck(
    'head-framing',
    'The response to HEAD never makes a client wait for a body: Content-Length is 0, or the connection closes',
    { method: 'HEAD', target: '/v1/account' },
    [200],
    ({ headers }) => {
      const { 'content-length': length, connection } = headers;
      const isFramed = length === '0' || connection?.toLowerCase() === 'close';
      expectThat(
        isFramed,
        `the response should have Content-Length 0 or Connection close, but has Content-Length ${length ?? 'missing'} and Connection ${connection ?? 'missing'}`,
      );
    },
  ),
  createStatusCheck(
    'unsupported-method',
    'An unsupported method returns 405 with the header Allow',
    { method: 'HEAD', target: '/v1/accountFeatures' },
    [405],
    ({ headers: { allow = 'missing' } }) => expectThat(/\bGET\b/.test(allow), `Allow is ${allow}`),
  ),
  createStatusCheck(
    'get-body',
    'The service ignores the body of a GET request',
    { target: '/v1/account', body: 'null' },
    [200],
  ),
];

export const QUERY_CHECKS: readonly ConformanceCheck[] = [
  createStatusCheck(
    'filter-unknown',
    'A filter by an unknown attribute returns 400 and names the attribute',
    { target: '/v1/folder?nosuchattribute=1' },
    [400],
    createInvalidAttributeCheck('nosuchattribute'),
  ),
  createStatusCheck(
    'filter-without-f',
    'A filter by an attribute that does not allow filters returns 400 and names the attribute',
    (probe) => ({ target: `/v1/folder?${probe.wireNameOf('mdate')}=1` }),
    [400],
    createInvalidAttributeCheck('mdate'),
  ),
  createStatusCheck(
    'filter-type',
    'A filter value of the wrong type returns 400',
    (probe) => ({ target: `/v1/user?${probe.wireNameOf('currentuser')}=maybe` }),
    [400],
  ),
  ...['true', 'True', '1'].map(
    (value): ConformanceCheck =>
      createStatusCheck(
        `boolean-${value === 'True' ? 'capital' : value}`,
        `A boolean in a query can be written as ${value}`,
        (probe) => ({ target: `/v1/user?${probe.wireNameOf('currentuser')}=${value}` }),
        [200],
        ({ data }) =>
          expectThat(Array.isArray(data) && data.length === 1, 'data does not contain exactly one user'),
      ),
  ),
  createStatusCheck(
    'filters-together',
    'Several filters are combined with AND',
    (probe) => ({
      target: `/v1/user?${probe.wireNameOf('currentuser')}=true&${probe.wireNameOf('username')}=none-${probe.uniqueHex()}`,
    }),
    [404],
  ),
  {
    id: 'filter-encoding',
    says: 'The service decodes percent-encoded filter values',
    run: async (probe) => {
      const username = String(probe.valueOf(await requestOneUserRecord(probe), 'username'));
      const encoded = [...Buffer.from(username)].map((octet) => `%${octet.toString(16).padStart(2, '0')}`);
      const answer = await probe.send({
        target: `/v1/user?${probe.wireNameOf('username')}=${encoded.join('')}`,
      });
      expectStatus(answer, [200]);
      const [found] = Array.isArray(answer.data) ? answer.data : [];
      expectThat(
        probe.valueOf(found, 'username') === username,
        'the user was not found by its percent-encoded name',
      );
    },
  },
  createStatusCheck(
    'count',
    'The parameter "count" limits the number of records on a page',
    { target: '/v1/user?count=1' },
    [200],
    ({ data }) =>
      expectThat(
        Array.isArray(data) && data.length === 1,
        'the response does not contain an array called data with one record',
      ),
  ),
  createStatusCheck(
    'count-zero',
    'A GET whose "count" is below 1 returns 400',
    { target: '/v1/user?count=0' },
    [400],
  ),
  createStatusCheck(
    'count-cap',
    'A value of "count" above 200 is treated as 200',
    { target: '/v1/user?count=100000' },
    [200],
    ({ data }) => expectThat(Array.isArray(data) && data.length <= 200, 'the page has more than 200 records'),
  ),
  createStatusCheck(
    'sort-without-s',
    'A sort by an attribute that does not allow sorting returns 400',
    (probe) => ({ target: `/v1/user?sort=${probe.wireNameOf('email')}` }),
    [400],
  ),
  {
    id: 'start-inclusive',
    says: 'A page includes the record whose value is "start"',
    run: async (probe) => {
      const { id } = await requestOneUserRecord(probe);
      const answer = await probe.send({ target: `/v1/user?start=${String(id)}&count=1` });
      expectStatus(answer, [200]);
      const [first] = Array.isArray(answer.data) ? answer.data : [];
      expectThat(Object(first).id === id, `the page does not begin with id ${String(id)}`);
    },
  },
  createStatusCheck(
    'start-beyond',
    'A GET whose "start" is after the last record returns 404',
    { target: '/v1/user?start=999999999999999' },
    [404],
  ),
  createStatusCheck(
    'profile-data-filter',
    'A GET of subscriberProfileData without a filter returns 400',
    { target: '/v1/subscriberProfileData' },
    [400],
  ),
];
