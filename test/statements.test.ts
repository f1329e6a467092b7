/**
 * docs/statements.md names each statement of the interface, with the test that shows it. The interface itself is not in this repository.
 * So the test checks the list by its numbers, by the transcript of the interface's tables, and by the catalogue.
 */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { METHODS } from '../src/kit/schema/resource.ts';
import { catalogue } from '../src/service/resources/catalogue.ts';
import { rowsOf } from './resources/read-transcript.ts';
import { automationKinds, automationRules, type Transcript, transcript } from './resources/transcript.ts';

/** The number of lines and rows in the interface that state something. */
const STATEMENTS = 458;

interface Evidence {
  readonly file: string;
  readonly title: string | undefined;
}

interface Row {
  readonly number: number;
  readonly statement: string;
  readonly evidence: readonly Evidence[];
  /** The reason why no test can show it. */
  readonly reason: string | undefined;
}

const rows = rowsIn(readFileSync('docs/statements.md', 'utf8'));

function rowsIn(text: string): readonly Row[] {
  return text.split('\n').flatMap((line) => {
    const [, number, statement = '', shown = ''] = /^\| (\d+) \| (.+) \| (.*) \|$/.exec(line) ?? [];
    if (number === undefined) return [];
    const reason = /^none: (.+)$/.exec(shown)?.[1];
    const evidence = [...shown.matchAll(/`(test\/[^`]+)`((?:,? “[^”]+”)*)/g)].flatMap(
      ([, file = '', quoted = '']): readonly Evidence[] => {
        const titles = [...quoted.matchAll(/“([^”]+)”/g)].map(([, title]) => title);
        return titles.length === 0 ? [{ file, title: undefined }] : titles.map((title) => ({ file, title }));
      },
    );
    return [{ number: Number(number), statement, evidence, reason }];
  });
}

/** Titles are compared without the escapes and line breaks of the source. */
const sources = new Map<string, string>();
function sourceOf(file: string): string {
  const known = sources.get(file);
  if (known !== undefined) return known;
  const text = readFileSync(file, 'utf8').replaceAll(/\s+/g, ' ').replaceAll("\\'", "'");
  sources.set(file, text);
  return text;
}

/** Titles of tests that compare the declarations with the tables, and see nothing of the wire. */
const DECLARED_ONLY = [
  'has exactly the fields of the table',
  'HEAD accepts the listed attributes',
  'accepts the listed attributes, from company and partner',
  'DELETE accepts the attributes that name what to delete',
  'reports every missing required attribute at once',
];

function problemOf({ evidence, reason }: Row): string | undefined {
  const declared = evidence.find(({ title }) => DECLARED_ONLY.some((each) => title?.startsWith(each)));
  if (declared !== undefined) return `names a test that sees only the declarations: “${declared.title}”`;
  if (reason !== undefined) return evidence.length > 0 ? 'has a test and a reason' : undefined;
  if (evidence.length === 0) return 'has neither a test nor a reason';
  const missing = evidence.filter(({ file }) => !existsSync(file));
  if (missing.length > 0)
    return `names a file that is not there: ${missing.map(({ file }) => file).join(', ')}`;
  const wrong = evidence.filter(({ file, title }) => title !== undefined && !sourceOf(file).includes(title));
  return wrong.length > 0
    ? wrong.map(({ file, title }) => `${file} has no “${title}”`).join('; ')
    : undefined;
}

it('has a row for each statement, numbered without gaps', () => {
  expect(rows.length).toBeGreaterThanOrEqual(STATEMENTS);
  expect(rows.map(({ number }) => number)).toEqual(rows.map((_, index) => index + 1));
});

it('names a test that exists, or the reason why no test can show it', () => {
  const problems = rows.flatMap((row) => {
    const problem = problemOf(row);
    return problem === undefined ? [] : [`${row.number} ${problem}`];
  });
  expect(problems).toEqual([]);
});

it('repeats no statement', () => {
  const statements = rows.map(({ statement }) => statement);
  expect(statements.filter((each, at) => statements.indexOf(each) !== at)).toEqual([]);
});

it('has few rows without a test, and each says why', () => {
  const reasons = rows.flatMap(({ reason }) => reason ?? []);
  expect(reasons.length).toBeLessThan(10);
  for (const reason of reasons) expect(reason.length).toBeGreaterThan(20);
});

it.each<readonly [string, string]>([
  ['a missing file', '| 1 | It is so. | `test/none.test.ts` |'],
  ['a title that the file does not have', '| 1 | It is so. | `test/statements.test.ts` “no such ti¦tle” |'],
  ['nothing', '| 1 | It is so. |  |'],
  [
    'a test that sees only the declarations',
    '| 1 | It is so. | `test/resources/catalogue.test.ts` “has exactly the fields of the table, and those of the sample response” |',
  ],
  ['a test and a reason', '| 1 | It is so. | none: it has `test/statements.test.ts` |'],
])('finds a row with %s', (_, line) => {
  const [row] = rowsIn(line.replace('¦', '|'));
  expect(row && problemOf(row)).toEqual(expect.any(String));
});

/** The four kinds of rule share their fields and methods. */
const sharedName = (resource: string): string =>
  Object.hasOwn(automationKinds, resource) ? 'rule' : resource;
const has = (beginning: string): boolean => rows.some(({ statement }) => statement.startsWith(beginning));

describe.each(catalogue.map((resource) => [resource.name, resource] as const))('%s', (name, resource) => {
  it('has a row for each field that it declares', () => {
    const missing = Object.keys(resource.fields).filter((field) => {
      const inTable = has(`\`${sharedName(name)}.${field}\` is `) || has(`\`${name}.${field}\` is `);
      // A field that only the sample response has is in a row with other words.
      return !inTable && !rows.some(({ statement }) => statement.includes(`carries \`${field}\``));
    });
    expect(missing).toEqual([]);
  });

  it('has a row for each method, supported or not', () => {
    expect(METHODS.filter((method) => !has(`${method} \`${sharedName(name)}\` `))).toEqual([]);
  });
});

const tables: readonly (readonly [string, Transcript])[] = [
  ...Object.entries(transcript),
  ['rule', automationRules],
];
/** The test that looks at each row of the interface's tables on the wire. */
const WIRE = 'test/sandbox/fields.test.ts';

const wireTitlesOf = (row: Row | undefined): readonly (string | undefined)[] =>
  (row?.evidence ?? []).filter(({ file }) => file === WIRE).map(({ title }) => title);

describe.each([
  ...tables,
  ...Object.entries(automationKinds).map(([name, { fields }]) => [name, { fields }] as const),
])('%s: each row about a field', (name, { fields }) => {
  const facts = [...rowsOf(fields)].map(([field, { type, F, S, words }]) => {
    const row = rows.find(({ statement }) => statement.startsWith(`\`${name}.${field}\` is `));
    const initial = /default ([a-z_0-9]+)/.exec(words)?.[1];
    return { field, row, type, initial, isFilter: F === 'Y', isSortKey: S === 'Y' };
  });

  it('says the type, null and default of the table', () => {
    for (const { field, row, type, initial } of facts) {
      const [said = ''] = row?.statement.split(':') ?? [];
      expect([field, / is ([a-z]+(?: or null)?)/.exec(said)?.[1]]).toEqual([
        field,
        type.replace('/null', ' or null'),
      ]);
      expect([field, /default ([a-z_0-9]+)/.exec(said)?.[1]]).toEqual([field, initial]);
    }
  });

  it('names the tests that see its type, null, default, filter and order on the wire', () => {
    for (const { field, row, type, initial, isFilter, isSortKey } of facts) {
      const needed = [
        'has its type',
        ...(type.endsWith('/null') ? ['is null if its type allows null, and never otherwise'] : []),
        ...(initial === undefined ? [] : ['has its default']),
        ...(isFilter ? ['is a filter'] : []),
        ...(isSortKey ? ['is a sort key'] : []),
      ];
      expect([field, wireTitlesOf(row)]).toEqual([field, expect.arrayContaining(needed)]);
    }
  });
});

it.each([
  [
    'GET',
    /^GET `\w+` gives the fields/,
    'GET gives exactly the fields of its table, and those of the sample response',
  ],
  ['HEAD', /^HEAD `\w+` takes/, 'HEAD takes the attributes that are listed for it, and no others'],
  ['DELETE', /^DELETE `\w+` takes/, 'DELETE takes the attributes that are listed for it, and no others'],
  ['PUT of an id', /^PUT `\w+` requires id\.$/, 'requires the id'],
  [
    'required attributes',
    /^(?:POST|PUT) `\w+` requires (?!id\.)/,
    'requires the attributes that are listed as required',
  ],
  ['optional attributes', /^(?:POST|PUT) `\w+` takes/, 'takes the attributes that are listed for it'],
])('each row about %s names the test that sees it on the wire', (_, statement, title) => {
  const about = rows.filter((row) => statement.test(row.statement));
  expect(about.length).toBeGreaterThan(5);
  const missing = about.filter((row) => !wireTitlesOf(row).some((each) => each?.startsWith(title)));
  expect(missing.map((row) => row.statement)).toEqual([]);
});

describe.each(tables)("%s: the interface's marks", (name, { fields, ...methods }) => {
  it('are those of the rows', () => {
    const lines = fields.trim().split('\n');
    const wanted = lines.map((line) => {
      const [field = '', , filter, sort] = line.split('|').map((cell) => cell.trim());
      return [field, `${filter === 'Y' ? 'F' : ''}${sort === 'Y' ? 'S' : ''}`];
    });
    const listed = wanted.map(([field]) => {
      const row = rows.find(({ statement }) => statement.startsWith(`\`${name}.${field}\` is `));
      return [field, /, marked (F?S?)/.exec(row?.statement ?? '')?.[1] ?? ''];
    });
    expect(listed).toEqual(wanted);
  });

  it('have every attribute of a method in its rows', () => {
    for (const method of ['POST', 'PUT'] as const)
      for (const words of [methods[method]?.required, methods[method]?.optional, methods[method]?.partner])
        if (words !== undefined)
          expect([
            method,
            words,
            rows.some(
              (row) => row.statement.startsWith(`${method} \`${name}\``) && row.statement.includes(words),
            ),
          ]).toEqual([method, words, true]);
    for (const method of ['HEAD', 'DELETE'] as const) {
      const words = methods[method];
      if (words) expect(has(`${method} \`${name}\` takes ${words}`), `${method} ${words}`).toBe(true);
      else if (words === undefined) expect(has(`${method} \`${name}\` is unsupported`), method).toBe(true);
    }
  });
});
