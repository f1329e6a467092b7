import { expect, it } from 'vitest';
import { splitWords } from '../../../src/cli/command/user-aliases.ts';

it.each<[string, readonly string[] | undefined]>([
  ['', []],
  ['  ', []],
  ['task list', ['task', 'list']],
  ['  task \t list\n', ['task', 'list']],
  ["--name 'Spring sale'", ['--name', 'Spring sale']],
  ['--name="Spring sale" x', ['--name=Spring sale', 'x']],
  ["it''s ''", ['its', '']],
  [String.raw`a\ b "c\"d" 'e\f'`, ['a b', 'c"d', String.raw`e\f`]],
  ['"$1 $2" $(touch x) `y`;|&', ['$1 $2', '$(touch', 'x)', '`y`;|&']],
  ['"open', undefined],
  ["it's", undefined],
  ['end\\', undefined],
])('splits %j into %j', (line, words) => expect(splitWords(line)).toEqual(words));
