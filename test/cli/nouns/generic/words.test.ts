/** Help names the noun, and its examples are commands that can be read. */
import { describe, expect, it } from 'vitest';
import { isGroup, type Verb } from '../../../../src/cli/command/command.ts';
import { readCommandLine } from '../../../../src/cli/command/program.ts';
import { topLevelCommandEntries } from '../../../../src/cli/registry/entries.ts';

const verbs = async (): Promise<readonly (readonly [string, Verb])[]> => {
  const trees = await Promise.all(
    topLevelCommandEntries.filter(({ isNoun }) => isNoun).map(async ({ load }) => load()),
  );
  return trees.flatMap((tree) =>
    isGroup(tree)
      ? tree.commands.flatMap((each) => (isGroup(each) ? [] : [[`${tree.name} ${each.name}`, each] as const]))
      : [],
  );
};

describe('the summary of a verb', () => {
  it('names the record that is shown, created, changed or deleted, never "one" or "it" alone', async () => {
    const vague = (await verbs()).filter(([, { summary }]) =>
      /^\w+ (one|it|all)\b(?! (SMS|value|rule|paused|Do)\b)/.test(summary),
    );
    expect(vague.map(([name, { summary }]) => `${name}: ${summary}`)).toEqual([]);
  });

  it('differs between nouns, except for announced methods', async () => {
    const seen = new Map<string, string[]>();
    for (const [name, { summary, announced }] of await verbs())
      if (announced === undefined) seen.set(summary, [...(seen.get(summary) ?? []), name]);
    expect([...seen].filter(([, names]) => names.length > 1)).toEqual([]);
  });

  it.each([
    ['folder create', 'Create a folder'],
    ['folder list', 'List folders'],
    ['task get', 'Show a task by id or exact name'],
    ['user update', 'Update a user by id or exact username'],
    ['sms-message delete', 'Delete an SMS message by id or exact name'],
    ['link get', 'Show a tracked link by id'],
    ['account get', 'Show the company account'],
    ['features get', 'Show the features of a company account'],
    ['account create', 'Create a company account, as a partner'],
  ])('%s: %s', async (name, summary) => {
    expect(new Map(await verbs()).get(name)?.summary).toBe(summary);
  });
});

describe('the example of a verb', () => {
  it('is a command line of that verb', async () => {
    const misread: string[] = [];
    for (const [name, { example, announced }] of await verbs()) {
      if (announced !== undefined) continue;
      const line = await readCommandLine(argvOf(example), topLevelCommandEntries, {
        version: '0',
        columns: 100,
      }).catch((error: unknown) => String(error));
      if (typeof line === 'string' || line.kind !== 'run' || line.path.join(' ') !== name)
        misread.push(`${name}: ${example}`);
    }
    expect(misread).toEqual([]);
  });
});

/** Splits a line as a shell does, as far as the examples need it. Words after a pipe belong to another command. */
const argvOf = (line: string): readonly string[] =>
  [...(line.split(/ [|>] /)[0] ?? '').matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  );
