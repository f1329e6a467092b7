/** A command that is printed on several lines is still the same command for a shell. */
import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { quoteShellWord, wrapShellCommand } from '../../src/kit/text/words.ts';

it.each([
  ["it's on", 12],
  ['a "b" c', 8],
  ['back\\slash, and more', 10],
])('keeps %j whole', (text, columns) => {
  expect(wordsOf(wrapShellCommand(`svc x --name ${quoteShellWord(text)} --last`, columns))).toEqual([
    ...['svc', 'x', '--name', text, '--last'],
  ]);
});

it('keeps all words, whatever they are and whatever the width', () => {
  const word = fc.array(fc.constantFrom("'", '"', '\\', ' ', 'a', '$', 'é'), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(
      fc.array(word, { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 1, max: 30 }),
      (all, columns) => {
        const words = ['svc', ...all.map((letters) => letters.join(''))];
        expect(wordsOf(wrapShellCommand(words.map(quoteShellWord).join(' '), columns))).toEqual(words);
      },
    ),
    { numRuns: 100 },
  );
});

/** Returns the words that a shell reads. */
const wordsOf = (command: string): readonly string[] =>
  execFileSync('sh', ['-c', `for word in ${command}; do printf '%s\\0' "$word"; done`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1);
