/** Builds the topic pages of `svc help`. Each page explains a part of docs/contract.md to the user. */
import { isGroup, type TopLevelCommandEntry } from './command.ts';
import { commandsHelp } from './front-page.ts';
import { flagsHelp } from './help.ts';
import type { HelpPage } from './help-page.ts';
import type { TopicName } from './help-topic-names.ts';
import { aliasesTopic } from './topics/aliases.ts';
import { CAMPAIGNS_TOPIC } from './topics/campaigns.ts';
import { CI_TOPIC } from './topics/ci.ts';
import { COMPANIES_TOPIC } from './topics/companies.ts';
import { ENVIRONMENT_TOPIC } from './topics/environment.ts';
import { EXIT_CODES_TOPIC } from './topics/exit-codes.ts';
import { OUTPUT_TOPIC } from './topics/output.ts';
import { SAFETY_TOPIC } from './topics/safety.ts';
import { sandboxTopic } from './topics/sandbox.ts';
import { TIME_TOPIC } from './topics/time.ts';

/** Returns the page of a topic. @param userAliases the user's own aliases */
export async function topicHelp(
  topic: TopicName,
  entries: readonly TopLevelCommandEntry[],
  userAliases: ReadonlyMap<string, string> = new Map(),
): Promise<HelpPage> {
  switch (topic) {
    case 'commands':
      return commandsHelp(entries);
    case 'flags':
      return flagsHelp();
    case 'aliases':
      return aliasesTopic(await Promise.all(entries.map(({ load }) => load())), userAliases);
    case 'time':
      return TIME_TOPIC;
    case 'output':
      return OUTPUT_TOPIC;
    case 'exit-codes':
      return EXIT_CODES_TOPIC;
    case 'environment':
      return ENVIRONMENT_TOPIC;
    case 'ci':
      return CI_TOPIC;
    case 'safety':
      return SAFETY_TOPIC;
    case 'sandbox': {
      const tree = await entries.find(({ name }) => name === 'sandbox')?.load();
      return sandboxTopic(tree !== undefined && isGroup(tree) ? tree.commands : []);
    }
    case 'campaigns':
      return CAMPAIGNS_TOPIC;
    case 'companies':
      return COMPANIES_TOPIC;
    case 'lint':
      return (await import('./topics/lint.ts')).LINT_TOPIC;
  }
}
