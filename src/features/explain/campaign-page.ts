/** Builds `svc explain campaign`: a page about the parts of a campaign file, and the file's JSON Schema for programs. */

import type { Report, ReportBlock, ReportSection, TermWithText } from '../../kit/report/report.ts';
import { joinAnd } from '../../kit/text/words.ts';
import { RULE_KINDS } from '../../service/resources/rule-kinds.ts';
import {
  type AttributeSpec,
  folderAttributeSpecs,
  messageAttributeSpecs,
  ruleAttributeSpecs,
  taskAttributeSpecs,
} from '../campaign/file/parts.ts';
import {
  CAMPAIGN_RENAMED_FROM_DESCRIPTION,
  campaignSchema,
  describeAttributeSpec,
  REPEAT_DESCRIPTIONS,
  STEP_KEY_DESCRIPTION,
} from '../campaign/file/schema.ts';
import { sequenceAttributeSpecs, stepAttributeSpecs } from '../campaign/file/sequences.ts';
import { MAX_FOLDER_NAME_OCTETS } from '../campaign/plan/messages.ts';
import { bulletPointBlocks, paragraphBlocks, termBlocks } from './by-kind.ts';
import { explanationOfObject, type StructuredExplanation } from './structured.ts';

/** Returns the page that `svc explain campaign` shows to people. */
export function campaignPage(): Report {
  return {
    title: 'campaign (a YAML file)',
    sections: [
      { title: 'TRAPS', blocks: bulletPointBlocks(TRAPS) },
      { title: 'WHAT IT IS', blocks: paragraphBlocks(ABOUT) },
      { title: 'SECTIONS', blocks: termBlocks(SECTIONS) },
      section('FOLDERS', folderAttributeSpecs),
      section('E-MAIL MESSAGES', messageAttributeSpecs('email')),
      section('SMS MESSAGES', messageAttributeSpecs('sms')),
      section('TASKS', taskAttributeSpecs, 'A task goes to a list or to a saved search.'),
      {
        title: 'SERIES',
        blocks: [
          ...paragraphBlocks(SERIES),
          ...termBlocks(
            Object.entries(REPEAT_DESCRIPTIONS).map(([term, text]) => ({
              term: term === 'every' ? `${term}*` : term,
              text,
            })),
          ),
          { kind: 'verbatim', lines: ['repeat: {every: week, until: 2027-06-28}'] },
        ],
      },
      ...ruleSections(),
      {
        title: 'SEQUENCES',
        blocks: [
          ...termBlocks([
            ...sequenceAttributeSpecs.map(termOf),
            { term: 'steps*', text: 'A list of steps, in the order in which people get their messages' },
          ]),
          ...paragraphBlocks(['For each step:']),
          ...termBlocks([...stepAttributeSpecs.map(termOf), { term: 'key', text: STEP_KEY_DESCRIPTION }]),
        ],
      },
      { title: 'REFERENCES', blocks: paragraphBlocks(REFERENCES) },
      { title: 'VARIABLES', blocks: termBlocks(VARIABLES) },
      {
        title: 'EXAMPLE',
        blocks: [
          { kind: 'verbatim', lines: CAMPAIGN_EXAMPLE.trimEnd().split('\n') },
          ...paragraphBlocks(['Set the variable day with --set day=2027-03-20.']),
        ],
      },
      { title: 'IN AN EDITOR', blocks: EDITOR },
      {
        title: 'SEE ALSO',
        blocks: termBlocks([
          { term: 'svc explain campaign -o json', text: 'The JSON Schema of the file, for editors' },
          {
            term: 'svc explain email',
            text: 'The attributes of an e-mail message; see also sms-message, task, folder',
          },
          { term: 'svc explain automation', text: 'The kinds of rules, and what each kind can do' },
        ]),
      },
    ],
  };
}

/** Returns the JSON Schema of a campaign file, as one object that every output format can print. */
export const campaignSchemaExplanation = (): StructuredExplanation => explanationOfObject(campaignSchema());

const TRAPS: readonly string[] = [
  'If you rename the campaign or the key of an item, write the earlier name in renamed-from, and leave it there. Otherwise svc takes the item for a new one.',
  'Times without a UTC offset are in the time zone of the company. svc computes a relative time (+2d, monday 09:00) once, when it creates the task.',
  'A campaign never sends immediately: svc rejects "at: now".',
  'Refer to lists, searches and links by id: the interface does not show their names.',
  `A folder name has at most ${MAX_FOLDER_NAME_OCTETS} bytes, because svc adds a mark by which it finds the folder.`,
];

const ABOUT: readonly string[] = [
  'Messages, tasks and automation rules in one file, each under a key that you choose: 1 to 40 lower-case letters, digits and hyphens. The content of messages is in files in the same folder or below it.',
  'You can name an attribute as in the HTTP API, such as scheduledtime, or as its flag, such as at. svc reports all errors at once, with file, line and column, before it sends anything. An asterisk marks required attributes.',
];

const SERIES: readonly string[] = [
  'A task with repeat sends its message again and again, at the same local time. at is the first time: a date and a time, because words such as monday 09:00 would be another first time in each run. Each plan has the next times, so a weekly svc apply keeps the series filled. For repeat:',
];

const EDITOR: readonly ReportBlock[] = [
  ...paragraphBlocks(['Editors that support JSON Schema can complete and check the file as you type:']),
  { kind: 'command', line: 'svc explain campaign -o json > campaign.schema.json' },
  ...paragraphBlocks(['Begin the file with this line, so that most editors find the schema:']),
  { kind: 'verbatim', lines: ['# yaml-language-server: $schema=campaign.schema.json'] },
];

const SECTIONS: readonly TermWithText[] = [
  { term: 'version*', text: '1' },
  { term: 'campaign*', text: 'Name by which svc finds the records of this campaign' },
  { term: 'renamed-from', text: CAMPAIGN_RENAMED_FROM_DESCRIPTION },
  { term: 'company', text: 'Id of the company; svc refuses the file for any other company' },
  { term: 'values', text: `Values by name, which \${{ name }} uses: texts, numbers, or lists of them` },
  { term: 'folders', text: 'Folders by key' },
  { term: 'messages', text: 'Messages by key. Each channel has its own attributes' },
  { term: 'tasks', text: 'Sends by key' },
  { term: 'automations', text: 'Rules by key. Each kind of rule has its own attributes' },
  {
    term: 'sequences',
    text: 'Sequences by key: messages that new subscribers of a list get one after the other. svc makes a subscription rule of each step',
  },
];

const REFERENCES: readonly string[] = [
  'Refer to a message by its key in the file, by its id, or by the exact name of an existing message; a key takes precedence. An autoresponder rule refers to its message the same way in actiontarget.',
];

const VARIABLES: readonly TermWithText[] = [
  { term: `\${{ env.NAME }}`, text: 'An environment variable' },
  {
    term: `\${{ name }}`,
    text: 'The value from --set name=value, else from the file of --values, else from values in this file. A values file can have a section for each company, companies: {12: {newsletter: 7}}, and for each profile, profiles: {production: {newsletter: 7}}. A list becomes text with commas',
  },
  { term: `$\${{`, text: 'The characters ${{ as plain text' },
  {
    term: 'allowed',
    text: 'in every value except version, channel and kind; not in a key or a content file. A variable is plain text, never YAML. A value that is only a variable can be a number, true or false. An undefined variable is an error.',
  },
];

function section(title: string, specs: readonly AttributeSpec[], ...more: readonly string[]): ReportSection {
  return { title, blocks: [...termBlocks(specs.map(termOf)), ...paragraphBlocks(more)] };
}

/** Returns the sections about rules. Attributes that several kinds have are described once. */
function ruleSections(): readonly ReportSection[] {
  const ofKinds = new Map<string, { readonly spec: AttributeSpec; readonly kinds: string[] }>();
  for (const kind of RULE_KINDS)
    for (const spec of ruleAttributeSpecs(kind)) {
      const { term, text } = termOf(spec);
      const known = ofKinds.get(`${term} ${text}`);
      if (known) known.kinds.push(kind);
      else ofKinds.set(`${term} ${text}`, { spec, kinds: [kind] });
    }
  const groups = new Map<string, AttributeSpec[]>();
  for (const { spec, kinds } of [...ofKinds.values()].sort((a, b) => b.kinds.length - a.kinds.length)) {
    const title = kinds.length === RULE_KINDS.length ? 'For all kinds:' : `For ${joinAnd(kinds)} rules:`;
    groups.set(title, [...(groups.get(title) ?? []), spec]);
  }
  const blocks: ReportBlock[] = [...groups].flatMap(([title, specs]) => [
    ...paragraphBlocks([title]),
    ...termBlocks(specs.map(termOf)),
  ]);
  return [{ title: 'AUTOMATIONS', blocks }];
}

const termOf = (spec: AttributeSpec): TermWithText => ({
  term: `${spec.spellings.join(', ')}${spec.isRequired ? '*' : ''}`,
  text: describeAttributeSpec(spec),
});

/** Example of a small campaign, which `svc explain campaign` shows. A test checks that svc accepts it. */
export const CAMPAIGN_EXAMPLE = `version: 1
campaign: Spring sale

messages:
  spring:
    channel: email
    name: Spring sale
    from: news@harbourcoffee.example
    from-name: Harbour Coffee
    reply-to: hello@harbourcoffee.example
    subject: Spring coffee offers
    html: content/spring.html
    text: content/spring.txt

tasks:
  newsletter:
    name: Spring sale
    message: spring
    list: 1
    at: \${{ day }} 09:00
    expect-size: 300..500

automations:
  loyalty:
    kind: open
    name: Spring readers join the club
    message: spring
    actiontype: addtolist
    actiontarget: 2
    after: 2d
    actiononweekend: true
`;
