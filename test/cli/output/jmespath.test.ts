/** Contract, "Global flags": `--query` is JMESPath as `aws` has it. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { applyJmespathQuery } from '../../../src/cli/output/query.ts';

const rows = readFileSync(new URL('jmespath.tsv', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line.includes('\t'))
  .map((line) => line.split('\t') as [expression: string, data: string, result: string]);

describe('the specification of JMESPath', () => {
  it('has many rows', () => expect(rows.length).toBeGreaterThanOrEqual(120));

  it.each(rows)('%s of %s', (expression, data, result) => {
    const search = () => applyJmespathQuery(expression, JSON.parse(data));
    if (result === '!') expect(search).toThrow(/^--query: /);
    else expect(search()).toEqual(JSON.parse(result));
  });
});

describe('a literal in backticks', () => {
  it.each([
    ['[?id==`90071992547409931`].name', ['b']],
    ['[?name==`b`].id', [90071992547409931n]],
    ['[?name==`90071992547409931 x`].id', []],
    ['`90071992547409931 x`', '90071992547409931 x'],
  ])('%s keeps large numbers, and texts of digits', (expression, result) => {
    const data = [
      { id: 90071992547409930n, name: 'a' },
      { id: 90071992547409931n, name: 'b' },
    ];
    expect(applyJmespathQuery(expression, data)).toEqual(result);
  });
});
