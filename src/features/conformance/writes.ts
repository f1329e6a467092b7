/** Checks that write their own folders and Do Not Contact entries (wire, "Requests" and "Responses"). */
import type { Json } from '../../service/protocol/json.ts';
import {
  type ConformanceCheck,
  type ConformanceClient,
  type ConformanceRequest,
  type ConformanceResponse,
  createInvalidAttributeCheck,
  createStatusCheck,
  expectStatus,
  expectThat,
  faultyAttributes,
  VALID_POST_STATUSES,
} from './check.ts';

const FORM = 'application/x-www-form-urlencoded';
const UNUSED_ID = 999_999_999_999_999;

const nameFor = (probe: ConformanceClient): string => `conformance-${probe.uniqueHex()}`;
const jsonOf = (probe: ConformanceClient, values: Readonly<Record<string, Json>>): string =>
  JSON.stringify(
    Object.fromEntries(Object.entries(values).map(([name, value]) => [probe.wireNameOf(name), value])),
  );

/** Sends a POST and registers the created record for deletion, even if the check expects an error. */
async function post(
  probe: ConformanceClient,
  resource: string,
  parts: Omit<ConformanceRequest, 'target'>,
): Promise<ConformanceResponse> {
  const answer = await probe.send({ ...parts, method: 'POST', target: `/v1/${resource}` });
  const id = Object(Array.isArray(answer.data) ? answer.data[0] : answer.data).id;
  if (id !== undefined) probe.registerCreated(`/v1/${resource}/${String(id)}`);
  return answer;
}

async function makeFolder(probe: ConformanceClient, name: string): Promise<string> {
  const answer = await post(probe, 'folder', { body: jsonOf(probe, { name }) });
  expectStatus(answer, VALID_POST_STATUSES);
  const id = Object(answer.data).id;
  expectThat(id !== undefined, 'POST does not return an object with an id');
  return String(id);
}

const refusesPost = (
  id: string,
  says: string,
  parts: (probe: ConformanceClient) => Omit<ConformanceRequest, 'target'>,
  also?: (answer: ConformanceResponse, probe: ConformanceClient) => void,
): ConformanceCheck => ({
  id,
  says: `${says}: 400`,
  run: async (probe) => {
    const answer = await post(probe, 'folder', parts(probe));
    expectStatus(answer, [400]);
    also?.(answer, probe);
  },
});

const keepsName = (
  id: string,
  says: string,
  parts: (probe: ConformanceClient, name: string) => Omit<ConformanceRequest, 'target'>,
  suffix: string,
): ConformanceCheck => ({
  id,
  says,
  run: async (probe) => {
    const name = `${nameFor(probe)}${suffix}`;
    const answer = await post(probe, 'folder', parts(probe, name));
    expectStatus(answer, VALID_POST_STATUSES);
    const kept = probe.valueOf(answer.data, 'name');
    expectThat(kept === name, `data.name in the response is not ${JSON.stringify(name)}`);
  },
});

const CHECKS: readonly ConformanceCheck[] = [
  keepsName(
    'post',
    'A POST returns the new object',
    (probe, name) => ({ body: jsonOf(probe, { name }) }),
    '',
  ),
  keepsName(
    'text',
    'Text with non-ASCII characters is stored and returned unchanged',
    (probe, name) => ({ body: jsonOf(probe, { name }) }),
    'é✓😀',
  ),
  keepsName(
    'form-body',
    'The service decodes a form body: percent-encoding, and + as a space',
    (probe, name) => ({
      type: FORM,
      body: `${probe.wireNameOf('name')}=${encodeURIComponent(name).replaceAll('%20', '+')}`,
    }),
    ' a&b=c%',
  ),
  refusesPost('post-with-id', 'A POST with an id is refused', (probe) => ({
    body: jsonOf(probe, { id: UNUSED_ID, name: nameFor(probe) }),
  })),
  refusesPost('malformed-body', 'A body that is not JSON is refused', () => ({ body: '{"name":' })),
  refusesPost('body-array', 'A body that is not an object is refused', () => ({ body: '[]' })),
  refusesPost(
    'read-only-attribute',
    'A read-only attribute in a body is refused, and the error names it',
    (probe) => ({ body: jsonOf(probe, { name: nameFor(probe), list_count: 1 }) }),
    createInvalidAttributeCheck('list_count'),
  ),
  refusesPost(
    'all-faults',
    'A 400 response names all errors at once',
    (probe) => ({ body: jsonOf(probe, { name: '', nosuchattribute: 1 }) }),
    (answer, probe) => {
      const missing = ['name', 'nosuchattribute'].filter(
        (each) => !faultyAttributes(answer).includes(probe.wireNameOf(each)),
      );
      expectThat(
        missing.length === 0,
        `additional_information of the error does not mention ${missing.join(' and ')}`,
      );
    },
  ),
  refusesPost('octets', 'A folder name of 41 bytes in 21 characters is refused', (probe) => ({
    body: jsonOf(probe, { name: `${'é'.repeat(20)}x` }),
  })),
  refusesPost('nul', 'A text with the character U+0000 is refused', (probe) => ({
    body: jsonOf(probe, { name: 'a\u0000b' }),
  })),
  {
    id: 'content-type-refused',
    says: 'A body of an unsupported content type returns 415',
    run: async (probe) => {
      const answer = await post(probe, 'folder', { type: 'text/plain', body: `name=${nameFor(probe)}` });
      expectStatus(answer, [415]);
    },
  },
  {
    id: 'put',
    says: 'A PUT returns an array with the changed object',
    run: async (probe) => {
      const id = await makeFolder(probe, nameFor(probe));
      const name = nameFor(probe);
      const answer = await probe.send({
        method: 'PUT',
        target: `/v1/folder/${id}`,
        body: jsonOf(probe, { name }),
      });
      expectStatus(answer, [200]);
      expectThat(
        Array.isArray(answer.data) && answer.data.length === 1,
        'the response does not contain an array called data with one record',
      );
      expectThat(probe.valueOf(answer.data[0], 'name') === name, 'the object does not have its new name');
    },
  },
  {
    id: 'put-by-body',
    says: 'A PUT can have the id in the body, and the body can be a form',
    run: async (probe) => {
      const id = await makeFolder(probe, nameFor(probe));
      const name = nameFor(probe);
      const body = `id=${id}&${probe.wireNameOf('name')}=${name}`;
      expectStatus(await probe.send({ method: 'PUT', target: '/v1/folder', type: FORM, body }), [200]);
      const { data } = await probe.send({ target: `/v1/folder/${id}` });
      expectThat(probe.valueOf(data, 'name') === name, 'the folder does not have its new name');
    },
  },
  createStatusCheck(
    'put-not-found',
    'A PUT of a record that does not exist returns 404',
    (probe) => ({
      method: 'PUT',
      target: `/v1/folder/${UNUSED_ID}`,
      body: jsonOf(probe, { name: nameFor(probe) }),
    }),
    [404],
  ),
  {
    id: 'paging-ties',
    says: 'Paging: if several rows have the same value of the sort attribute, "start" and "next" are still that value',
    run: async (probe) => {
      const name = nameFor(probe);
      const made = new Set<string>();
      for (let at = 0; at < 3; at += 1) made.add(await makeFolder(probe, name));
      const answer = await probe.send({
        target: `/v1/folder?sort=${probe.wireNameOf('name')}&start=${name}&count=2`,
      });
      expectStatus(answer, [200]);
      const ids = Array.isArray(answer.data) ? answer.data.map((each) => String(Object(each).id)) : [];
      expectThat(
        ids.length === 2 && ids.every((id) => made.has(id)),
        'the response to a GET with count=2 does not contain exactly two of the three new folders',
      );
      expectThat(
        answer.next === name,
        `"next" in the response is ${JSON.stringify(answer.next)}; expected the name of the third folder`,
      );
    },
  },
  {
    id: 'reverse',
    says: 'The parameter "reverse" sorts in descending order',
    run: async (probe) => {
      await makeFolder(probe, nameFor(probe));
      const newest = await makeFolder(probe, nameFor(probe));
      const { data } = await probe.send({ target: '/v1/folder?sort=id&reverse=true&count=2' });
      const ids = Array.isArray(data) ? data.map((each) => Number(Object(each).id)) : [];
      expectThat(
        ids.length === 2 && Number(ids[0]) > Number(ids[1]),
        'the ids on the page are not in descending order',
      );
      expectThat(Number(ids[0]) >= Number(newest), 'the page does not begin with the newest folder');
    },
  },
  {
    id: 'delete',
    says: 'A DELETE with the JSON body null succeeds, and returns the deleted id',
    run: async (probe) => {
      const id = await makeFolder(probe, nameFor(probe));
      const target = `/v1/folder/${id}`;
      const answer = await probe.send({ method: 'DELETE', target, body: 'null' });
      expectStatus(answer, [200]);
      probe.registerDeleted(target);
      expectThat(
        String(Object(answer.data).id) === id,
        'data.id in the response is not the id of the deleted record',
      );
      expectStatus(await probe.send({ target }), [404]);
      expectStatus(await probe.send({ method: 'DELETE', target }), [404]);
    },
  },
  {
    ...createStatusCheck(
      'delete-unnamed',
      'A DELETE without an id returns 400',
      { method: 'DELETE', target: '/v1/folder' },
      [400],
    ),
    sandboxOnly: true,
  },
  {
    id: 'unique',
    says: 'A second entry for the same contactdata returns 409 with resource_id',
    run: async (probe) => {
      const body = jsonOf(probe, { contactdata: `${nameFor(probe)}@example.invalid` });
      const first = await post(probe, 'doNotContact', { body });
      expectStatus(first, VALID_POST_STATUSES);
      const second = await post(probe, 'doNotContact', { body });
      expectStatus(second, [409]);
      const id = Object(first.data).id;
      expectThat(
        second.error.resource_id === id,
        `resource_id is ${JSON.stringify(second.error.resource_id)}`,
      );
    },
  },
  createStatusCheck(
    'exclusive',
    'A DELETE of doNotContact with both id and contactdata returns 400',
    { method: 'DELETE', target: `/v1/doNotContact?id=${UNUSED_ID}&contactdata=none@example.invalid` },
    [400],
  ),
  createStatusCheck(
    'put-unsupported',
    'A PUT of doNotContact returns 405 with the header Allow',
    { method: 'PUT', target: `/v1/doNotContact/${UNUSED_ID}`, body: '{}' },
    [405],
    ({ headers: { allow = 'missing' } }) => expectThat(/\bDELETE\b/.test(allow), `Allow is ${allow}`),
  ),
];

export const WRITE_CHECKS: readonly ConformanceCheck[] = CHECKS.map((check) => ({
  ...check,
  writes: true,
}));
