import type { Command, CommanderError } from 'commander';
import { UsageError } from '../errors/errors.ts';
import { type Group, isGroup, type Verb } from './command.ts';
import { isPlain } from './repeatable.ts';

/** Commander's words as ours: what, which, and what next. */
export function usageErrorOf(
  error: CommanderError,
  root: Command,
  tree: Verb | Group | undefined,
  argv: readonly string[],
): UsageError {
  const [first = '', second = ''] = error.message.replace(/^error: /, '').split('\n');
  const { command, node, path } = deepest(root, tree, argv);
  const suggestion = /^\(Did you mean (.*)\?\)$/.exec(second)?.[1];
  const hint = suggestion === undefined ? undefined : `did you mean ${suggestion}?`;
  const word = /'([^']*)'/.exec(first)?.[1] ?? '';
  const line = ['svc', ...path].join(' ');
  const fallback = `see ${line} --help`;
  switch (error.code) {
    case 'commander.unknownCommand': {
      const names = command.commands.map((each) => each.name());
      const name = isPlain(word) ? word : undefined;
      const what =
        path.length === 0
          ? `there is no ${name ? `command ${name}` : 'such command'}`
          : `${line} has no ${name ?? 'such verb'}`;
      return new UsageError(what, { hint: hint ?? `it has ${names.join(', ')}` });
    }
    case 'commander.unknownOption':
      return unknownFlag(word, { line, command, node, hints: [hint ?? fallback] });
    case 'commander.optionMissingArgument':
      return new UsageError(`${word.replace(/ .*/, '')} needs a value`, { hint: fallback });
    case 'commander.missingArgument':
      return new UsageError(`${line} needs ${/^[aeiou]/.test(word) ? 'an' : 'a'} ${word}`, {
        hint: fallback,
      });
    case 'commander.excessArguments':
      return new UsageError(`${line} was given too many words`, {
        hint: `quote what belongs together; ${fallback}`,
      });
    default:
      return new UsageError(first, { hint: hint ?? fallback });
  }
}

/** Names the flag, never what was given with it: `--api-key=…`, `-k…`. */
function unknownFlag(
  word: string,
  about: {
    readonly line: string;
    readonly command: Command;
    readonly node: Verb | Group | undefined;
    readonly hints: readonly string[];
  },
): UsageError {
  const { line, command, node } = about;
  const given = word.startsWith('--') ? word.replace(/=.*$/s, '') : word.slice(0, 2);
  const name = given.replace(/^--?/, '');
  const hints = SECRET_FLAG.test(name) ? [WHERE_A_KEY_GOES, ...about.hints] : about.hints;
  const isSwitch = command.options.some(({ long }) => long === given);
  if (isSwitch) return new UsageError(`${given} takes no value`, { hints });
  const own = node && !isGroup(node) ? node.explainUnknown?.(name.replace(/^no-/, '')) : undefined;
  return new UsageError(own ?? `${line} has no ${isPlain(name) ? `flag ${given}` : 'such flag'}`, { hints });
}

const SECRET_FLAG = /^k$|key|passw|pwd|secret|token|auth|header|credential/i;
const WHERE_A_KEY_GOES =
  'a key is given by SVC_API_KEY, by svc init, by --api-key-stdin of svc profile add, or by a key-command, never by a flag: ' +
  'ps and the history of the shell show it. One that was written here should be replaced.';

/** How far argv can be followed into the commands. */
function deepest(
  root: Command,
  tree: Verb | Group | undefined,
  argv: readonly string[],
): { readonly command: Command; readonly node: Verb | Group | undefined; readonly path: readonly string[] } {
  let command = root;
  let node: Verb | Group | undefined;
  for (const word of argv) {
    const next = command.commands.find((each) => each.name() === word);
    if (!next) continue;
    node =
      command === root
        ? tree
        : node && isGroup(node)
          ? node.commands.find(({ name }) => name === word)
          : node;
    command = next;
  }
  return { command, node, path: pathOf(command) };
}

/** The words after `svc` that lead to a command. */
export function pathOf(command: Command): readonly string[] {
  return command.parent ? [...pathOf(command.parent), command.name()] : [];
}
