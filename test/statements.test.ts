/**
 * docs/statements.md names each statement of the interface, with the test that shows it. The interface itself is not in this repository.
 * So the test checks the list by its numbers, by the transcript of the interface's tables, and by the catalogue.
 */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { catalogue } from '../src/resources/catalogue.ts';
import { METHODS } from '../src/schema/resource.ts';
import { automationKinds, automationRules, type Transcript, transcript } from './resources/transcript.ts';

/** The number of lines and rows in the interface that state something. */
const STATEMENTS = 456;

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
    const evidence = [...shown.matchAll(/`(test\/[^`]+)`(?: “([^”]+)”)?/g)].map(([, file = '', title]) => ({
      file,
      title,
    }));
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

function problemOf({ evidence, reason }: Row): string | undefined {
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
