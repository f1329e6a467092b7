/** Declares `svc agent skill`, which writes a folder that assistants load when a task needs svc. */
import { existsSync, lstatSync, rmdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openTemporaryFile, type TemporaryFile } from '../../../client/bulk/temporary-file.ts';
import type { TopLevelCommandEntry, Verb } from '../../command/command.ts';
import { folderFlag, switchFlag } from '../../command/flag.ts';
import type { HelpPage } from '../../command/help-page.ts';
import { topicHelp } from '../../command/help-topics.ts';
import type { TopicName } from '../../command/words.ts';
import { UsageError } from '../../errors/errors.ts';
import { pageWidth } from '../../request/description.ts';
import { checkNewFile, makeOutputFolder } from '../../request/new-file.ts';
import { guideText } from './guide.ts';

type Entries = readonly TopLevelCommandEntry[];

const FOLDER = 'svc';
const REFERENCES = 'references';

const dirFlag = {
  ...folderFlag('dir', {
    describe: `Folder in which svc writes the folder ${FOLDER}`,
    default: '.',
  }),
  writes: 'folder',
} as const;
const forceFlag = switchFlag('force', { describe: 'Replace existing files' });

export const agentSkill = (entries: () => Entries): Verb => ({
  name: 'skill',
  summary: 'Write a skill for AI assistants: a folder with the guide and references',
  about: `Writes ${FOLDER}/SKILL.md and ${FOLDER}/${REFERENCES}/. The texts are those of svc agent guide and svc help. Write the folder to the place where your assistant looks for skills, such as .claude/skills`,
  work: 'local',
  example: 'agent skill --dir .claude/skills',
  flags: [dirFlag, forceFlag],
  needsNoCompany: true,
  ignoresFolder: true,
  run: async (session, input) => {
    const { cwd } = session.context;
    const folder = join(input.get(dirFlag), FOLDER);
    const force = input.get(forceFlag);
    for (const each of [folder, join(folder, REFERENCES)]) refuseLink(resolve(cwd, each), each);
    const files = (await skillFiles(entries())).map(([name, text]) => [join(folder, name), text] as const);
    // A dry run ends at the first one.
    for (const [name] of files) await checkNewFile(session, name, force);
    await writeAll(cwd, files, force);
    await session.info(`Wrote ${join(folder, 'SKILL.md')} and ${files.length - 1} references.`);
    return { result: { kind: 'nothing' } };
  },
});

/** Returns the files below the folder of the skill, SKILL.md last, because assistants look for it. */
export async function skillFiles(
  entries: Entries,
): Promise<readonly (readonly [name: string, text: string])[]> {
  const references: (readonly [string, string])[] = [];
  for (const { file, topics } of REFERENCE_FILES) {
    const pages = await Promise.all(topics.map((topic) => topicHelp(topic, entries)));
    const more = file === 'campaign-file.md' ? [await campaignFileFormat()] : [];
    references.push([join(REFERENCES, file), [...pages.map(helpAsMarkdown), ...more].join('\n')]);
  }
  return [...references, ['SKILL.md', await skillText(entries)]];
}

const REFERENCE_FILES: readonly {
  readonly file: string;
  readonly what: string;
  readonly topics: readonly TopicName[];
}[] = [
  {
    file: 'campaign-file.md',
    what: 'the format of campaign files, and how a plan works',
    topics: ['campaigns'],
  },
  {
    file: 'sending.md',
    what: 'what svc checks before a send, budgets, times',
    topics: ['safety', 'budget', 'time'],
  },
  { file: 'sandbox.md', what: 'the simulated service on this machine', topics: ['sandbox'] },
  { file: 'exit-codes.md', what: 'exit codes, output formats, errors', topics: ['exit-codes', 'output'] },
];

const DESCRIPTION =
  'Read, check, rehearse and plan e-mail and SMS campaigns with the command svc. Use it for questions about tasks, ' +
  'messages, rules, credits and Do Not Contact, and for campaign files. Only a person approves and sends.';

async function skillText(entries: Entries): Promise<string> {
  return [
    ...['---', `name: ${FOLDER}`, `description: ${DESCRIPTION}`, '---', ''],
    await guideText(entries),
    ...['## Recipes', ''],
    ...RECIPES.map(
      ({ goal, lines }) => `- ${goal}: ${lines.map((line) => `\`svc ${line}\``).join(', then ')}`,
    ),
    ...['', '## References', ''],
    ...REFERENCE_FILES.map(({ file, what }) => `- [${REFERENCES}/${file}](${REFERENCES}/${file}): ${what}`),
    '',
  ].join('\n');
}

/** The commands only read the service; a test looks up their flags. */
const RECIPES: readonly { readonly goal: string; readonly lines: readonly string[] }[] = [
  {
    goal: 'Results of past newsletters',
    lines: [
      'task list --status completed --since 30d -o csv --fields id,name,scheduledtime,size',
      'task report ID -o json',
    ],
  },
  {
    goal: 'Plan a campaign',
    lines: [
      'explain campaign',
      'lint campaigns/spring.yaml -o json',
      'rehearse campaigns/spring.yaml -o json',
      'plan campaigns/spring.yaml --out campaigns/spring.plan',
    ],
  },
  { goal: 'What is sent next, and do the credits last', lines: ['next -o csv', 'forecast -o json'] },
  { goal: 'Which addresses must get nothing', lines: ['dnc check people.csv -o csv'] },
  {
    goal: 'Why a rule did not act, or a record is locked',
    lines: [
      'automation list -o csv',
      'automation simulate click:3 --at now -o json',
      'why automation click:3',
    ],
  },
];

function helpAsMarkdown({ summary, usage, sections, examples, notes }: HelpPage): string {
  return [
    ...[`# ${summary}`, '', `Usage: \`${usage}\``, ''],
    ...sections.flatMap(({ heading, items = [], paragraphs = [], code = [] }) => [
      ...[`## ${heading}`, ''],
      ...items.map(({ term, text }) => `- \`${term}\`: ${text}`),
      ...paragraphs,
      ...(code.length === 0 ? [] : ['```sh', ...code, '```']),
      '',
    ]),
    ...examples.map((line) => `Example: \`${line}\`\n`),
    ...notes.map((note) => `${note}\n`),
  ].join('\n');
}

/** Returns the page of `svc explain campaign`. */
async function campaignFileFormat(): Promise<string> {
  const [{ campaignPage }, { formatTextPageLines }] = await Promise.all([
    import('../../../features/explain/campaign-page.ts'),
    import('../../../kit/report/text-page.ts'),
  ]);
  const lines = formatTextPageLines(campaignPage(), pageWidth({ isTTY: false, columns: undefined })).map(
    ({ text }) => text,
  );
  return ['# The campaign file', '', '```text', ...lines, '```', ''].join('\n');
}

/** The files would otherwise be written to another place. */
function refuseLink(path: string, name: string): void {
  // A link to nowhere is no folder, which the creation of the folder finds.
  if (existsSync(path) && lstatSync(path).isSymbolicLink())
    throw new UsageError(`${name} is a link; nothing was written`, {
      hint: 'choose another folder with --dir',
    });
}

/** Writes all files or none. */
async function writeAll(
  cwd: string,
  files: readonly (readonly [name: string, text: string])[],
  force: boolean,
): Promise<void> {
  const folders = [...new Set(files.map(([name]) => resolve(cwd, name, '..')))];
  const made: string[] = [];
  const open: TemporaryFile[] = [];
  try {
    for (const folder of folders) made.push(...makeOutputFolder(folder));
    for (const [name, text] of files) {
      const file = await openTemporaryFile(resolve(cwd, name), name, { force });
      open.push(file);
      await file.write(text);
      await file.flush();
    }
    while (open.length > 0) await open.shift()?.commit();
    made.length = 0;
  } finally {
    for (const file of open) await file.abort();
    for (const folder of made.toReversed()) removeIfEmpty(folder);
  }
}

/** A folder of an interrupted run may hold files of others. */
function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // The folder stays.
  }
}
