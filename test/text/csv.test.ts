import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvLine, escapeCsvFormula, unescapeCsvFormula } from '../../src/kit/text/csv.ts';
import { depth, SEED, tried } from '../support/depth.ts';

// Contract, 'Forms': a formula guard is a leading `'`; phone numbers stay as they are.
describe('escapeCsvFormula', () => {
  it.each([
    ['=1+1'],
    ['+1+1'],
    ['-1+1'],
    ['@SUM(A1)'],
    ['\t1'],
    ['\r1'],
    ['\n1'],
    ['＝1+1'],
    ['＋1'],
    ['－1'],
    ['＠SUM(A1)'],
    ['='],
    ['+'],
    ['-'],
    ['+12345'],
    ['+1234567890123456'],
    ['+49 170 1234567'],
    ['-1.'],
    ['--1'],
    ['-1e5'],
    ['+491701234567\n'],
    ["=cmd|' /C calc'!A0"],
  ])('guards %j', (cell) => {
    expect(escapeCsvFormula(cell)).toBe(`'${cell}`);
  });

  // Second attack L10: `;` separates cells in Excel in German, French and other languages, and TAB on request.
  it.each([
    [';=1', ";'=1"],
    ['x;=HYPERLINK("https://evil.example")', 'x;\'=HYPERLINK("https://evil.example")'],
    ['x;-5', "x;'-5"],
    ['x;+491701234567', "x;'+491701234567"],
    ['a;;=1;b;@x', "a;;'=1;b;'@x"],
    ['a\t=1', "a\t'=1"],
    ['a\t\t=1', "a\t\t'=1"],
    ['a\n=1\r\n+2', "a\n'=1\r\n'+2"],
    ['a;"=1', 'a;"\'=1'],
    ['a;""=1"', 'a;""\'=1"'],
    ['-1\n=2', "'-1\n'=2"],
    ['\t=1', "'\t'=1"],
    ['=1;=2', "'=1;'=2"],
    ['a;＝1', "a;'＝1"],
  ])('guards the parts of %j that other separators make', (cell, guarded) => {
    expect(escapeCsvFormula(cell)).toBe(guarded);
    expect(unescapeCsvFormula(guarded)).toBe(cell);
    // What is guarded once is not guarded again.
    expect(escapeCsvFormula(guarded)).toBe(guarded);
  });

  it.each([['a; =1'], ['a;b=1'], ["a;'=1"], ['a=1;b'], ['a\nb'], ['a\r\n\r\nb'], ['a;"b"']])(
    'does not change %j',
    (cell) => {
      expect(escapeCsvFormula(cell)).toBe(cell);
    },
  );

  it.each([
    [''],
    ['text'],
    ['a=1'],
    [' =1'],
    ["'=1"],
    ['+491701234567'],
    ['+123456'],
    ['491701234567'],
    ['-5'],
    ['-1.5'],
    ['0'],
    ['1.5'],
    ['a@example.com'],
    ['2026-12-01 09:00'],
  ])('does not change %j', (cell) => {
    expect(escapeCsvFormula(cell)).toBe(cell);
  });

  const CELLS = depth('SVC_CELLS', { few: 500, full: 10_000 });
  it(`leaves no active formula and no changed number in ${CELLS} cells (SVC_SEED=${SEED})`, () => {
    const unit = fc.constantFrom(...'=+-@\t\r\n＝＋－＠\'";0123456789. aA');
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 18 }), (cell) => {
        const guarded = escapeCsvFormula(cell);
        expect(guarded).not.toMatch(/[;\t\r\n]"*[=+\-@＝＋－＠]/);
        expect(guarded.replaceAll("'", '')).toBe(cell.replaceAll("'", ''));
        if (!cell.includes("'")) expect(unescapeCsvFormula(guarded)).toBe(cell);
        if (guarded === cell && cell !== '' && '=+-@\t\r\n＝＋－＠'.includes(cell[0] ?? '')) {
          expect(Number.isFinite(Number(cell))).toBe(true);
          expect(cell).toMatch(/^[+-][0-9.]+$/);
        }
      }),
      { numRuns: CELLS, seed: SEED },
    );
    tried('F6', CELLS);
  });

  it.each([[`-${'1'.repeat(100_000)}`], [`-${'1.'.repeat(50_000)}`]])('%# ends on 100 kB', (cell) => {
    expect(escapeCsvFormula(cell).endsWith(cell)).toBe(true);
  });

  it.each([
    [`;${'"'.repeat(100_000)}`],
    [';"'.repeat(50_000)],
    ["\t'".repeat(50_000)],
    ['\n'.repeat(100_000)],
  ])('part %# ends on 100 kB', (cell) => {
    const started = performance.now();
    unescapeCsvFormula(escapeCsvFormula(`${cell}=`));
    // Quadratic work would take minutes.
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});

// Contract, Output: the quoting that scripts have read since the first version, octet for octet.
describe('csvLine', () => {
  it.each([
    [[], '\n'],
    [[null], '\n'],
    [[''], '""\n'],
    [['a', null, '', 'b'], 'a,,"",b\n'],
    [['a,b', 'say "x"', '"', 'a;b', 'a\tb'], '"a,b","say ""x""","""",a;b,a\tb\n'],
    [['a\nb', 'a\rb', 'a\r\nb'], '"a\nb","a\rb","a\r\nb"\n'],
    [[' a', 'a ', 'a b', ' ', '\t', '\u00a0a', 'a\u3000'], '" a","a ",a b," ","\t","\u00a0a","a\u3000"\n'],
    [['=1', '+491701234567', '1e5', 'true', '\ufeffa'], '=1,+491701234567,1e5,true,"\ufeffa"\n'],
  ])('%j', (cells, line) => {
    expect(csvLine(cells)).toBe(line);
  });

  it('writes any cells as RFC 4180 says, and they are read back unchanged', () => {
    const unit = fc.constantFrom('a', ',', '"', '\n', '\r', ' ', '\t', "'", '=', '\u00a0', '漢', '😀');
    const cell = fc.option(fc.string({ unit, maxLength: 6 }));
    fc.assert(
      fc.property(fc.array(cell, { minLength: 2, maxLength: 5 }), (cells) => {
        const line = csvLine(cells);
        expect(line).toBe(`${cells.map(byHand).join(',')}\n`);
        expect(parse(line, { record_delimiter: ['\n'], trim: true })).toEqual([
          cells.map((text) => text ?? ''),
        ]);
      }),
      { numRuns: depth('SVC_CSV_LINES', { few: 300, full: 2000 }) },
    );
  });
});

/** Quotes a cell by RFC 4180, 2.5 to 2.7, and by our additional rules. */
function byHand(cell: string | null): string {
  if (cell === null) return '';
  return cell === '' || /[",\r\n]/.test(cell) || cell.trim() !== cell
    ? `"${cell.replaceAll('"', '""')}"`
    : cell;
}
