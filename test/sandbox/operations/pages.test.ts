/** A page that the store assembles has the same contents for each row as a response for that row alone (wire, "Responses"). */

import { beforeAll, describe, expect, it } from 'vitest';
import {
  buildRowToJsonSql,
  rowToAttributeValues,
  toWireAttributeNames,
} from '../../../src/sandbox/request/present.ts';
import { selectRows, selectRowsAsJson } from '../../../src/sandbox/store/rows.ts';
import { rowsQuery } from '../../../src/sandbox/store/sources.ts';
import { DEFAULT_WIRE_NAMING, namingWithOverrides } from '../../../src/service/protocol/naming.ts';
import { catalogue } from '../../../src/service/resources/catalogue.ts';
import { withEverything } from '../../support/everything.ts';
import { postgresOfTests } from '../../support/postgres.ts';
import { IDS, type TestSandbox } from '../../support/sandbox.ts';

const VIEWER = { accountId: IDS.company, userId: IDS.admin, isAdmin: true, restricted: false };

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await withEverything();
});

// Only SQLite returns rows as one text. For PostgreSQL, the service makes the texts.
describe.skipIf(postgresOfTests() !== undefined).each([
  ['neutral names', DEFAULT_WIRE_NAMING],
  ['vendor names', namingWithOverrides({ fields: { name: 'title', paused: 'halted', cdate: 'made' } })],
])('%s', (_, naming) => {
  it.each(catalogue.map((resource) => [resource.name, resource] as const))('%s', async (name, resource) => {
    const source = rowsQuery(name, VIEWER);
    const selection = { sort: resource.order?.[0] ?? 'id', ties: resource.order ?? ['id'], limit: 201 };
    await sandbox.service.store.transaction(async (db) => {
      const rows = await selectRows(db, source, selection);
      expect(rows.length).toBeGreaterThan(0);
      const texts = selectRowsAsJson(db, source, selection, buildRowToJsonSql(resource, naming));
      expect(texts?.map((text) => JSON.parse(text))).toEqual(
        rows.map((row) => toWireAttributeNames(rowToAttributeValues(resource, row), naming)),
      );
    });
  });
});

it('a page says where the next page begins', async () => {
  for (const at of [1, 2, 3, 4])
    await sandbox.send('admin', 'POST', '/v1/doNotContact', { contactdata: `${at}@example.com` });
  const pages: unknown[] = [];
  for (let start: unknown = ''; start !== null; ) {
    const target = `/v1/doNotContact?sort=contactdata&count=2${start === '' ? '' : `&start=${start}`}`;
    const { response, list } = await sandbox.send('admin', 'GET', target);
    pages.push([response['count'], response['next'], ...list.map(({ contactdata }) => contactdata)]);
    start = response['next'];
  }
  expect(pages).toEqual([
    [2, '3@example.com', '1@example.com', '2@example.com'],
    [2, 'old@example.com', '3@example.com', '4@example.com'],
    [1, null, 'old@example.com'],
  ]);
});
