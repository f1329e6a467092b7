/** Builds `svc explain campaign-test`: the grammar of campaign tests for people, and the file's JSON Schema for programs. */

import type { Report, ReportSection, TermWithText } from '../../kit/report/report.ts';
import {
  LIMITS,
  MEASURES,
  type MeasureForm,
  PERSON_MEMBERS,
  REQUIRED_TEST_FILE_MEMBERS,
  SENTENCES,
  type SentenceForm,
  SLOTS,
  TEST_FILE_MEMBERS,
} from '../campaign/test-file/grammar.ts';
import { campaignTestSchema } from '../campaign/test-file/schema.ts';
import { bulletPointBlocks, paragraphBlocks, termBlocks } from './by-kind.ts';
import { explanationOfObject, type StructuredExplanation } from './structured.ts';

/** Returns the page that `svc explain campaign-test` shows to people. */
export function campaignTestPage(): Report {
  return {
    title: 'campaign-test (a YAML file)',
    sections: [
      { title: 'TRAPS', blocks: bulletPointBlocks(TRAPS) },
      { title: 'WHAT IT IS', blocks: paragraphBlocks(ABOUT) },
      terms('MEMBERS', TEST_FILE_MEMBERS, REQUIRED_TEST_FILE_MEMBERS),
      terms('PEOPLE', PERSON_MEMBERS),
      sentences('STEPS', 'step'),
      sentences('CHECKS', 'check'),
      { title: 'MEASURES', blocks: termBlocks(Object.entries(MEASURES).map(measureTerm)) },
      {
        title: 'WORDS',
        blocks: termBlocks(
          Object.entries(SLOTS).map(([slot, { means }]) => ({ term: `<${slot}>`, text: plain(means) })),
        ),
      },
      {
        title: 'EXAMPLE',
        blocks: [{ kind: 'verbatim', lines: CAMPAIGN_TEST_EXAMPLE.trimEnd().split('\n') }],
      },
      {
        title: 'IN AN EDITOR',
        blocks: [
          { kind: 'command', line: 'svc explain campaign-test -o json > campaign-test.schema.json' },
          { kind: 'verbatim', lines: ['# yaml-language-server: $schema=campaign-test.schema.json'] },
        ],
      },
      {
        title: 'SEE ALSO',
        blocks: termBlocks([
          { term: 'svc explain campaign', text: 'The campaign file that is tested' },
          { term: 'svc help test', text: 'How to run tests' },
        ]),
      },
    ],
  };
}

/** Returns the JSON Schema of a test file, as one object that every output format can print. */
export const campaignTestSchemaExplanation = (): StructuredExplanation =>
  explanationOfObject(campaignTestSchema());

const TRAPS: readonly string[] = [
  'People of the file do only what a test says: they open and click nothing by themselves. All other people react as audience says.',
  '"within 2h" counts from the step above the statement, or from the start of the test.',
  'A week is a local week from Monday. For any seven days, write 7d.',
  'sends are the sends of tasks. messages are all messages, also those of rules, which arrive at any hour.',
  'The copy of a real account does not know who is on several lists, so people of different lists are different people there.',
];

const ABOUT: readonly string[] = [
  'Tests of one campaign, in a file beside it (spring.test.yaml for spring.yaml). svc test runs each test in its own copy of the account, for each seed, and sends nothing. Steps happen in the order of their times. Checks are about the whole test. An asterisk marks required members.',
];

const plain = (text: string): string => text.replaceAll('`', '"');

const terms = (
  title: string,
  members: Readonly<Record<string, string>>,
  required: readonly string[] = [],
): ReportSection => ({
  title,
  blocks: termBlocks(
    Object.entries(members).map(([name, text]) => ({
      term: required.includes(name) ? `${name}*` : name,
      text: plain(text),
    })),
  ),
});

const sentences = (title: string, wanted: SentenceForm['kind']): ReportSection => ({
  title,
  blocks: termBlocks(
    Object.values(SENTENCES).flatMap(({ form, kind, means }) =>
      kind === wanted ? [{ term: form, text: plain(means) }] : [],
    ),
  ),
});

function measureTerm([name, form]: readonly [string, MeasureForm]): TermWithText {
  const { takes, others, means } = form;
  if (typeof takes === 'string') return { term: `${name}: ${LIMITS[takes].example}`, text: plain(means) };
  const members = [
    ...Object.entries(takes).map(([member, kind]) => `${member}: ${LIMITS[kind].example}`),
    ...(others
      ? [`${others.named === 'message' ? '<message>' : '7d'}: ${LIMITS[others.takes].example}`]
      : []),
  ];
  return { term: `${name}: {${members.join(', ')}}`, text: plain(means) };
}

/** A test checks that svc accepts it. */
export const CAMPAIGN_TEST_EXAMPLE = `version: 1
campaign: spring.yaml
account: demo
audience: opens=40%,clicks=10%
seeds: 20
people:
  ada: {list: 1, email: ada@example.com}
tests:
  nobody gets too much:
    - messages-per-person: {week: at most 2}
  whoever clicks joins the club:
    - ada opens spring 1h after newsletter
    - ada is on list 2 within 3d
  cost:
    - credits: {email: at most 700, sms: at most 800}
`;
