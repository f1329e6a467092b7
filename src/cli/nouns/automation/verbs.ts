import { titleOf } from '../../../client/requests/record-title.ts';
import type { Verb } from '../../command/command.ts';
import { choiceFlag, switchFlag, textFlag } from '../../command/flag.ts';
import { createDescriptionOutcome, isRecordDescribed } from '../../request/description.ts';
import { confirmActionWithAccountShown, requireYesFlagOrTerminal } from '../../request/guards.ts';
import { readRecordId } from '../../request/references.ts';
import { readPastOrFutureTimeFlag } from '../../request/values.ts';
import {
  createOutcomeFromRecord,
  createWriteOutcome,
  printNoteAboutWrite,
  shouldSummarizeWriteInOneLine,
} from '../../request/write-outcome.ts';
import { ruleExists, ruleList } from './list.ts';
import { rulePause, ruleResume } from './pause.ts';
import { findRule, kindFlag, rulePositional } from './resolve.ts';
import { ruleCreate, ruleUpdate } from './write.ts';

const ruleGet: Verb = {
  name: 'get',
  summary: 'Show a rule',
  work: 'finds',
  methods: ['GET'],
  example: 'automation get click:1',
  positionals: [rulePositional],
  flags: [kindFlag],
  companies: 'reads',
  run: async (session, input) => {
    const { resource, record } = await findRule(session, input);
    const { describeRule } = await import('./description.ts');
    const description = (await isRecordDescribed(session))
      ? await describeRule(session, { resource, record })
      : undefined;
    return description === undefined
      ? createOutcomeFromRecord(resource, record)
      : createDescriptionOutcome(session, description);
  },
};

const ruleDelete: Verb = {
  name: 'delete',
  summary: 'Delete a rule',
  about: 'Deleting a rule also deletes its queued actions. To let them run, pause the rule instead',
  work: 'changes',
  methods: ['DELETE'],
  example: 'automation delete click:1 --yes',
  positionals: [rulePositional],
  flags: [kindFlag],
  companies: 'writes',
  run: async (session, input) => {
    requireYesFlagOrTerminal(session, `delete automation ${input.positionals[0] ?? ''}`);
    const { resource, record } = await findRule(session, input);
    const id = readRecordId(record);
    const title = titleOf(resource, record);
    await confirmActionWithAccountShown(session, `delete ${title} and its queued actions`);
    await (await session.client()).remove(resource, { id });
    await printNoteAboutWrite(session, `deleted ${title}`);
    return (await shouldSummarizeWriteInOneLine(session))
      ? createWriteOutcome(session, resource, record, 'Deleted')
      : createOutcomeFromRecord(resource, { id });
  },
};

const formatFlag = choiceFlag('format', ['text', 'mermaid', 'json'], { describe: 'Format of the graph' });
const checkFlag = switchFlag('check', {
  describe: 'Exit with 11 if rules trigger each other in an endless loop',
});

/** Contract, "Insight". */
const ruleGraph: Verb = {
  name: 'graph',
  summary: 'Show what triggers each rule, and which rules trigger each other',
  about:
    "Shows lists, rules and messages, and marks loops. In a loop, rules subscribe people to each other's lists, or a " +
    'rule sends a message that triggers the same rule again. --check ignores a loop in which a rule is paused',
  work: 'reads',
  exits: { 11: 'rules trigger each other in a loop (with --check)' },
  section: 'Events',
  example: 'automation graph --format mermaid',
  flags: [formatFlag, checkFlag],
  companies: 'reads',
  run: async (session, input) => {
    const { createRuleGraphOutcome } = await import('./graph.ts');
    return createRuleGraphOutcome(session, { format: input.get(formatFlag), check: input.get(checkFlag) });
  },
};

const atFlag = textFlag('at', {
  describe: 'Time of the event, such as "2026-12-04 18:00"; for a date rule, the birthday or other date',
  value: 'time',
  required: true,
});

/** Contract, "Insight". */
const ruleSimulate: Verb = {
  name: 'simulate',
  summary: 'Show what a rule would do for an event at a given time',
  about:
    'Takes weekends, actionhour and daylight-saving changes into account. If the rule adds the subscriber to a list, also shows what the rules of that list would do. Sends nothing. Local times are in the time zone of --tz, or else of the company',
  work: 'finds',
  section: 'Events',
  example: 'automation simulate click:1 --at "2026-12-04 18:00"',
  positionals: [rulePositional],
  flags: [kindFlag, atFlag],
  companies: 'reads',
  run: async (session, input) => {
    const isDateRule = input.get(kindFlag) === 'date' || /^date:/.test(input.positionals[0] ?? '');
    const text = input.get(atFlag);
    const isBareDate = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text.trim());
    const time = isDateRule && isBareDate ? `${text.trim()} 00:00` : text;
    const at = await readPastOrFutureTimeFlag(session, 'at', time);
    const rule = await findRule(session, input);
    const { simulateRule } = await import('./simulation.ts');
    return simulateRule(session, rule, await at());
  },
};

/** Contract, "Insight". */
const ruleWhy: Verb = {
  name: 'why',
  summary: 'Show why a rule has not acted',
  about:
    'Checks whether the rule is paused, when it was created, and whether its list, message and link exist. Then checks whether a task has sent its message, how many opened or clicked it, and which actions are still to come',
  work: 'finds',
  section: 'Events',
  example: 'automation why click:1',
  positionals: [rulePositional],
  flags: [kindFlag],
  companies: 'reads',
  run: async (session, input) => {
    const rule = await findRule(session, input);
    const { explainInactivity } = await import('./inactivity.ts');
    return explainInactivity(session, rule);
  },
};

export const automationVerbs: readonly Verb[] = [
  ...[ruleList, ruleGet, ruleExists, ruleCreate, ruleUpdate, rulePause, ruleResume, ruleDelete],
  ...[ruleSimulate, ruleWhy, ruleGraph],
];
