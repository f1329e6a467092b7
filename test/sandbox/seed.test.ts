import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_CONTENT_MARKUP_NAMES, type Values } from '../../src/kit/schema/resource.ts';
import { checkValidationRules, checkValue } from '../../src/kit/schema/validator.ts';
import { parseContent } from '../../src/kit/text/dynamic-content.ts';
import { insertTrackingBaseUrl } from '../../src/sandbox/engine/mail/links.ts';
import { rowToAttributeValues } from '../../src/sandbox/request/present.ts';
import { demoEmails } from '../../src/sandbox/seed/demo-messages.ts';
import { SEEDS, type Seed, seedStore } from '../../src/sandbox/seed/seed.ts';
import { sql } from '../../src/sandbox/store/driver/sql.ts';
import type { Store } from '../../src/sandbox/store/open.ts';
import { type SqlRow, selectRows } from '../../src/sandbox/store/rows.ts';
import type { Row, Tables } from '../../src/sandbox/store/schema/tables.ts';
import { rowsQuery } from '../../src/sandbox/store/sources.ts';
import { lintEmail } from '../../src/service/lint/email.ts';
import { DEFAULT_WIRE_NAMING } from '../../src/service/protocol/naming.ts';
import { catalogue } from '../../src/service/resources/catalogue.ts';
import { openTestStore } from '../support/store.ts';

const NOW = 1_796_115_600;

async function planted(seed: Seed): Promise<Store> {
  const store = await openTestStore();
  await seedStore(store, seed, {
    now: NOW,
    naming: DEFAULT_WIRE_NAMING,
    random: (octets) => randomBytes(octets),
  });
  return store;
}

const rowsOf = async (store: Store, table: keyof Tables): Promise<readonly SqlRow[]> =>
  (await store.db.all(sql<Row<typeof table>>`select * from ${sql.ref(table)}`)) as unknown as SqlRow[];

/** Replaces the mark in stored messages by the sandbox's address. */
const shown = (values: Values): Values =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'string' ? insertTrackingBaseUrl(value, 'http://127.0.0.1:4010') : value,
    ]),
  );

describe('empty: the minimum that can sign', () => {
  it('has one partner, one company, its admin, and nothing else', async () => {
    const store = await planted('empty');
    const [partner] = await rowsOf(store, 'partner');
    const [account] = await rowsOf(store, 'account');
    expect(partner?.['api_key']).toMatch(/^[0-9a-f]{40}$/);
    expect(account?.['api_key']).toMatch(/^[0-9a-f]{32}$/);
    expect(await rowsOf(store, 'user')).toEqual([expect.objectContaining({ account_id: 1, isadmin: 1 })]);
    for (const table of ['folder', 'list', 'subscriber', 'task'] as const)
      expect(await rowsOf(store, table)).toEqual([]);
  });
});

describe('demo: a realistic small company', () => {
  let store: Store;
  beforeAll(async () => {
    store = await planted('demo');
  });

  it('is the same in every data folder, except for its keys', async () => {
    const other = await planted('demo');
    for (const table of [
      'subscriber',
      'subscription',
      'profile_data',
      'task',
      'task_recipient',
      'email_message',
    ] as const)
      expect(await rowsOf(other, table)).toEqual(await rowsOf(store, table));
    const keys = async (of: Store) => (await rowsOf(of, 'account')).map((row) => row['api_key']);
    expect(await keys(other)).not.toEqual(await keys(store));
    expect(new Set(await keys(store)).size).toBe(3);
  });

  it('has the records that the contract promises', async () => {
    const counts = async (...tables: (keyof Tables)[]) =>
      Promise.all(tables.map(async (table) => (await rowsOf(store, table)).length));
    expect(await counts('partner', 'account')).toEqual([1, 3]);
    expect((await rowsOf(store, 'list')).filter((row) => row['account_id'] === 1)).toHaveLength(3);
    const rules = ['click', 'open', 'subscription', 'date', 'sms'] as const;
    for (const kind of rules) expect(await rowsOf(store, `${kind}_automation`)).not.toEqual([]);
    for (const count of await counts('email_message', 'sms_message', 'sms_destination', 'form', 'search'))
      expect(count).toBeGreaterThan(0);
    expect((await rowsOf(store, 'subscriber')).length).toBeGreaterThan(300);
  });

  it('has no real address: reserved domains (RFC 2606), numbers reserved for drama', async () => {
    for (const { email, msisdn } of await rowsOf(store, 'subscriber')) {
      if (email !== null) expect(email).toMatch(/^[^@]+@(example\.(com|org|net)|[a-z]+\.example)$/);
      if (msisdn !== null) expect(msisdn).toMatch(/^(447700900[0-9]{3}|1[0-9]{3}55501[0-9]{2})$/);
      expect(email ?? msisdn).not.toBeNull();
    }
    for (const { email } of await rowsOf(store, 'user')) expect(email).toMatch(/\.example$/);
    for (const { target } of await rowsOf(store, 'email_message_link'))
      expect(new URL(String(target)).hostname).toMatch(/\.example$/);
  });

  it('has messages that can all be personalised unchanged', async () => {
    for (const row of await rowsOf(store, 'email_message'))
      for (const part of ['subject', 'html', 'text'])
        expect([row['name'], parseContent(String(row[part])).ok]).toEqual([row['name'], true]);
  });

  it('has designed e-mails that load nothing, and whose findings are intended', () => {
    for (const { name, html, text, subject, customoptin } of demoEmails(DEFAULT_WIRE_NAMING)) {
      const content = { html, text, subject, customoptin: customoptin === true };
      const found = lintEmail(content, { files: {}, stored: new Set(), words: DEFAULT_CONTENT_MARKUP_NAMES });
      // The pictures are in the messages, because a sandbox loads nothing. Only the draft has another finding.
      expect(found.map(({ rule }) => rule).sort()).toEqual([
        ...(name.includes('draft') ? ['no-language'] : []),
        'unrendered-html',
      ]);
      expect(found.find(({ rule }) => rule === 'unrendered-html')?.message).toContain('embedded in the HTML');
      expect(
        [...html.matchAll(/(?:src|background)="([^"]*)"|url\(/g)].map(([, at]) => at?.slice(0, 22)),
      ).toEqual(['data:image/png;base64,']);
      expect(html.length).toBeLessThan(10_000);
    }
  });

  it('has counters of tasks that equal their contact records', async () => {
    const recipients = await rowsOf(store, 'task_recipient');
    const clicks = await rowsOf(store, 'task_click');
    for (const task of (await rowsOf(store, 'task')).filter((row) => row['completed'] === 1)) {
      const own = recipients.filter((row) => row['task_id'] === task['id']);
      const counted = (mark: string): number => own.filter((row) => row[mark] !== null).length;
      expect([task['sent'], task['size']]).toEqual([own.length, own.length]);
      if (task['channel'] === 'email')
        expect([task['emailuniqueopens'], task['emailuniqueclicks'], task['emailuniquebounces']]).toEqual([
          counted('opened'),
          counted('clicked'),
          counted('bounced'),
        ]);
      const clicked = new Set(
        clicks.flatMap((row) => (row['task_id'] === task['id'] ? [row['subscriber_id']] : [])),
      );
      expect(clicked.size).toBe(counted('clicked'));
      if (task['channel'] === 'sms')
        expect([task['smsuniquebounces'], task['emailuniqueopens']]).toEqual([counted('bounced'), null]);
    }
  });

  it('has no subscriber on Do Not Contact', async () => {
    const blocked = new Set((await rowsOf(store, 'do_not_contact')).map((row) => row['contactdata']));
    for (const { email, email_domain, msisdn } of await rowsOf(store, 'subscriber'))
      for (const value of [email, email_domain, msisdn]) expect(blocked.has(value ?? '')).toBe(false);
  });
});

/** Interface, "Resources and their fields": types, enums, bounds, and null only where the table says so. */
describe.each(SEEDS)('seed %s', (seed) => {
  let store: Store;
  let companies: readonly number[];
  beforeAll(async () => {
    store = await planted(seed);
    companies = (await rowsOf(store, 'account')).map((row) => Number(row['id']));
  });

  it.each(catalogue.map((resource) => [resource.name, resource] as const))(
    'every %s of every company fits its table and the rules',
    async (_, resource) => {
      for (const accountId of companies) {
        const viewer = { accountId, userId: 1, isAdmin: true, restricted: false };
        for (const row of await selectRows(store.db, rowsQuery(resource.name, viewer))) {
          const values = shown(rowToAttributeValues(resource, row));
          const written = Object.entries(resource.fields).filter(([, field]) => !field.writeOnly);
          expect(Object.keys(values)).toEqual(expect.arrayContaining(written.map(([name]) => name)));
          for (const [name, field] of written) {
            const checked = checkValue(name, field, values[name]);
            expect('finding' in checked ? checked.finding : undefined).toBeUndefined();
          }
          if (!['account', 'accountFeatures', 'user'].includes(resource.name))
            expect(checkValidationRules(resource, values, DEFAULT_WIRE_NAMING)).toEqual([]);
        }
      }
    },
  );
});
