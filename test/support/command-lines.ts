/** Random command lines: words of the program in any order, and any text (acceptance, F1 and F3). */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { type Group, isGroup, type Verb } from '../../src/cli/command/command.ts';
import { globalFlags } from '../../src/cli/command/globals.ts';
import { topLevelCommandEntries } from '../../src/cli/registry/entries.ts';
import { anyText } from './any-text.ts';
import { identityOf, makeNullDevice } from './special-files.ts';

/** Commands that start a server, a process or a conversation. */
const APART = ['sandbox', 'demo', 'init', 'mcp', 'rehearse'];
/** Flags with which a command continues until an event, or starts a program. */
const ENDLESS = ['watch', 'follow', 'open', 'hold', 'key-command', 'agents'];

/** Name of a device in the working folder, of the same kind as `/dev/null`. A file if this user may make no devices. */
const DEVICE = 'null';

/**
 * Makes the working folder of random command lines in a temporary folder, so deep that `../..` is still inside. Returns its path, and a
 * check that no command has replaced the device in it.
 */
export function makeFolderForCommandLines(folder: string): {
  readonly cwd: string;
  readonly checkDevice: () => boolean;
} {
  const cwd = join(folder, 'a', 'b');
  mkdirSync(cwd, { recursive: true });
  const device = join(cwd, DEVICE);
  const before = makeNullDevice(device) ? JSON.stringify(identityOf(device)) : undefined;
  return { cwd, checkDevice: () => before === undefined || before === JSON.stringify(identityOf(device)) };
}

/** Texts that try to reach prototypes, other files and other programs. */
const HOSTILE = [
  ...[
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    '__proto__.x',
    'constructor.prototype.x',
  ],
  ...[
    '--__proto__',
    '--constructor=1',
    '--toString',
    '{"__proto__":{"x":1}}',
    '{"constructor":{"prototype":{"x":1}}}',
  ],
  ...[
    '../../etc/passwd',
    DEVICE,
    `@${DEVICE}`,
    '@nosuch',
    '-',
    '--',
    '---',
    '-=',
    '--=',
    '',
    ' ',
    '\0',
    '\n',
  ],
  ...[
    '\u001b[31m',
    '\u202e',
    '\ud800',
    '%s%n',
    '$(id)',
    '`id`',
    '*',
    '~',
    '1e999',
    '-0',
    'NaN',
    '9'.repeat(400),
  ],
];

export interface Words {
  /** Each command with its verb, in the order of a command line: `['folder', 'list']`. */
  readonly commands: readonly (readonly string[])[];
  /** Names of flags, without dashes. */
  readonly flags: readonly string[];
}

export async function wordsOfProgram(): Promise<Words> {
  const trees = await Promise.all(
    topLevelCommandEntries.filter(({ name }) => !APART.includes(name)).map((entry) => entry.load()),
  );
  const commands: (readonly string[])[] = [];
  const flags = new Set(globalFlags.flatMap(namesOf));
  const walk = (node: Verb | Group, path: readonly string[]): void => {
    const here = [...path, node.name];
    if (isGroup(node)) for (const each of node.commands) walk(each, here);
    else {
      commands.push(here);
      for (const name of node.flags.flatMap(namesOf)) flags.add(name);
    }
  };
  for (const tree of trees) walk(tree, []);
  const isEndless = (path: readonly string[]): boolean =>
    /^(task (wait|watch|guard)|log tail)$/.test(path.join(' '));
  return {
    commands: commands.filter((path) => !isEndless(path)),
    flags: [...flags].filter((name) => !ENDLESS.includes(name)),
  };
}

const namesOf = ({ name, friendly }: { readonly name: string; readonly friendly?: string | undefined }) =>
  friendly === undefined ? [name] : [name, friendly];

export function commandLines({ commands, flags }: Words): fc.Arbitrary<readonly string[]> {
  const flag = fc.constantFrom(...flags);
  const value = fc.oneof(
    fc.constantFrom(
      '1',
      '0',
      '-1',
      'x',
      'true',
      'json',
      'csv',
      '+1h',
      'tomorrow 9am',
      'a@example.com',
      '447700900123',
    ),
    fc.constantFrom(...HOSTILE),
    anyText({ maxLength: 12 }),
  );
  const word = fc.oneof(
    { weight: 4, arbitrary: fc.tuple(flag, value).map(([name, text]) => `--${name}=${text}`) },
    { weight: 4, arbitrary: flag.map((name) => `--${name}`) },
    { weight: 1, arbitrary: flag.map((name) => `--no-${name}`) },
    { weight: 4, arbitrary: value },
    { weight: 1, arbitrary: fc.constantFrom('-o', '-h', '--help', '-q', '-v', '--version', 'help', '-xyz') },
  );
  const begin = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...commands) },
    { weight: 1, arbitrary: fc.constantFrom(...commands).map(([first = '']) => [first]) },
    { weight: 1, arbitrary: word.map((text) => [text]) },
    { weight: 1, arbitrary: fc.constant([]) },
  );
  return fc
    .tuple(begin, fc.array(word, { maxLength: 6 }))
    .map((parts) => parts.flat())
    .filter(
      (line) =>
        !line.some(
          (each) =>
            APART.includes(each) || ENDLESS.some((name) => each.startsWith(`--${name}`)) || isOutside(each),
        ),
    );
}

/** Reports whether the word may name a file outside the test's folder. The commands run as this user, who may be root. */
const isOutside = (word: string): boolean =>
  /(?:^|[=@:,])\s*(?:\/|[A-Za-z]:[\\/]|\\)/.test(word) || (word.match(/\.\./g) ?? []).length > 2;

/** Returns a pattern for output that no line may print: the words for a bug, and a stack unless --debug requests it. */
export const crashIn = (line: readonly string[]): RegExp =>
  line.some((word) => word.startsWith('--debug')) ? /internal error/ : /internal error|\n +at /;
