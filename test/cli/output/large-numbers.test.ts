/** `--query` with whole numbers that a double cannot hold (contract, "Numbers, ids and names, once more"; M1). */
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/cli/errors/errors.ts';
import { applyJmespathQuery, checkJmespathQuery } from '../../../src/cli/output/query.ts';
import type { Json } from '../../../src/service/protocol/envelope.ts';

const [A, B, C] = [9007199254740993n, 9007199254740992n, 18446744073709551615n];
const rows: Json = [
  { id: C, name: 'c', size: 9 },
  { id: A, name: 'a', size: 10 },
  { id: B, name: 'b', size: 1 },
  { id: 5, name: 'small', size: 100 },
];

describe('JMESPath', () => {
  it.each<readonly [string, unknown]>([
    ['[].id', [C, A, B, 5]],
    ['[?id == `9007199254740993`].name', ['a']],
    ['[?id != `9007199254740993`].name', ['c', 'b', 'small']],
    ['[?id > `9007199254740992`].name', ['c', 'a']],
    ['[?id >= `9007199254740992`].name', ['c', 'a', 'b']],
    ['[?id < `9007199254740993`].name', ['b', 'small']],
    ['[?id <= `5`].name', ['small']],
    ['[?contains(`[9007199254740993, 5]`, id)].name', ['a', 'small']],
    ['sort_by(@, &id)[].name', ['small', 'b', 'a', 'c']],
    ['sort_by(@, &name)[].name', ['a', 'b', 'c', 'small']],
    ['sort([].id)', [5, B, A, C]],
    ['sort([].size)', [1, 9, 10, 100]],
    ['max_by(@, &id).name', 'c'],
    ['min_by(@, &id).name', 'small'],
    ['[0].to_string(id)', '18446744073709551615'],
    ['to_string([0])', '{"id":18446744073709551615,"name":"c","size":9}'],
    ['[0].type(id)', 'number'],
    ["[?name == '`9007199254740993`']", []],
    ['let $least = `9007199254740993` in [?id >= $least].name', ['c', 'a']],
    ['`{"a": [9007199254740993, "9007199254740993"]}`', { a: [A, '9007199254740993'] }],
  ])('%s', (query, outcome) => {
    expect(applyJmespathQuery(query, rows)).toEqual(outcome);
  });

  it.each(['sum([].id)', '[0].id + `1`', 'sort_by(@, &foo(', 'avg([].id)'])(
    'reports %s as a usage error instead of rounding a number',
    (query) => {
      expect(() => applyJmespathQuery(query, rows)).toThrow(UsageError);
    },
  );

  it('does not change the results of other queries', () => {
    checkJmespathQuery("[?name == 'it''s'] | [0]".replace("''", "\\'"));
    expect(applyJmespathQuery('[?size > `9`].name', rows)).toEqual(['a', 'small']);
    expect(applyJmespathQuery('[?name > `9`]', rows)).toEqual([]);
  });
});
