import { type Group, isGroup, type Verb } from '../command.ts';
import { type HelpItem, type HelpPage, helpSection } from '../help-page.ts';
import { aliasesOfVerb, COMMANDS_OF_OTHER_TOOLS, NOUN_ALIASES } from '../other-words.ts';

/** Returns the help page of aliases. @param trees all commands @param userAliases the user's own aliases, by name */
export function aliasesTopic(
  trees: readonly (Verb | Group)[],
  userAliases: ReadonlyMap<string, string>,
): HelpPage {
  const verbs = new Map<string, Set<string>>();
  for (const tree of trees) collect(tree, verbs);
  const nouns = [...new Set(Object.values(NOUN_ALIASES))];
  return {
    summary: 'Other names for nouns and verbs that svc accepts',
    usage: 'svc <noun> <verb> [id] [flags]',
    sections: [
      helpSection(
        'Your own aliases',
        [...userAliases].map(([name, expansion]): HelpItem => ({ term: name, text: `svc ${expansion}` })),
      ),
      helpSection(
        'Verbs',
        [...verbs].map(([verb, others]): HelpItem => ({ term: verb, text: [...others].join(', ') })),
      ),
      helpSection(
        'Nouns',
        nouns.map((noun) => ({
          term: noun,
          text: Object.keys(NOUN_ALIASES)
            .filter((alias) => NOUN_ALIASES[alias] === noun)
            .join(', '),
        })),
      ),
      helpSection(
        'Commands',
        Object.entries(COMMANDS_OF_OTHER_TOOLS).map(([phrase, words]) => ({
          term: phrase,
          text: `svc ${words.join(' ')}`,
        })),
      ),
    ],
    examples: ['svc get task 1', 'svc tasks ls --json id,name'],
    notes: [
      'Nouns can be plural, and a verb can come first: svc get task 1 is svc task get 1.',
      "To create an alias, run svc alias set mytasks 'task list --cancelled false'.",
      '-o=json means -o json, and --json id,name means --json --fields id,name.',
    ],
  };
}

/** Adds the aliases of each verb in the tree to `into`, by verb name. */
function collect(tree: Verb | Group, into: Map<string, Set<string>>): void {
  if (!isGroup(tree)) return;
  const names = tree.commands.map(({ name }) => name);
  for (const command of tree.commands) {
    const others = aliasesOfVerb(command.name, names);
    if (others.length > 0) into.set(command.name, new Set([...(into.get(command.name) ?? []), ...others]));
    collect(command, into);
  }
}
