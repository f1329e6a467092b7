/** Builds `svc explain campaign`: the parts of a campaign file, and for programs its JSON Schema. */

import { EXAMPLE } from '../../../campaign/file/example.ts';
import { folderParts, messageParts, type Part, ruleParts, taskParts } from '../../../campaign/file/parts.ts';
import { campaignSchema, describePart } from '../../../campaign/file/schema.ts';
import { RULE_KINDS } from '../../../resources/rule-kinds.ts';
import type { Block, Page, Section, Term } from '../../../text/page.ts';
import { joinAnd } from '../../../text/words.ts';
import type { Result } from '../../output/result.ts';
import { paragraphs, points, terms } from './by-kind.ts';

export function campaignPage(): Page {
  return {
    title: 'campaign (a YAML file)',
    sections: [
      { title: 'TRAPS', blocks: points(TRAPS) },
      { title: 'WHAT IT IS', blocks: paragraphs(ABOUT) },
      { title: 'SECTIONS', blocks: terms(SECTIONS) },
      section('FOLDERS', folderParts),
      section('E-MAIL MESSAGES', messageParts('email')),
      section('SMS MESSAGES', messageParts('sms')),
      section('TASKS', taskParts, 'A task has a list or a search.'),
      ...ruleSections(),
      { title: 'REFERENCES', blocks: paragraphs(REFERENCES) },
      { title: 'VARIABLES', blocks: terms(VARIABLES) },
      {
        title: 'EXAMPLE',
        blocks: [
          { kind: 'verbatim', lines: EXAMPLE.trimEnd().split('\n') },
          ...paragraphs(['The day comes from --set day=2027-03-20.']),
        ],
      },
      { title: 'IN AN EDITOR', blocks: EDITOR },
      {
        title: 'SEE ALSO',
        blocks: terms([
          { term: 'svc explain campaign -o json', text: 'The JSON Schema of the file, for editors' },
          {
            term: 'svc explain email',
            text: 'What the attributes of an item mean; so for sms-message, task, folder',
          },
          { term: 'svc explain automation', text: 'The kinds of rule, and what each can do' },
        ]),
      },
    ],
  };
}

/** Returns the schema as one object in any format. */
export function campaignResult(): Result {
  const value = campaignSchema();
  return { kind: 'object', value, columns: Object.keys(value).map((name) => ({ name })) };
}

const TRAPS: readonly string[] = [
  'Another name of the campaign, or another key of an item, is another one: everything is made anew, and what was made before stays.',
  'A time without an offset is in the zone of the company. One that counts from now (+2d, monday 09:00) counts once, when the task is made.',
  'A campaign sends nothing at once: "at: now" is refused.',
  'Lists, searches and links are named by id alone; the interface tells no names of them.',
  'A folder has 21 octets for its name: the mark that it is found by takes the rest.',
];

const ABOUT: readonly string[] = [
  'Messages, tasks and automation rules in one file, each under a key of your own: 1 to 40 small letters, digits and hyphens. The content of messages stands in files beside or below it.',
  'Attributes have the names of the interface, or those of the flags that set them. What is wrong is told all at once, each with file, line and column, before anything is sent. An asterisk marks what an item needs.',
];

const EDITOR: readonly Block[] = [
  ...paragraphs(['Editors that read a JSON Schema complete and check the file as it is written:']),
  { kind: 'command', line: 'svc explain campaign -o json > campaign.schema.json' },
  ...paragraphs(['Most of them find it by the first line of the file:']),
  { kind: 'verbatim', lines: ['# yaml-language-server: $schema=campaign.schema.json'] },
];

const SECTIONS: readonly Term[] = [
  { term: 'version*', text: '1' },
  { term: 'campaign*', text: 'A name, by which its records are told from those of other campaigns' },
  { term: 'company', text: 'The id of the company that it is for; with another one it is refused' },
  { term: 'folders', text: 'Folders by key' },
  { term: 'messages', text: 'Messages by key; channel says which attributes they have' },
  { term: 'tasks', text: 'Sends by key' },
  { term: 'automations', text: 'Rules by key; kind says which attributes they have' },
];

const REFERENCES: readonly string[] = [
  'A message is named by its key in the file, by its id, or by the exact name of one that is there; a key goes first. A rule whose action is an autoresponder names its message so in actiontarget.',
];

const VARIABLES: readonly Term[] = [
  { term: `\${{ env.NAME }}`, text: 'A variable of the environment' },
  { term: `\${{ name }}`, text: 'From --set name=value' },
  { term: `$\${{`, text: 'The characters themselves' },
  {
    term: 'anywhere',
    text: 'in a value, not in a key, in version, channel or kind, or in a content file. A variable is text that brings no YAML along; alone it may stand for a number or for true and false. Undefined is a fault.',
  },
];

function section(title: string, parts: readonly Part[], ...more: readonly string[]): Section {
  return { title, blocks: [...terms(parts.map(termOf)), ...paragraphs(more)] };
}

/** Returns the sections of the rules. Parts that kinds share are described once. */
function ruleSections(): readonly Section[] {
  const ofKinds = new Map<string, { readonly part: Part; readonly kinds: string[] }>();
  for (const kind of RULE_KINDS)
    for (const part of ruleParts(kind)) {
      const { term, text } = termOf(part);
      const known = ofKinds.get(`${term} ${text}`);
      if (known) known.kinds.push(kind);
      else ofKinds.set(`${term} ${text}`, { part, kinds: [kind] });
    }
  const groups = new Map<string, Part[]>();
  for (const { part, kinds } of [...ofKinds.values()].sort((a, b) => b.kinds.length - a.kinds.length)) {
    const title = kinds.length === RULE_KINDS.length ? 'For all kinds:' : `For ${joinAnd(kinds)} rules:`;
    groups.set(title, [...(groups.get(title) ?? []), part]);
  }
  const blocks: Block[] = [...groups].flatMap(([title, parts]) => [
    ...paragraphs([title]),
    ...terms(parts.map(termOf)),
  ]);
  return [{ title: 'AUTOMATIONS', blocks }];
}

const termOf = (part: Part): Term => ({
  term: `${part.spellings.join(', ')}${part.isRequired ? '*' : ''}`,
  text: describePart(part),
});
