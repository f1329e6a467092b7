/** Checks that only read (interface, "Endpoints" and "Resources and their fields"; wire, "Requests" and "Responses"). */
import { isObject } from '../../../../text/json-object.ts';
import {
  anyUser,
  type ConformanceCheck,
  expectStatus,
  expectsFault,
  expectsStatus,
  expectThat,
  requestWithoutMatch,
} from './check.ts';
import type { ProbeAnswer } from './probe.ts';

const isEmpty = ({ body }: ProbeAnswer): void => expectThat(body === '', 'the answer to a HEAD has a body');

export const responseChecks: readonly ConformanceCheck[] = [
  {
    id: 'collection',
    says: 'A collection has status ok, an array as data, and its length as count',
    run: expectsStatus({ target: '/v1/user' }, [200], ({ data, count }) => {
      expectThat(Array.isArray(data), 'data is not an array in an envelope with status ok');
      expectThat(count === data.length, `count is ${count} for ${data.length} records`);
    }),
  },
  {
    id: 'content-type',
    says: 'Answers are application/json',
    run: expectsStatus({ target: '/v1/user' }, [200], ({ headers }) => {
      const type = headers['content-type'] ?? 'none';
      expectThat(/^application\/json\b/i.test(type), `Content-Type is ${type}`);
    }),
  },
  {
    id: 'item',
    says: 'A record asked for by its path is an object',
    run: async (probe) => {
      const { id } = await anyUser(probe);
      const answer = await probe.send({ target: `/v1/user/${String(id)}` });
      expectStatus(answer, [200]);
      expectThat(
        isObject(answer.data) && answer.data['id'] === id,
        `data is not the object with id ${String(id)}`,
      );
    },
  },
  {
    id: 'item-by-query',
    says: 'A record asked for by id in the query is an object',
    run: async (probe) => {
      const { id } = await anyUser(probe);
      const answer = await probe.send({ target: `/v1/user?id=${String(id)}` });
      expectStatus(answer, [200]);
      expectThat(isObject(answer.data), 'data is not an object');
    },
  },
  {
    id: 'not-found',
    says: 'A GET without a match is 404 with the message Not Found',
    run: expectsStatus(
      (probe) => ({ target: requestWithoutMatch(probe) }),
      [404],
      ({ error }) => {
        expectThat(error['code'] === 404, 'the response is not an error envelope with code 404');
        expectThat(error['message'] === 'Not Found', `the message is ${JSON.stringify(error['message'])}`);
      },
    ),
  },
  {
    id: 'no-null-details',
    says: 'An error without details leaves additional_information out',
    run: async (probe) => {
      for (const target of [requestWithoutMatch(probe), '/v1/nosuchresource']) {
        const { error } = await probe.send({ target });
        expectThat('message' in error, `GET ${target} has no error envelope`);
        expectThat(error['additional_information'] !== null, 'additional_information is null');
      }
    },
  },
  {
    id: 'unknown-resource',
    says: 'An unknown resource is 404',
    run: expectsStatus({ target: '/v1/nosuchresource' }, [404]),
  },
  {
    id: 'resource-case',
    says: 'Names of resources are case-sensitive',
    applies: ({ naming }) => naming.case === 'exact',
    run: expectsStatus({ target: '/v1/Folder' }, [404]),
  },
  { id: 'version', says: 'Another version is 404', run: expectsStatus({ target: '/v2/folder' }, [404]) },
  {
    id: 'id-form',
    says: 'An id that is not a number is 400',
    run: expectsStatus({ target: '/v1/folder/abc' }, [400]),
  },
  {
    id: 'id-twice',
    says: 'Two different ids in path and query are 400',
    run: expectsStatus({ target: '/v1/folder/1?id=2' }, [400]),
  },
  {
    id: 'id-large',
    says: 'An id that a double cannot hold is read digit for digit',
    run: expectsStatus({ target: '/v1/folder/9007199254740993' }, [404]),
  },
];

export const methodChecks: readonly ConformanceCheck[] = [
  {
    id: 'head-found',
    says: 'HEAD of a match is 200 without a body',
    run: expectsStatus({ method: 'HEAD', target: '/v1/account' }, [200], isEmpty),
  },
  {
    id: 'head-not-found',
    says: 'HEAD without a match is 404 without a body',
    run: expectsStatus((probe) => ({ method: 'HEAD', target: requestWithoutMatch(probe) }), [404], isEmpty),
  },
  {
    id: 'head-framing',
    says: 'HEAD is framed so that no client waits for a body: Content-Length 0, or the connection closes',
    run: expectsStatus({ method: 'HEAD', target: '/v1/account' }, [200], ({ headers }) => {
      const { 'content-length': length, connection } = headers;
      const isFramed = length === '0' || connection?.toLowerCase() === 'close';
      expectThat(
        isFramed,
        `Content-Length is ${length ?? 'missing'}, Connection is ${connection ?? 'missing'}`,
      );
    }),
  },
  {
    id: 'unsupported-method',
    says: 'An unsupported method is 405 with Allow',
    run: expectsStatus({ method: 'HEAD', target: '/v1/accountFeatures' }, [405], ({ headers }) =>
      expectThat(/\bGET\b/.test(headers['allow'] ?? ''), `Allow is ${headers['allow'] ?? 'missing'}`),
    ),
  },
  {
    id: 'get-body',
    says: 'The body of a GET is ignored',
    run: expectsStatus({ target: '/v1/account', body: 'null' }, [200]),
  },
];

export const queryChecks: readonly ConformanceCheck[] = [
  {
    id: 'filter-unknown',
    says: 'A filter by an unknown attribute is 400 and names it',
    run: expectsStatus({ target: '/v1/folder?nosuchattribute=1' }, [400], expectsFault('nosuchattribute')),
  },
  {
    id: 'filter-without-f',
    says: 'A filter by an attribute without F is 400 and names it',
    run: expectsStatus(
      (probe) => ({ target: `/v1/folder?${probe.wire('mdate')}=1` }),
      [400],
      expectsFault('mdate'),
    ),
  },
  {
    id: 'filter-type',
    says: 'A filter value of the wrong type is 400',
    run: expectsStatus((probe) => ({ target: `/v1/user?${probe.wire('currentuser')}=maybe` }), [400]),
  },
  ...['true', 'True', '1'].map(
    (value): ConformanceCheck => ({
      id: `boolean-${value === 'True' ? 'capital' : value}`,
      says: `A boolean in a query may be ${value}`,
      run: expectsStatus(
        (probe) => ({ target: `/v1/user?${probe.wire('currentuser')}=${value}` }),
        [200],
        ({ data }) =>
          expectThat(Array.isArray(data) && data.length === 1, 'data is not the one current user'),
      ),
    }),
  ),
  {
    id: 'filters-together',
    says: 'Several filters are combined with AND',
    run: expectsStatus(
      (probe) => ({
        target: `/v1/user?${probe.wire('currentuser')}=true&${probe.wire('username')}=none-${probe.unique()}`,
      }),
      [404],
    ),
  },
  {
    id: 'filter-encoding',
    says: 'A filter value is percent-decoded',
    run: async (probe) => {
      const username = String(probe.valueOf(await anyUser(probe), 'username'));
      const encoded = [...Buffer.from(username)].map((octet) => `%${octet.toString(16).padStart(2, '0')}`);
      const answer = await probe.send({ target: `/v1/user?${probe.wire('username')}=${encoded.join('')}` });
      expectStatus(answer, [200]);
      const [found] = Array.isArray(answer.data) ? answer.data : [];
      expectThat(probe.valueOf(found, 'username') === username, 'the user was not found by its encoded name');
    },
  },
  {
    id: 'count',
    says: 'count limits the records of a page',
    run: expectsStatus({ target: '/v1/user?count=1' }, [200], ({ data }) =>
      expectThat(Array.isArray(data) && data.length === 1, 'data is not an array of one'),
    ),
  },
  {
    id: 'count-zero',
    says: 'A count below 1 is 400',
    run: expectsStatus({ target: '/v1/user?count=0' }, [400]),
  },
  {
    id: 'count-cap',
    says: 'A count above 200 is capped, not refused',
    run: expectsStatus({ target: '/v1/user?count=100000' }, [200], ({ data }) =>
      expectThat(Array.isArray(data) && data.length <= 200, 'the page has more than 200 records'),
    ),
  },
  {
    id: 'sort-without-s',
    says: 'A sort by an attribute without S is 400',
    run: expectsStatus((probe) => ({ target: `/v1/user?sort=${probe.wire('email')}` }), [400]),
  },
  {
    id: 'start-inclusive',
    says: 'start is inclusive',
    run: async (probe) => {
      const { id } = await anyUser(probe);
      const answer = await probe.send({ target: `/v1/user?start=${String(id)}&count=1` });
      expectStatus(answer, [200]);
      const [first] = Array.isArray(answer.data) ? answer.data : [];
      expectThat(Object(first)['id'] === id, `the page does not begin with id ${String(id)}`);
    },
  },
  {
    id: 'start-beyond',
    says: 'A start after the last record matches nothing: 404',
    run: expectsStatus({ target: '/v1/user?start=999999999999999' }, [404]),
  },
  {
    id: 'profile-data-filter',
    says: 'GET of subscriberProfileData without a filter is 400',
    run: expectsStatus({ target: '/v1/subscriberProfileData' }, [400]),
  },
];
