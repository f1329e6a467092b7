import { parse as parseCsv } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { CliError, UsageError } from '../../../src/cli/errors/errors.ts';
import { columnsOfResource } from '../../../src/cli/output/columns.ts';
import { render } from '../../../src/cli/output/render.ts';
import type { Result, ResultOptions } from '../../../src/cli/output/result.ts';
import { createPagedRows, type RowSource } from '../../../src/client/requests/paging/page.ts';
import type { JsonObject } from '../../../src/service/protocol/envelope.ts';
import { folder } from '../../../src/service/resources/folder.ts';
import { user } from '../../../src/service/resources/user.ts';
import { memoryStream } from './memory-stream.ts';
import { attributes, objectOf, rendered, rowsOf } from './rendering.ts';

type Format = ResultOptions['format'];
const FORMATS: readonly Format[] = ['table', 'json', 'ndjson', 'csv', 'tsv', 'yaml', 'id'];

const news: JsonObject = { id: 7, name: 'News', paused: false, cdate: 1796000000, extra: { a: [1] } };
const empty: JsonObject = { id: 12, name: '', paused: null, cdate: null, extra: null };
const two = rowsOf([news, empty]);

// The reader of a stream sees each row immediately. A page arrives as a whole, and is written as a whole.
it('ndjson is written a page at a time, and rows that arrive one by one immediately', async () => {
  const rows = Array.from({ length: 450 }, (_, at) => ({ id: at, name: 'x'.repeat(at % 7) }));
  const lines = rows.map((row) => `${JSON.stringify(row)}\n`);
  const pages = [rows.slice(0, 200), [], rows.slice(200, 400), rows.slice(400)];
  const written = async (source: RowSource, expected: string) => {
    const out = memoryStream();
    const result: Result = { kind: 'rows', rows: source, columns: [], empty: '' };
    expect((await rendered(result, { format: 'ndjson' }, false, out)).stdout).toBe(expected);
    return out.writes();
  };
  async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
    yield* items;
  }
  const text = lines.join('');
  expect(
    await written(
      createPagedRows(() => each(pages)),
      text,
    ),
  ).toBe(3);
  expect(await written(each(rows), text)).toBe(450);
  // However large the rows are, little more than 64 KiB waits.
  const large = { id: 1, name: 'y'.repeat(70_000) };
  const line = `${JSON.stringify(large)}\n`;
  expect(await written([large, large, { id: 2 }], `${line}${line}{"id":2}\n`)).toBe(3);
});

// Contract, Output: "`table` (default), `json`, `ndjson`, `csv`, `tsv`, `yaml`, `id`".
describe('a list', () => {
  it.each<[Format, string, string]>([
    [
      'table',
      'ID  NAME  PAUSED  CDATE\n 7  News  no      2026-11-30 00:53\n12        -       -\n',
      'Times are in Europe/London.\n',
    ],
    ['json', `${JSON.stringify([news, empty], null, 2)}\n`, ''],
    ['ndjson', `${JSON.stringify(news)}\n${JSON.stringify(empty)}\n`, ''],
    ['csv', 'id,name,paused,cdate,extra\n7,News,false,2026-11-30T00:53:20Z,"{""a"":[1]}"\n12,"",,,\n', ''],
    [
      'tsv',
      'id\tname\tpaused\tcdate\textra\n7\tNews\tfalse\t2026-11-30T00:53:20Z\t{"a":[1]}\n12\t\t\t\t\n',
      '',
    ],
    ['id', '7\n12\n', ''],
  ])('is printed as %s', async (format, stdout, stderr) => {
    expect(await rendered(two, { format })).toEqual({ stdout, stderr });
  });

  it('is printed as yaml that reads back unchanged', async () => {
    const { stdout } = await rendered(two, { format: 'yaml' });
    expect(stdout.startsWith('- id: 7\n  name: News\n')).toBe(true);
    expect(parseYaml(stdout)).toEqual([news, empty]);
  });

  it.each<[Format, string]>([
    ['table', ' 7  News  no  2026-11-30 00:53\n12        -   -\n'],
    ['csv', '7,News,false,2026-11-30T00:53:20Z,"{""a"":[1]}"\n12,"",,,\n'],
    ['tsv', '7\tNews\tfalse\t2026-11-30T00:53:20Z\t{"a":[1]}\n12\t\t\t\t\n'],
  ])('is printed as %s without a header', async (format, stdout) => {
    expect((await rendered(two, { format, header: false })).stdout).toBe(stdout);
  });

  it.each(FORMATS)('is the same as %s from a stream and from an array', async (format) => {
    const stream = async function* () {
      yield news;
      yield empty;
    };
    const { stdout } = await rendered({ ...two, rows: stream() } as typeof two, { format });
    expect(stdout).toBe((await rendered(two, { format })).stdout);
  });
});

describe('one item', () => {
  it.each<[Format, string]>([
    [
      'table',
      'ATTRIBUTE  VALUE\nid         7\nname       News\npaused     no\n' +
        'cdate      Mon 2026-11-30 00:53:20 +00:00 (Europe/London)\nextra      {"a":[1]}\n',
    ],
    ['json', `${JSON.stringify(news, null, 2)}\n`],
    ['ndjson', `${JSON.stringify(news)}\n`],
    ['csv', 'id,name,paused,cdate,extra\n7,News,false,2026-11-30T00:53:20Z,"{""a"":[1]}"\n'],
    ['tsv', 'id\tname\tpaused\tcdate\textra\n7\tNews\tfalse\t2026-11-30T00:53:20Z\t{"a":[1]}\n'],
    ['yaml', 'id: 7\nname: News\npaused: false\ncdate: 1796000000\nextra:\n  a:\n    - 1\n'],
    ['id', '7\n'],
  ])('is printed as %s', async (format, stdout) => {
    expect(await rendered(objectOf(news), { format })).toEqual({ stdout, stderr: '' });
  });

  it('shows a text of several lines completely in a table, under its attribute', async () => {
    const value = { id: 1, text: 'Dear\r\n\r\nyou' };
    const columns = [{ name: 'text', hasLines: true } as const];
    const { stdout } = await rendered({ kind: 'object', value, columns }, {});
    expect(stdout).toContain('text       Dear\n\n           you\n');
    // A line break in a name is not a line of its own.
    const name = await rendered(objectOf({ id: 1, name: 'A\n::error::x' }), {});
    expect(name.stdout).toBe('ATTRIBUTE  VALUE\nid         1\nname       A↵::error::x\n');
  });
});

// Contract, Output: "An empty list is `[]` in JSON, a line on stderr in a table, and exit 0."
describe('an empty list', () => {
  it.each<[Format, string, string]>([
    ['table', '', 'There are no folders.\n'],
    ['json', '[]\n', ''],
    ['ndjson', '', ''],
    ['csv', 'id,name,paused,cdate\n', ''],
    ['tsv', 'id\tname\tpaused\tcdate\n', ''],
    ['yaml', '[]\n', ''],
    ['id', '', ''],
  ])('is printed as %s', async (format, stdout, stderr) => {
    expect(await rendered(rowsOf([]), { format })).toEqual({ stdout, stderr });
  });

  it('prints nothing with --quiet', async () => {
    expect(await rendered(rowsOf([]), { quiet: true })).toEqual({ stdout: '', stderr: '' });
  });
});

describe('--fields', () => {
  const fields = ['name', 'extra', 'id'];

  it.each<[Format, string]>([
    ['table', 'NAME  EXTRA      ID\nNews  {"a":[1]}   7\n      -          12\n'],
    ['ndjson', '{"name":"News","extra":{"a":[1]},"id":7}\n{"name":"","extra":null,"id":12}\n'],
    ['csv', 'name,extra,id\nNews,"{""a"":[1]}",7\n"",,12\n'],
  ])('selects and orders attributes in %s', async (format, stdout) => {
    expect(await rendered(two, { format, fields })).toEqual({ stdout, stderr: '' });
  });

  it.each<Format>(['table', 'json', 'csv', 'yaml', 'id'])(
    'rejects an unknown attribute in %s',
    async (format) => {
      const out = memoryStream();
      const rendering = {
        header: true,
        colour: false,
        csvRaw: false,
        zone: async () => 'UTC',
        width: undefined,
      };
      const run = render(two, { ...rendering, format, fields: ['id', 'nmae'] }, out, memoryStream());
      await expect(run).rejects.toThrow(UsageError);
      await expect(run).rejects.toMatchObject({
        message: 'unknown field nmae',
        hints: ['did you mean name?', 'fields: id, name, paused, cdate, extra'],
      });
      expect(out.text()).toBe('');
    },
  );

  it('does not accept a property that every object inherits', async () => {
    await expect(rendered(two, { fields: ['constructor'] })).rejects.toThrow(UsageError);
    const csv = await rendered(rowsOf([{ id: 1 }], [{ name: 'id' }, { name: 'toString' }]), {
      format: 'csv',
    });
    expect(csv.stdout).toBe('id,toString\n1,\n');
  });
});

describe('--query', () => {
  it.each<[string, Format, string]>([
    ['[].name', 'json', '[\n  "News",\n  ""\n]\n'],
    ['[0]', 'json', `${JSON.stringify(news, null, 2)}\n`],
    ['[0].name', 'json', '"News"\n'],
    ['[0].name', 'table', 'News\n'],
    ['[0].missing', 'table', '\n'],
    ['length(@)', 'csv', '2\n'],
    ['[].id', 'ndjson', '7\n12\n'],
    ['[].id', 'table', '7\n12\n'],
    ['[].{n: name, i: id}', 'csv', 'n,i\nNews,7\n"",12\n'],
    ['[].{name: name, cdate: cdate}', 'table', 'NAME  CDATE\nNews  2026-11-30 00:53\n      -\n'],
    ['[].[id, name]', 'table', ' 7  News\n12\n'],
    ['[?paused].id', 'json', '[]\n'],
    ['[?paused]', 'csv', ''],
    ['[].name', 'yaml', '- News\n- ""\n'],
    ['[].{id: id}', 'id', '7\n12\n'],
    ['[0].constructor', 'json', 'null\n'],
  ])('prints %s as %s', async (query, format, stdout) => {
    expect((await rendered(two, { format, query })).stdout).toBe(stdout);
  });

  it('applies to one item, and to an unprocessed response', async () => {
    expect((await rendered(objectOf(news), { query: 'extra.a[0]' })).stdout).toBe('1\n');
    const raw = { kind: 'raw', body: '{"response":{"count":3}}' } as const;
    expect((await rendered(raw, { query: 'response.count' })).stdout).toBe('3\n');
    await expect(rendered({ kind: 'raw', body: '<html>' }, { query: 'a' })).rejects.toThrow(CliError);
  });

  it.each(['[', 'foo(@)', 'sum([].name)', '('.repeat(50_000)])('rejects %.20s', async (query) => {
    await expect(rendered(two, { query })).rejects.toThrow(UsageError);
  });

  it('prints a line for a table without remaining rows', async () => {
    expect(await rendered(two, { query: '[?paused]' })).toEqual({
      stdout: '',
      stderr: 'Nothing matches the query.\n',
    });
  });
});

describe('text and raw', () => {
  it('are printed unchanged in every format', async () => {
    const body = '{"a":\t1}\u202e';
    expect((await rendered({ kind: 'raw', body }, { format: 'yaml' })).stdout).toBe(body);
    expect((await rendered({ kind: 'text', text: 'complete -F' }, { format: 'json' })).stdout).toBe(
      'complete -F',
    );
    expect(await rendered({ kind: 'nothing' }, { format: 'json' })).toEqual({ stdout: '', stderr: '' });
  });

  it('show lines that end in CR LF as lines on a terminal, and keep them elsewhere', async () => {
    const raw = { kind: 'raw', body: 'To: x\r\n\r\na\rb\x1b[2J\r\n' } as const;
    expect((await rendered(raw, {}, true)).stdout).toBe('To: x\n\na\\x0db␛[2J\n');
    expect((await rendered(raw, {})).stdout).toBe(raw.body);
  });

  it('escape a response on a terminal', async () => {
    const raw = { kind: 'raw', body: '\x1b[2J{}\u202e' } as const;
    expect((await rendered(raw, {}, true)).stdout).toBe('␛[2J{}\\u{202e}\n');
  });
});

describe('streams', () => {
  /** Long rows, because each format keeps back up to 64 KiB, and a table up to 1000 rows. */
  const many = async function* (count: number): AsyncGenerator<JsonObject> {
    for (let id = 1; id <= count; id++) yield { id, name: 'x'.repeat(1000) };
  };

  it('are written as they arrive, not at the end', async () => {
    for (const format of ['json', 'ndjson', 'csv', 'tsv', 'yaml', 'table'] as const) {
      const out = memoryStream();
      let writtenBeforeTheLast = 0;
      const watched = async function* (): AsyncGenerator<JsonObject> {
        for await (const row of many(2000)) {
          if (row['id'] === 2000) writtenBeforeTheLast = out.text().length;
          yield row;
        }
      };
      const rendering = {
        header: true,
        colour: false,
        csvRaw: false,
        zone: async () => 'UTC',
        width: undefined,
      };
      const result = { ...rowsOf([], attributes.slice(0, 2)), rows: watched() } as ReturnType<typeof rowsOf>;
      await render(result, { ...rendering, format }, out, memoryStream());
      expect([format, writtenBeforeTheLast > 1000 * 1000 * 0.9]).toEqual([format, true]);
    }
  });

  it('pass on the rows before a failed page, and close the source when the reader closes', async () => {
    const failing = async function* (): AsyncGenerator<JsonObject> {
      yield { id: 1 };
      throw new Error('page 2');
    };
    const out = memoryStream();
    const rendering = {
      header: true,
      colour: false,
      csvRaw: false,
      zone: async () => 'UTC',
      width: undefined,
    };
    const asRows = (rows: AsyncIterable<JsonObject>) =>
      ({ ...rowsOf([]), rows }) as ReturnType<typeof rowsOf>;
    const run = render(asRows(failing()), { ...rendering, format: 'json' }, out, memoryStream());
    await expect(run).rejects.toThrow('page 2');
    expect(out.text()).toBe('[\n  {\n    "id": 1\n  }');

    let closed = false;
    const endless = async function* (): AsyncGenerator<JsonObject> {
      try {
        yield* many(1e9);
      } finally {
        closed = true;
      }
    };
    const gone = {
      ...out,
      write: () => Promise.reject(Object.assign(new Error('EPIPE'), { code: 'EPIPE' })),
    };
    await expect(
      render(asRows(endless()), { ...rendering, format: 'csv' }, gone, memoryStream()),
    ).rejects.toMatchObject({ code: 'EPIPE' });
    expect(closed).toBe(true);
  });
});

// Acceptance, F2: JSON.parse accepts levels that JSON.stringify cannot write.
describe('a response nested 100,000 levels deep', () => {
  const deep: JsonObject = { id: 1, extra: JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)) };

  it.each(FORMATS)('is rejected with a message as %s', async (format) => {
    await expect(rendered(rowsOf([deep]), { format })).rejects.toThrow(/nested more than 256 levels/);
    await expect(rendered(objectOf(deep), { format, query: 'id' })).rejects.toThrow(CliError);
  });
});

describe('columnsOfResource', () => {
  it('takes kinds and order from the declaration', async () => {
    const { columns, attributes } = columnsOfResource(folder);
    expect(columns.map(({ name }) => name)).toEqual(folder.columns);
    expect(attributes).toContainEqual({ name: 'mdate', kind: 'timestamp' });
    expect(attributes).toContainEqual({ name: 'name', kind: 'text', role: 'name' });
    expect(attributes.map(({ name }) => name)).toEqual(Object.keys(folder.fields));
  });

  it('leaves out hidden attributes', () => {
    expect(columnsOfResource(user).attributes.some(({ name }) => name === 'password')).toBe(false);
    expect(columnsOfResource(user).attributes).toContainEqual({ name: 'isadmin', kind: 'bool' });
  });
});

it('csv reads back unchanged', async () => {
  const names = ['a,b', 'say "hi"', 'two\nlines', 'cr\r\nlf', ' padded ', 'ünï 日本'];
  const { stdout } = await rendered(rowsOf(names.map((name, id) => ({ id, name }))), { format: 'csv' });
  const read: readonly Readonly<Record<string, string>>[] = parseCsv(stdout, { columns: true });
  expect(read.map(({ name }) => name)).toEqual(names);
});

// Contract, Output: `-o id` prints one id per line, and nothing else.
it.each<[string, JsonObject]>([
  ['an object', { id: { a: 1 } }],
  ['a list', { id: [7] }],
  ['a fraction', { id: 1.5 }],
  ['a number that a double holds only roughly', { id: 1e300 }],
  ['null', { id: null }],
  ['nothing', { name: 'x' }],
])('-o id rejects an id that is %s, also of a rule', async (_, row) => {
  const result = rowsOf([row]);
  await expect(rendered(result, { format: 'id' })).rejects.toThrow('there are no ids to print');
  const rule = { ...result, ofRules: true, rows: [{ kind: 'click', ...row }] } as Result;
  await expect(rendered(rule, { format: 'id' })).rejects.toThrow('there are no ids to print');
});
