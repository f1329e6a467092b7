/** Wire, "Requests": filters, sort, reverse, count and start of a query. */
import { describe, expect, it } from 'vitest';
import type { Resource } from '../../src/kit/schema/resource.ts';
import { DEFAULT_WIRE_NAMING, namingWithOverrides } from '../../src/service/protocol/naming.ts';
import { formatQuery, parseQuery } from '../../src/service/protocol/query.ts';
import { MAX_RECORDS_PER_PAGE } from '../../src/service/protocol/wire.ts';
import { catalogue, resourceNamed } from '../../src/service/resources/catalogue.ts';
import { said } from '../support/said.ts';

const read = (name: string, text: string) => parseQuery(declared(name), text, DEFAULT_WIRE_NAMING);
const refused = (name: string, text: string): string[] =>
  read(name, text).findings.map(({ attribute }) => attribute);

describe('filters: "query parameters named as the attribute, equality, several are ANDed"', () => {
  it.each([
    ['task', 'list_id=7&cancelled=false', { list_id: 7, cancelled: false }],
    ['task', 'list_id=', { list_id: null }],
    ['task', 'cancelled=1&completed=0', { cancelled: true, completed: false }],
    ['task', 'cancelled=true&completed=false', { cancelled: true, completed: false }],
    ['task', 'cancelled=True&completed=FALSE', { cancelled: true, completed: false }],
    ['task', 'channel=email', { channel: 'email' }],
    ['task', 'name=', { name: '' }],
    ['folder', 'name=Spring%20sale%20%26%20more', { name: 'Spring sale & more' }],
    ['folder', 'name=a+b', { name: 'a b' }],
    ['form', 'user_id=3', { user_id: 3 }],
    ['smsDestination', 'isshortcode=1', { isshortcode: true }],
  ])('%s ?%s', (name, text, filters) => {
    expect(read(name, text)).toMatchObject({ findings: [], query: { filters } });
  });

  it.each([
    ['folder', 'list_count=3', ['list_count']],
    ['folder', 'colour=red', ['colour']],
    ['folder', 'colour=red&list_count=3&id=x', ['colour', 'list_count', 'id']],
    ['folder', 'id=', ['id']],
    ['folder', 'id=1.5', ['id']],
    ['folder', 'id=1&id=2', ['id']],
    ['task', 'cancelled=yes', ['cancelled']],
    ['task', 'cancelled=', ['cancelled']],
    ['task', 'channel=fax', ['channel']],
    ['folder', 'constructor=1', ['constructor']],
    ['folder', '__proto__=1', ['__proto__']],
  ])('%s ?%s is rejected, with the name of each', (name, text, attributes) => {
    expect(refused(name, text)).toEqual(attributes);
  });
});

describe.each(catalogue.map((resource) => [resource.name, resource] as const))('%s', (name, resource) => {
  it('accepts only attributes marked F as filters', () => {
    for (const [attribute, field] of Object.entries(resource.fields)) {
      const value = { int: '1', decimal: '1', bool: 'true', string: 'x', enum: String(field.values?.[0]) }[
        field.kind
      ];
      expect([attribute, refused(name, `${attribute}=${value}`)]).toEqual([
        attribute,
        field.filter ? [] : [attribute],
      ]);
    }
  });

  it('accepts only attributes marked S as sort keys', () => {
    for (const [attribute, field] of Object.entries(resource.fields))
      expect([attribute, refused(name, `sort=${attribute}`)]).toEqual([
        attribute,
        field.sort ? [] : ['sort'],
      ]);
  });
});

describe('sort, reverse, count, start', () => {
  it('are by default: by id, ascending, 200 per page', () => {
    expect(read('folder', '').query).toEqual({ filters: {}, sort: 'id', reverse: false, count: 200 });
    expect(MAX_RECORDS_PER_PAGE).toBe(200);
  });

  it('subscriberProfileData: "by field, then subscriber; sort=id is 400"', () => {
    expect(read('subscriberProfileData', '').query.sort).toBe('subscriberprofilefield_id');
    expect(refused('subscriberProfileData', 'sort=id')).toEqual(['sort']);
  });

  it.each([
    ['1', 1],
    ['199', 199],
    ['200', 200],
    ['201', 200],
    ['999999999', 200],
  ])('count=%s is %i: "Above 200 the service caps"', (text, count) => {
    expect(read('folder', `count=${text}`)).toMatchObject({ findings: [], query: { count } });
  });

  it.each(['0', '-1', '1.5', 'all', '', '1e2'])('count=%s is rejected', (text) => {
    expect(refused('folder', `count=${text}`)).toEqual(['count']);
  });

  it.each([
    ['true', true],
    ['1', true],
    ['false', false],
    ['0', false],
  ])('reverse=%s', (text, reverse) => {
    expect(read('folder', `reverse=${text}`).query.reverse).toBe(reverse);
  });

  it('reverse=maybe is rejected', () => {
    expect(refused('folder', 'reverse=maybe')).toEqual(['reverse']);
  });

  it.each([
    ['folder', 'start=5', 5],
    ['folder', 'sort=name&start=News', 'News'],
    ['folder', 'start=News&sort=name', 'News'],
    ['folder', 'sort=cdate&start=1796115600', 1_796_115_600],
    ['task', 'sort=endtime&start=', null],
  ])('%s ?%s: start is a value of the active sort attribute', (name, text, start) => {
    expect(read(name, text)).toMatchObject({ findings: [], query: { start } });
  });

  it('a start of another type is rejected', () => {
    expect(refused('folder', 'start=News')).toEqual(['start']);
    expect(refused('folder', 'sort=cdate&start=News')).toEqual(['start']);
  });

  it.each<readonly [string, string, object]>([
    ['folder', 'colour=red', { attribute: 'colour', reason: 'is not an attribute of folder' }],
    [
      'folder',
      'list_count=3',
      { attribute: 'list_count', reason: 'cannot be filtered by', instead: 'filters: id, name' },
    ],
    [
      'accountFeatures',
      'timezone=UTC',
      { attribute: 'timezone', reason: 'cannot be filtered by', instead: 'filters: none' },
    ],
    ['folder', 'id=1&id=2', { attribute: 'id', reason: 'is given twice' }],
    ['folder', 'count=1&count=2', { attribute: 'count', reason: 'is given twice' }],
    ['folder', 'id=x', { attribute: 'id', value: 'x', reason: 'must be a whole number' }],
    ['folder', 'name=%FF', { attribute: 'query', reason: 'is not percent-encoded UTF-8' }],
    ['folder', 'name=%C3%A9%C3', { attribute: 'query', reason: 'is not percent-encoded UTF-8' }],
    [
      'folder',
      'sort=list_count',
      {
        attribute: 'sort',
        value: 'list_count',
        reason: 'cannot be list_count',
        instead: 'sorts: id, name, cdate',
      },
    ],
    ['folder', 'reverse=maybe', { attribute: 'reverse', value: 'maybe', reason: 'must be true or false' }],
    ['folder', 'count=0', { attribute: 'count', value: '0', reason: 'must be a whole number of at least 1' }],
    [
      'folder',
      'start=News',
      {
        attribute: 'start',
        value: 'News',
        reason:
          'must be a whole number: the request sorts by id, so start must be the id of the first record on the page',
      },
    ],
  ])('%s ?%s gives the reason', (name, text, finding) => {
    expect(read(name, text).findings.map((each) => said(each))).toEqual([finding]);
  });

  it('a rejected query has no values', () => {
    expect(read('folder', 'sort=x&count=0&reverse=maybe&start=x&colour=1').query).toStrictEqual({
      filters: {},
      sort: 'id',
      reverse: false,
      count: 200,
    });
  });

  it.each(['name=%C3%A9', 'name=100%', 'name=%zz', 'name=%e2%82%ac'])('?%s is UTF-8', (text) => {
    expect(read('folder', text).findings).toEqual([]);
  });

  it('a filter is compared as the service stores it', () => {
    expect(read('doNotContact', 'contactdata=Someone@Example.com').query.filters).toEqual({
      contactdata: 'someone@example.com',
    });
    expect(read('sms', 'msisdn=%2B447700900123').query.filters).toEqual({ msisdn: '447700900123' });
  });

  it('reports all faults at once', () => {
    expect(refused('folder', 'sort=x&count=0&reverse=maybe&colour=1&list_count=2').sort()).toEqual([
      'colour',
      'count',
      'list_count',
      'reverse',
      'sort',
    ]);
  });
});

describe('formatQuery', () => {
  it.each([
    [{ filters: {} }, ''],
    [{ filters: { list_id: null } }, 'list_id='],
    [{ filters: { cancelled: false, name: 'a b&c' } }, 'cancelled=false&name=a+b%26c'],
    [
      { filters: { id: 1 }, sort: 'cdate', reverse: true, count: 5, start: 7 },
      'id=1&sort=cdate&reverse=true&count=5&start=7',
    ],
    [{ reverse: false }, ''],
  ])('%j', (query, text) => {
    expect(formatQuery(query, DEFAULT_WIRE_NAMING)).toBe(text);
  });

  it('is read back unchanged', () => {
    const query = {
      filters: { list_id: null, name: 'é=&+%' },
      sort: 'name',
      reverse: true,
      count: 7,
      start: 'x y',
    };
    expect(read('task', formatQuery(query, DEFAULT_WIRE_NAMING))).toEqual({ findings: [], query });
  });

  it("uses the deployment's names, also in sort", () => {
    const naming = namingWithOverrides({ fields: { name: 'title' } });
    const query = { filters: { name: 'x' }, sort: 'name', reverse: false, count: 200 };
    const text = formatQuery(query, naming);
    expect(text).toBe('title=x&sort=title&count=200');
    expect(parseQuery(declared('folder'), text, naming)).toEqual({ findings: [], query });
  });
});

function declared(name: string): Resource {
  const resource = resourceNamed(name);
  if (!resource) throw new Error(`no resource ${name}`);
  return resource;
}
