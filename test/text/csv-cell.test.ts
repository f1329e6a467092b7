import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { guardFormula } from '../../src/text/csv-cell.ts';

// Contract, 'Forms': a formula guard is a leading `'`; phone numbers stay as they are.
describe('guardFormula', () => {
  it.each([
    ['=1+1'],
    ['+1+1'],
    ['-1+1'],
    ['@SUM(A1)'],
    ['\t=1'],
    ['\r=1'],
    ['\n=1'],
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
    ['-1\n=2'],
    ['+491701234567\n'],
    ["=cmd|' /C calc'!A0"],
  ])('guards %j', (cell) => {
    expect(guardFormula(cell)).toBe(`'${cell}`);
  });

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
  ])('leaves %j', (cell) => {
    expect(guardFormula(cell)).toBe(cell);
  });

  it('leaves no live formula and no changed number in 10,000 cells', () => {
    const unit = fc.constantFrom(...'=+-@\t\r\n＝＋－＠\'"0123456789. aA');
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 18 }), (cell) => {
        const guarded = guardFormula(cell);
        expect([cell, `'${cell}`]).toContain(guarded);
        if (guarded === cell && cell !== '' && '=+-@\t\r\n＝＋－＠'.includes(cell[0] ?? '')) {
          expect(Number.isFinite(Number(cell))).toBe(true);
          expect(cell).toMatch(/^[+-][0-9.]+$/);
        }
      }),
      { numRuns: 10_000 },
    );
  });

  it.each([[`-${'1'.repeat(100_000)}`], [`-${'1.'.repeat(50_000)}`]])('%# ends on 100 kB', (cell) => {
    expect(guardFormula(cell).endsWith(cell)).toBe(true);
  });
});
