import { parse as parseCsv } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { UsageError } from '../../../src/cli/errors/errors.ts';
import { explainError } from '../../../src/cli/errors/explain-error.ts';
import { printError } from '../../../src/cli/output/print-error.ts';
import type { JsonObject } from '../../../src/service/protocol/envelope.ts';
import { anyText } from '../../support/any-text.ts';
import { depth, SEED, tried } from '../../support/depth.ts';
import { FORBIDDEN, memoryStream } from './memory-stream.ts';
import { objectOf, rendered, rowsOf } from './rendering.ts';

const piece = fc.oneof(
  fc.constantFrom(
    '\x1b[2J',
    '\x1b]0;t\x07',
    '\x9b31m',
    '\x90q',
    '\r',
    '\b',
    '\t',
    '\n',
    '\r\n',
    '\x7f',
    '\x85',
  ),
  fc.constantFrom(
    '\u202e',
    '\u2066',
    '\u2069',
    '\u200e',
    '\u061c',
    '\u2028',
    '\ud800',
    '\udc00',
    '\ufeff',
    '\u200b',
    '\u2064',
    '\u3164',
    '\uffa0',
    '\xad',
    '\u180e',
    '\u{e0001}',
    '\u{e0041}\u{e007f}',
    '\0',
  ),
  fc.constantFrom(
    '=1+1',
    ';',
    ';=1',
    '+1',
    '-1',
    '@SUM(A1)',
    '\uff1d1',
    '"',
    ',',
    "'",
    '\\',
    ': ',
    '- ',
    '# ',
    'NO',
    '~',
    '日本',
    '😀',
  ),
  anyText({ maxLength: 6 }),
);
const hostile = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
const row = fc.record({ id: hostile, name: hostile, paused: fc.oneof(hostile, fc.boolean()), key: hostile });
const withKeys = ({ key, ...values }: { readonly key: string } & JsonObject): JsonObject => ({
  ...values,
  [`x${key}`]: key,
});

/** Rows of four hostile texts, 100 at a time. */
const corpus = fc
  .sample(row, { numRuns: depth('SVC_FUZZED_ROWS', { few: 40, full: 2500 }), seed: SEED })
  .map(withKeys);
const batches = Array.from({ length: corpus.length / 100 }, (_, index) =>
  corpus.slice(index * 100, index * 100 + 100),
);

// Acceptance, F5: 10,000 hostile strings through every printer, 0 forbidden code points.
describe('hostile texts of the service', () => {
  it.each(['table', 'id'] as const)('reach no terminal unescaped in a list as %s', async (format) => {
    for (const width of [80, undefined]) {
      for (const rows of batches) {
        const { stdout } = await rendered(rowsOf(rows), { format, width });
        expect(stdout).not.toMatch(FORBIDDEN);
        expect(stdout.split('\n')).toHaveLength(rows.length + (format === 'table' ? 2 : 1));
      }
    }
    tried('F5', 4 * corpus.length);
  });

  it.each(['table', 'json', 'ndjson', 'csv', 'yaml', 'id'] as const)(
    'reach no terminal unescaped one by one as %s',
    async (format) => {
      for (const each of corpus.slice(0, 500)) {
        const { stdout } = await rendered(objectOf(each), { format }, true);
        expect(stdout.replaceAll('\t', ' ')).not.toMatch(FORBIDDEN);
      }
    },
  );

  it.each(['json', 'ndjson', 'csv', 'tsv', 'yaml'] as const)(
    'reach no terminal unescaped in a nested list as %s',
    async (format) => {
      for (const rows of batches) {
        const { stdout } = await rendered(rowsOf(rows), { format }, true);
        expect(
          stdout.replaceAll(format === 'tsv' || format === 'csv' || format === 'yaml' ? '\t' : '', ''),
        ).not.toMatch(FORBIDDEN);
      }
    },
  );

  it('reach no terminal unescaped in an error, its details and its hints', async () => {
    for (const json of [false, true]) {
      for (const each of corpus) {
        const [id, name, paused, key] = Object.values(each).map(String);
        const details = [{ attribute: id ?? '', reason: name ?? '', value: paused, instead: key ?? '' }];
        const error = new UsageError(id || 'x', { details, hints: [name || 'x', paused || 'x'] });
        const err = memoryStream(true);
        await printError(explainError(error), { json, colour: false, debug: false }, err);
        expect(err.text()).not.toMatch(FORBIDDEN);
        if (json) expect(JSON.parse(err.text()).error.details).toEqual(JSON.parse(JSON.stringify(details)));
      }
    }
  });

  // "JSON round-trips exactly", even if a terminal required escapes.
  it.each([true, false])('are unchanged after JSON and YAML are read (terminal: %s)', async (tty) => {
    for (const rows of batches) {
      const expected = JSON.parse(JSON.stringify(rows));
      expect(JSON.parse((await rendered(rowsOf(rows), { format: 'json' }, tty)).stdout)).toEqual(expected);
      const lines = (await rendered(rowsOf(rows), { format: 'ndjson' }, tty)).stdout.trimEnd().split('\n');
      expect(lines.map((line) => JSON.parse(line))).toEqual(expected);
      expect(parseYaml((await rendered(rowsOf(rows), { format: 'yaml' }, tty)).stdout)).toEqual(expected);
    }
  });

  it('are written in JSON without a terminal as JSON.stringify does', async () => {
    const { stdout } = await rendered(rowsOf(corpus), { format: 'json' });
    expect(stdout).toBe(`${JSON.stringify(corpus, null, 2)}\n`);
  });
});

/**
 * Reads cells as a spreadsheet does: a quote counts only at the beginning of a cell, and what follows the closing quote is part of the cell.
 * @param separators characters that end a cell
 */
function cellsReadBy(text: string, separators: string): readonly string[] {
  const cells: string[] = [];
  let cell = '';
  let [isQuoted, isFirst] = [false, true];
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (isQuoted) {
      if (character !== '"') cell += character;
      else if (text[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else isQuoted = false;
    } else if (isFirst && character === '"') [isQuoted, isFirst] = [true, false];
    else if (separators.includes(character) || character === '\n' || character === '\r') {
      cells.push(cell);
      [cell, isFirst] = ['', true];
    } else [cell, isFirst] = [cell + character, false];
  }
  return cells;
}

// Acceptance, F6: 10,000 cells parsed back, 0 live formulas, 0 changed numbers.
describe('cells that a spreadsheet would run', () => {
  const live = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
  const harmless = /^(?:\+?[0-9]{6,15}|-?[0-9]+(?:\.[0-9]+)?)$/;
  const names = ['id', 'name', 'paused', 'cdate'];
  const rows = corpus.map((each) =>
    Object.fromEntries(names.map((name, at) => [name, String(Object.values(each)[at])])),
  );
  // A UTF-8 file cannot have a lone surrogate, so that becomes U+FFFD.
  const sent = rows.map((each) => names.map((name) => Buffer.from(each[name] ?? '').toString()));
  const read = (stdout: string): readonly (readonly string[])[] => parseCsv(Buffer.from(stdout));

  /** Returns the cell without each `'` before a formula that the text which was sent does not have. */
  const withoutGuards = (cell: string, before: string): string => {
    let at = 0;
    return cell
      .split('')
      .filter((character, index) => {
        const isGuard = character === "'" && before[at] !== "'" && live.test(cell.slice(index + 1));
        if (!isGuard) at += character.length;
        return !isGuard;
      })
      .join('');
  };

  it('cannot break csv', async () => {
    const { stdout } = await rendered(rowsOf(rows), { format: 'csv', header: false });
    const cells = read(stdout);
    expect(cells.flat().filter((cell) => live.test(cell) && !harmless.test(cell))).toEqual([]);
    const back = cells.map((line, y) => line.map((cell, x) => withoutGuards(cell, sent[y]?.[x] ?? '')));
    expect(back).toEqual(sent);
    tried('F6', cells.flat().length);
  });

  // Second attack L10: Excel separates cells by `;` in German, French and other languages, and LibreOffice by `;` and TAB, too.
  it.each([[';'], ['\t'], [',;'], [',;\t']])(
    'cannot break csv that is read with the separators %j',
    async (separators) => {
      const { stdout } = await rendered(rowsOf(rows), { format: 'csv', header: false });
      // A quote that ends a cell for commas may begin one here, with the line break of the row as its first character.
      const cells = cellsReadBy(stdout, separators).map((cell) => cell.replace(/^[\t\r\n]+/, ''));
      expect(cells.length).toBeGreaterThan(rows.length);
      // The first cell of a row may be a number with a sign, as in csv that is read with commas. It then has the next cells in it.
      const numberIn = (cell: string): string =>
        separators.includes(',') ? cell : (cell.split(',')[0] ?? '');
      expect(cells.filter((cell) => live.test(cell) && !harmless.test(numberIn(cell)))).toEqual([]);
    },
  );

  it('cannot break tsv', async () => {
    const { stdout } = await rendered(rowsOf(rows), { format: 'tsv', header: false });
    const cells = stdout
      .slice(0, -1)
      .split('\n')
      .map((line) => line.split('\t'));
    expect(cells.every((line) => line.length === names.length)).toBe(true);
    expect(cells.flat().filter((cell) => live.test(cell) && !harmless.test(cell))).toEqual([]);
  });

  it('are unchanged with --csv-raw', async () => {
    const { stdout } = await rendered(rowsOf(rows), { format: 'csv', header: false, csvRaw: true });
    expect(read(stdout)).toEqual(sent);
  });

  it('cannot break a header from the service', async () => {
    const { stdout } = await rendered(rowsOf([{ id: 1, '=cmd()': 2 }]), {
      format: 'csv',
      fields: ['=cmd()'],
    });
    expect(stdout).toBe("'=cmd()\n2\n");
  });

  it('do not change phone numbers and numbers', async () => {
    const given = [
      { id: 1, name: '+447700900123' },
      { id: -5, name: '-1.5' },
    ];
    const { stdout } = await rendered(rowsOf(given, [{ name: 'id' }, { name: 'name' }]), { format: 'csv' });
    expect(stdout).toBe('id,name\n1,+447700900123\n-5,-1.5\n');
  });
});
