/** Fills the column of verbs in the tables of docs/commands.md and docs/contract.md from the registry. */
import { isGroup, type TopLevelCommandEntry } from '../src/cli/command/command.ts';

/**
 * Returns the document with the verbs of each noun. Listed verbs keep their place and their note. New verbs follow at the end.
 * @param document Markdown with table rows whose cell before the verbs, or the first, is the noun in code
 */
export async function withVerbs(document: string, nouns: readonly TopLevelCommandEntry[]): Promise<string> {
  const verbs = new Map<string, readonly string[]>();
  for (const noun of nouns) {
    const tree = await noun.load();
    if (isGroup(tree))
      verbs.set(
        noun.name,
        tree.commands.filter((each) => isGroup(each) || each.announced === undefined).map(({ name }) => name),
      );
  }
  return document
    .split('\n')
    .map((line) => {
      const cells = line.split('|');
      const found = cells.length === 5 ? namesIn(cells, verbs) : undefined;
      return found === undefined ? line : [...cells.slice(0, 3), cellOf(cells[3] ?? '', found), ''].join('|');
    })
    .join('\n');
}

/** Returns the verbs of the noun that a row of the table is about. */
function namesIn(
  cells: readonly string[],
  verbs: ReadonlyMap<string, readonly string[]>,
): readonly string[] | undefined {
  const listed = listIn(cells[3] ?? '').map(nameOf);
  return cells
    .slice(1, 3)
    .map((cell) => verbs.get(/^`([a-z-]+)`$/.exec(cell.trim())?.[1] ?? ''))
    .find((names) => names?.some((name) => listed.includes(name)));
}

const listIn = (cell: string): readonly string[] => cell.trim().split(', ');
/** Returns the verb without its note: `create (partner)`. */
const nameOf = (item: string): string => item.replace(/ \(.*\)$/, '');

function cellOf(cell: string, names: readonly string[]): string {
  const kept = listIn(cell).filter((item) => names.includes(nameOf(item)));
  const added = names.filter((name) => !kept.map(nameOf).includes(name));
  const width = cell.endsWith('  ') ? cell.length - 2 : 0;
  return ` ${[...kept, ...added].join(', ').padEnd(width)} `;
}
