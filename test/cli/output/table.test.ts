import { describe, expect, it } from 'vitest';
import { columnsOfResource } from '../../../src/cli/output/columns.ts';
import { COLUMN_IMPORTANCE, fitColumnWidths } from '../../../src/cli/output/layout.ts';
import type { Column } from '../../../src/cli/output/result.ts';
import { displayWidth } from '../../../src/kit/text/display-width.ts';
import type { JsonObject } from '../../../src/service/protocol/envelope.ts';
import { emailMessageLink } from '../../../src/service/resources/email-message-link.ts';
import { rendered, rowsOf } from './rendering.ts';

const columns: readonly Column[] = [
  { name: 'id', kind: 'number' },
  { name: 'name', kind: 'text' },
  { name: 'subject', kind: 'text' },
  { name: 'message_id', kind: 'text' },
  { name: 'cdate', kind: 'timestamp' },
];
const long = {
  id: 1234567,
  name: 'A name that goes on for some time',
  subject: 'A subject, and it is longer than the name, by quite a bit',
  message_id: '1234567890_1234567890',
  cdate: 1796000000,
};

describe('a table', () => {
  // Contract, Output: "never truncated when stdout is not a terminal".
  it('is never cut without a terminal', async () => {
    const { stdout } = await rendered(rowsOf([long], columns), {});
    for (const text of [long.name, long.subject, long.message_id]) expect(stdout).toContain(text);
  });

  // Contract, "Output": the least important columns are omitted first, before a name is cut; a note says how many.
  it.each([
    [
      200,
      [
        '     ID  NAME                               SUBJECT                                                    MESSAGE_ID             CDATE',
        '1234567  A name that goes on for some time  A subject, and it is longer than the name, by quite a bit  1234567890_1234567890  2026-11-30 00:53',
      ],
      'Times are in Europe/London.\n',
    ],
    [
      80,
      [
        '     ID  NAME                               SUBJECT',
        '1234567  A name that goes on for some time  A subject, and it is longer than th…',
      ],
      '2 columns hidden (message_id, cdate). Use --wide.\n',
    ],
    [
      60,
      [
        '     ID  NAME                      SUBJECT',
        '1234567  A name that goes on for…  A subject, and it is lo…',
      ],
      '2 columns hidden (message_id, cdate). Use --wide.\n',
    ],
    [
      40,
      ['     ID  NAME            SUBJECT', '1234567  A name that g…  A subject, an…'],
      '2 columns hidden (message_id, cdate). Use --wide.\n',
    ],
  ])('fits %i columns', async (width, lines, note) => {
    const { stdout, stderr } = await rendered(rowsOf([long], columns), { width }, true);
    expect(stdout.trimEnd().split('\n')).toEqual(lines);
    expect(stderr).toBe(note);
    for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width);
  });

  // Contract, "Output": svc hides "first those with the same value in every row"; "targets go last".
  it('shows the targets of links on 40 columns, and not their empty names', async () => {
    const { columns: ofLink } = columnsOfResource(emailMessageLink);
    const links = [1, 2].map((id) => ({
      ...{ id, message_id: 1, name: null, task_id: id + 1, type: 'html', cdate: 1796000000 },
      target: `https://shop.example/a/rather/long/path/${id}`,
    }));
    const { stdout, stderr } = await rendered(rowsOf(links, ofLink), { width: 40 }, true);
    expect(stdout).toMatch(/^ID +.*TARGET\n 1 +.*https:\/\/shop\.example\//);
    expect(stdout).not.toContain('NAME');
    expect(stderr).toContain('4 columns hidden');
    const named = links.map((link) => ({ ...link, name: `Link ${link.id}` }));
    expect((await rendered(rowsOf(named, ofLink), { width: 40 }, true)).stdout).toMatch(
      /^ID +NAME +TARGET\n/,
    );
  });

  it('has no note with --quiet', async () => {
    expect((await rendered(rowsOf([long], columns), { width: 40, quiet: true }, true)).stderr).toBe('');
  });

  it('omits no requested column', async () => {
    const fields = columns.map(({ name }) => name);
    const { stdout, stderr } = await rendered(rowsOf([long], columns), { width: 40, fields });
    expect(stdout).toContain('2026-11-30 00:53');
    expect(stderr).not.toContain('hidden');
  });

  it.each([80, undefined])('aligns wide and combining characters at width %s', async (width) => {
    const names = ['日本語のニュース', '👩‍👩‍👧 family', 'e\u0301te\u0301', '🇩🇪', 'plain'];
    const rows = names.map((name, index) => ({ id: index, name, subject: '|' }));
    const { stdout } = await rendered(rowsOf(rows, columns.slice(0, 3)), { width, header: false });
    const lines = stdout.trimEnd().split('\n');
    expect(new Set(lines.map((line) => displayWidth(line)))).toEqual(new Set([1 + 2 + 16 + 2 + 1]));
  });

  // Combining marks, variation selectors, a private character, and emoji that are newer than the table's own width data.
  it.each(['क्ष', 'กำ', '葛\u{e0100}', 'שָׁ', '🫠', '❤', '©', '\ue000\ue000', '1️⃣'])(
    '%s moves no other line',
    async (name) => {
      const rows = [name, 'plain', name].map((each) => ({ id: 1, name: each, subject: each }));
      const { stdout } = await rendered(rowsOf(rows, columns.slice(0, 3)), { header: false });
      const gap = ' '.repeat(2 + 5 - displayWidth(name));
      expect(stdout).toBe(`1  ${name}${gap}${name}\n1  plain  plain\n1  ${name}${gap}${name}\n`);
    },
  );

  it('cuts no wide character in half', async () => {
    const { stdout } = await rendered(rowsOf([{ id: 1, name: '日'.repeat(100) }], columns.slice(0, 2)), {
      width: 20,
      header: false,
    });
    expect(stdout).toBe(`1  ${'日'.repeat(8)}…\n`);
  });

  it('keeps a row on one line', async () => {
    const rows = [{ id: 1, name: 'a\r\nb\tc\x1b[31m' }];
    const { stdout } = await rendered(rowsOf(rows, columns.slice(0, 2)), { header: false });
    expect(stdout).toBe('1  a↵b c␛[31m\n');
  });

  it('also cuts nothing after its first thousand rows, without a terminal', async () => {
    const rows = Array.from({ length: 1100 }, (_, id) => ({ id, name: id < 1040 ? 'x' : 'x'.repeat(300) }));
    const off = await rendered(rowsOf(rows, columns.slice(0, 2)), {});
    expect(off.stdout.split('\n')[1050]).toContain('x'.repeat(300));
    const on = await rendered(rowsOf(rows, columns.slice(0, 2)), { width: 80 });
    expect(on.stdout.split('\n')[1050]).toContain('…');
  });

  it('colours only the header', async () => {
    const plain = (await rendered(rowsOf([long], columns), { width: 80 })).stdout;
    const coloured = (await rendered(rowsOf([long], columns), { width: 80, colour: true }, true)).stdout;
    const [heading = '', ...rest] = plain.split('\n');
    expect(coloured.split('\n')).toEqual([`\x1b[1m${heading}\x1b[22m`, ...rest]);
  });

  it('requests the zone once, and only if it shows a time', async () => {
    let asked = 0;
    const zone = async () => {
      asked += 1;
      return 'Asia/Tokyo';
    };
    await rendered(rowsOf([{ id: 1, cdate: null }], columns), { zone });
    await rendered(rowsOf([long], columns), { zone, fields: ['id', 'name'] });
    await rendered(rowsOf([long], columns), { zone, format: 'csv' });
    expect(asked).toBe(0);
    // Two blocks of rows.
    const many = Array.from({ length: 1001 }, () => long);
    const { stdout, stderr } = await rendered(rowsOf(many, columns), { zone });
    expect([asked, stderr]).toEqual([1, 'Times are in Asia/Tokyo.\n']);
    expect(stdout).toContain('2026-11-30 09:53');
  });

  it('shows times in UTC if the company has an unknown zone', async () => {
    const { stderr } = await rendered(rowsOf([long], columns), { zone: async () => '\x1b[2J' });
    expect(stderr).toBe('Times are in UTC.\n');
  });
});

describe('a column', () => {
  const shown = async (columns: readonly Column[], rows: readonly JsonObject[], width: number) =>
    (await rendered(rowsOf(rows, columns), { width }, true)).stdout.trimEnd().split('\n');

  it('with the same value in every row is omitted first', async () => {
    const columns = ['id', 'channel', 'size', 'name'].map((name) => ({ name }));
    const rows = [1, 2].map((id) => ({ id, channel: 'email', size: id, name: 'n'.repeat(20) }));
    expect((await shown(columns, rows, 34))[0]).toBe('ID  SIZE  NAME');
    const mixed = rows.map((row) => ({ ...row, channel: row.id === 1 ? 'email' : 'sms' }));
    expect((await shown(columns, mixed, 34))[0]).toBe('ID  CHANNEL  NAME');
  });

  it('that repeats an earlier one is omitted before all others, even an id', async () => {
    const columns = ['company_id', 'company', 'id', 'name', 'zone', 'credits'].map((name) => ({ name }));
    const row = (id: number) => ({ company_id: id, company: `Shop ${id}`, id, name: `Shop ${id}` });
    const rows = [1, 2].map((id) => ({ ...row(id), zone: 'Europe/London', credits: id }));
    expect((await shown(columns, rows, 80))[0]).toBe(
      'COMPANY_ID  COMPANY  ID  NAME    ZONE           CREDITS',
    );
    expect((await shown(columns, rows, 44))[0]).toBe('COMPANY_ID  COMPANY  ZONE           CREDITS');
    expect((await shown(columns, rows, 30))[0]).toBe('COMPANY_ID  COMPANY  CREDITS');
    const [first = {}] = rows;
    expect((await shown(columns, [{ ...first, credits: 1 }], 44))[0]).toBe(
      'COMPANY_ID  COMPANY  ZONE           CREDITS',
    );
    const renamed = rows.map((each) => ({ ...each, name: `Cafe ${each.id}` }));
    expect((await shown(columns, renamed, 44))[0]).toBe('COMPANY_ID  COMPANY  NAME    CREDITS');
  });

  it('with a name, a subject or a recipient is omitted last, wherever it is', async () => {
    const columns = ['id', 'time', 'state', 'to', 'subject'].map((name) => ({ name }));
    const rows = [1, 2].map((id) => ({
      ...{ id, time: `2026-12-01 09:0${id}`, state: `sent ${id}` },
      ...{ to: `jamila.hassan${id}@example.com`, subject: 'Three new coffees, and a rainy-day brew' },
    }));
    expect(await shown(columns, rows, 40)).toEqual([
      'ID  TO                 SUBJECT',
      ' 1  jamila.hassan1@e…  Three new coffee…',
      ' 2  jamila.hassan2@e…  Three new coffee…',
    ]);
  });

  it('with a diagnosis continues on the next line', async () => {
    const columns: readonly Column[] = [{ name: 'check' }, { name: 'found', keep: true, wraps: true }];
    const rows = [
      { check: 'clock', found: 'the clock of this machine is 40 seconds behind' },
      { check: 'tls', found: 'fine' },
    ];
    expect(await shown(columns, rows, 30)).toEqual([
      'CHECK  FOUND',
      'clock  the clock of this',
      '       machine is 40 seconds',
      '       behind',
      'tls    fine',
    ]);
    expect((await rendered(rowsOf(rows, columns), { width: 30 })).stderr).toBe('');
  });
});

describe('the note below a table', () => {
  const names = ['id', 'a', 'b', 'c', 'd', 'e'];
  const row = Object.fromEntries(names.map((name) => [name, name.repeat(10)]));
  const columns = names.map((name) => ({ name }));

  it.each([
    [70, '1 column hidden (e). Use --wide.\n'],
    [58, '2 columns hidden (d, e). Use --wide.\n'],
    [34, '4 columns hidden (b, c, …). Use --wide.\n'],
  ])('names the hidden columns at %i columns', async (width, note) => {
    expect((await rendered(rowsOf([row], columns), { width })).stderr).toBe(note);
  });

  it('says so if a text is cut', async () => {
    const { stderr } = await rendered(rowsOf([{ name: 'n'.repeat(50) }], [{ name: 'name' }]), { width: 40 });
    expect(stderr).toBe('Long texts are cut. Use --wide.\n');
  });
});

describe('fitColumnWidths', () => {
  const id = { contentWidth: 4, truncation: 'never', rank: COLUMN_IMPORTANCE.id } as const;
  const name = (contentWidth: number) =>
    ({ contentWidth, truncation: 'name', rank: COLUMN_IMPORTANCE.essential }) as const;
  const text = (contentWidth: number) =>
    ({ contentWidth, truncation: 'text', rank: COLUMN_IMPORTANCE.ordinary }) as const;
  const fixed = (contentWidth: number) =>
    ({ contentWidth, truncation: 'never', rank: COLUMN_IMPORTANCE.ordinary }) as const;
  const same = (contentWidth: number) =>
    ({ contentWidth, truncation: 'never', rank: COLUMN_IMPORTANCE.constant }) as const;
  const none = undefined;

  it.each([
    ['nothing to do', [id, text(20)], 80, false, [4, 20]],
    ['no terminal', [id, text(500)], undefined, false, [4, 500]],
    ['the last go first', [id, name(20), text(20), fixed(9), fixed(9)], 60, false, [4, 20, 20, 9, none]],
    [
      'but the constant ones before',
      [id, same(9), name(20), text(20), fixed(9)],
      60,
      false,
      [4, none, 20, 20, 9],
    ],
    [
      'a constant one never replaces another',
      [id, name(20), same(4), fixed(30)],
      40,
      false,
      [4, 20, none, none],
    ],
    ['an address is left out rather than cut', [id, name(20), text(28)], 50, false, [4, 20, none]],
    [
      'a long text is cut rather than left out',
      [id, name(20), text(60), fixed(9)],
      60,
      false,
      [4, 20, 21, 9],
    ],
    ['with room for 20', [id, name(20), text(60)], 47, false, [4, 20, none]],
    ['a name is cut before a column is hidden', [id, name(90), fixed(9)], 60, false, [4, 43, 9]],
    ['but keeps 2 of 5 columns', [id, name(90), fixed(30)], 60, false, [4, 54, none]],
    ['names alone shrink to 12', [id, name(90), name(90)], 34, false, [4, 13, 13]],
    ['one always stays', [fixed(50), fixed(50)], 10, false, [50, none]],
    ['requested columns stay: texts are cut first', [name(30), text(60), fixed(9)], 70, true, [30, 27, 9]],
    ['then names', [name(30), text(60), fixed(9)], 50, true, [18, 18, 9]],
    ['then lines are longer', [id, text(60), fixed(30)], 38, true, [4, 12, 30]],
  ] as const)('%s', (_, needs, width, keepAll, widths) => {
    expect(fitColumnWidths(needs, width, keepAll)).toEqual(widths);
  });
});
