/** All code that searches argv reads these tokens. */

export interface Token {
  readonly at: number;
  readonly kind: 'flag' | 'operand';
  readonly text: string;
  readonly value?: string | undefined;
  readonly words: readonly string[];
}

/**
 * The word `--` is a token of kind `flag`, and all words after it are operands.
 * @param takesValue returns true if the next word is the value of the flag; called only after the caller has received all earlier tokens
 */
export function* tokenizeCommandLine(
  argv: readonly string[],
  takesValue: (flag: string) => boolean,
): Generator<Token, void> {
  let isFlag = true;
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    const [, long, given] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
    const short = word.slice(0, 2);
    const next = argv[at + 1];
    if (!word.startsWith('-') || !isFlag) yield { at, kind: 'operand', text: word, words: [word] };
    else if (long !== undefined) yield { at, kind: 'flag', text: long, value: given, words: [word] };
    else if (next !== undefined && takesValue(word)) {
      yield { at, kind: 'flag', text: word, value: next, words: [word, next] };
      at += 1;
    } else if (/^-[a-zA-Z]./s.test(word) && takesValue(short))
      yield { at, kind: 'flag', text: short, value: word.slice(2).replace(/^=/, ''), words: [word] };
    else yield { at, kind: 'flag', text: word, words: [word] };
    isFlag &&= word !== '--';
  }
}

/** Ignores a flag whose value is missing. */
export function flagValue(argv: readonly string[], ...spellings: readonly string[]): string | undefined {
  const values = [...tokenizeCommandLine(argv, (flag) => spellings.includes(flag))].filter(
    ({ text, value }) => spellings.includes(text) && value !== undefined,
  );
  return values.at(-1)?.value;
}
