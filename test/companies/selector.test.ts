/** Contract, "Partners and many companies": the companies that a selector names. */
import { describe, expect, it } from 'vitest';
import { selectCompanies } from '../../src/client/companies/selector.ts';

const company = (id: number, name: string, ...tags: string[]) => ({ id, name, tags, note: null });
const PROFILE = {
  name: 'agency',
  roster: [
    company(30, 'Third', 'uk'),
    company(10, 'First', 'uk', 'closed'),
    company(20, 'Harbour, Coffee'),
    company(41, 'Twin'),
    company(42, 'Twin'),
  ],
};
const FILES: Readonly<Record<string, string>> = { ids: '\ufeff10\r\n\r\n Third \n77\n', bad: '10\nNobody\n' };
const select = (selector: string) =>
  selectCompanies(selector, PROFILE, async (name) => FILES[name] ?? Promise.reject(new Error(`no ${name}`)));
const ids = async (selector: string) => (await select(selector)).map(({ id }) => id);

describe('selects', () => {
  it.each([
    // The order is that of the roster, and each company occurs once.
    ['10,30', [30, 10]],
    ['10,10,First', [10]],
    ['all', [30, 10, 20, 41, 42]],
    ['tag:uk', [30, 10]],
    ['tag:uk,20', [30, 10, 20]],
    // Companies outside the roster come after it, by id, as they were named.
    ['99,77,10', [10, 99, 77]],
    ['@ids', [30, 10, 77]],
    // A name with a comma.
    ['"Harbour, Coffee",10', [10, 20]],
    // `!` wins, wherever it stands.
    ['!10,all', [30, 20, 41, 42]],
    ['all,!tag:uk', [20, 41, 42]],
    ['all,!"Harbour, Coffee",!@ids', [41, 42]],
    ['tag:uk,!20', [30, 10]],
    ['10,99,!99', [10]],
    [' 10 , 30 ', [30, 10]],
  ])('%s', async (selector, expected) => {
    expect(await ids(selector)).toEqual(expected);
  });

  it('resolves names in the roster, and no others', async () => {
    expect(await select('10,99')).toMatchObject([
      { id: 10, name: 'First' },
      { id: 99, name: undefined },
    ]);
  });
});

describe('rejects', () => {
  it.each([
    ['Nobody', 'no company of profile agency is named "Nobody" (flag --companies)'],
    ['first', 'is named "first"'],
    ['Twin', '2 companies are named "Twin": ids 41, 42'],
    ['tag:de', 'no company of profile agency has the tag "de"'],
    ['all,!tag:de', 'has the tag "de"'],
    ['@bad', 'is named "Nobody" (line 2 of bad)'],
    ['10,!First', '--companies excludes every company that it names'],
    ['!10', '--companies matches no company'],
    // A mistyped id would leave the company in that was meant.
    ['all,!99999', '!99999 excludes nothing: profile agency has no company 99999'],
    ['tag:uk,!99', '!99 excludes nothing'],
    [',', '--companies matches no company'],
    ['1.5', 'an id is a whole number'],
  ])('%s', async (selector, problem) => {
    await expect(select(selector)).rejects.toThrow(problem);
  });

  it('all for an empty roster', async () => {
    const empty = { name: 'agency', roster: [] };
    await expect(selectCompanies('all', empty, async () => '')).rejects.toThrow('matches no company');
  });
});
