import { isGroup, type TopLevelCommandEntry } from './command.ts';
import { commandsHelp, flagsHelp } from './help.ts';
import type { HelpPage } from './help-page.ts';
import {
  aliasesTopic,
  ENVIRONMENT_TOPIC,
  EXIT_CODES_TOPIC,
  OUTPUT_TOPIC,
  TIME_TOPIC,
} from './topics/command-line.ts';
import { sandboxTopic } from './topics/sandbox.ts';
import { BUDGET_TOPIC, CAMPAIGNS_TOPIC, CI_TOPIC, COMPANIES_TOPIC, SAFETY_TOPIC } from './topics/sending.ts';
import type { TopicName } from './words.ts';

type Entries = readonly TopLevelCommandEntry[];

export const topicHelp = async (topic: TopicName, entries: Entries): Promise<HelpPage> =>
  TOPICS[topic](entries);

const TOPICS: Readonly<Record<TopicName, (entries: Entries) => HelpPage | Promise<HelpPage>>> = {
  commands: commandsHelp,
  flags: flagsHelp,
  aliases: async (entries) => aliasesTopic(await Promise.all(entries.map(({ load }) => load()))),
  time: () => TIME_TOPIC,
  output: () => OUTPUT_TOPIC,
  'exit-codes': () => EXIT_CODES_TOPIC,
  environment: () => ENVIRONMENT_TOPIC,
  ci: () => CI_TOPIC,
  safety: () => SAFETY_TOPIC,
  sandbox: async (entries) => {
    const tree = await entries.find(({ name }) => name === 'sandbox')?.load();
    return sandboxTopic(tree !== undefined && isGroup(tree) ? tree.commands : []);
  },
  budget: () => BUDGET_TOPIC,
  companies: () => COMPANIES_TOPIC,
  campaigns: () => CAMPAIGNS_TOPIC,
  lint: async () => (await import('./topics/lint.ts')).LINT_TOPIC,
};
