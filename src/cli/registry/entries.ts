/** Lists the top-level commands of svc: nouns such as `task`, and all other commands. */

import { catalogue, type ResourceName } from '../../service/resources/catalogue.ts';
import { mapTimedRuleKinds, multiResourceNounDescriptions } from '../../service/resources/rule-kinds.ts';
import {
  type Group,
  type Heading,
  isGroup,
  type TopLevelCommandEntry,
  type Verb,
} from '../command/command.ts';
import { once } from '../session/once.ts';

const HEADING_OF: Readonly<Record<ResourceName, Heading>> = {
  account: 'Partner',
  accountFeatures: 'Partner',
  user: 'Partner',
  sms: 'Sending',
  smsMessage: 'Sending',
  smsDestination: 'Audience',
  emailMessage: 'Sending',
  emailMessageLink: 'Sending',
  task: 'Sending',
  folder: 'Audience',
  doNotContact: 'Audience',
  form: 'Audience',
  subscriberProfileData: 'Audience',
  ...mapTimedRuleKinds(() => 'Automation' as const),
  smsAutomation: 'Automation',
};

/** Top-level commands for nouns, such as `svc task`, in the order of the catalogue. */
export const nouns: readonly TopLevelCommandEntry[] = [...new Set(catalogue.map(({ noun }) => noun))].map(
  (name) => {
    const resources = catalogue.filter(({ noun }) => noun === name);
    const [first] = resources;
    const summary = multiResourceNounDescriptions[name] ?? first?.describe ?? name;
    const makeTree = async (): Promise<Group> => {
      const { loadVerbsOfNoun } = await import('./verbs-by-noun.ts');
      return { name, summary, commands: await loadVerbsOfNoun(name, resources) };
    };
    return {
      name,
      summary,
      heading: first === undefined ? 'Tools' : HEADING_OF[first.name],
      isNoun: true,
      // `svc mcp` runs many commands in one process. They share the tree.
      load: once(makeTree),
    };
  },
);

/** Commands that are not nouns. To add a command, create a file in `commands/` and a row here. svc loads only the requested command. */
export const commands: readonly TopLevelCommandEntry[] = [
  {
    name: 'init',
    summary: 'Set up a profile, and check it',
    heading: 'Tools',
    load: async () => (await import('../commands/init.ts')).initVerb(() => topLevelCommandEntries),
  },
  {
    name: 'profile',
    summary: 'Manage profiles (saved credentials)',
    heading: 'Tools',
    load: async () => (await import('../commands/profile.ts')).profile,
  },
  {
    name: 'company',
    summary: 'Manage the companies of a partner profile',
    heading: 'Partner',
    load: async () => (await import('../commands/company.ts')).company,
  },
  {
    name: 'promote',
    summary: 'Plan a campaign file of one profile for another',
    heading: 'Tools',
    load: async () => (await import('../commands/campaign/promote.ts')).promote,
  },
  {
    name: 'doctor',
    summary: 'Check the profile, credentials, service and clock',
    heading: 'Tools',
    load: async () => (await import('../commands/doctor.ts')).doctor,
  },
  {
    name: 'demo',
    summary: 'Watch a campaign in a temporary sandbox',
    heading: 'Tools',
    load: async () => (await import('../commands/demo.ts')).demo,
  },
  {
    name: 'sandbox',
    summary: 'Run a simulated service on this machine',
    heading: 'Tools',
    load: async () => (await import('../commands/sandbox/sandbox.ts')).sandbox,
  },
  {
    name: 'plan',
    summary: 'Show what a campaign file would change',
    heading: 'Sending',
    load: async () => (await import('../commands/campaign/plan-make.ts')).plan,
  },
  {
    name: 'lint',
    summary: 'Lint campaign files and their messages',
    heading: 'Sending',
    load: async () => (await import('../commands/campaign/lint-files.ts')).campaignLint,
  },
  {
    name: 'next',
    summary: 'List the tasks that send next',
    heading: 'Partner',
    load: async () => (await import('../commands/next.ts')).nextTasks,
  },
  {
    name: 'rehearse',
    summary: 'Show what a campaign will do, in a copy of your account',
    heading: 'Sending',
    load: async () => (await import('../commands/rehearse/rehearse.ts')).rehearse,
  },
  {
    name: 'test',
    summary: 'Test campaigns in a copy of an account; exit 11 if a test fails',
    heading: 'Sending',
    load: async () => (await import('../commands/test/test.ts')).campaignTest,
  },
  {
    name: 'approve',
    summary: 'Approve a plan: sign it with an SSH key',
    heading: 'Sending',
    load: async () => (await import('../commands/campaign/approve.ts')).approve,
  },
  {
    name: 'apply',
    summary: 'Apply a plan or campaign file',
    heading: 'Sending',
    load: async () => (await import('../commands/campaign/apply.ts')).campaignApply,
  },
  {
    name: 'audit',
    summary: 'Compare tasks and active rules with approved plans',
    heading: 'Sending',
    load: async () => (await import('../commands/campaign/audit.ts')).audit,
  },
  {
    name: 'export',
    summary: "Write the company's messages, tasks and rules as a campaign file",
    heading: 'Sending',
    load: async () => (await import('../commands/campaign/export.ts')).campaignExport,
  },
  {
    name: 'forecast',
    summary: 'Forecast the credits that scheduled tasks will use',
    heading: 'Partner',
    load: async () => (await import('../commands/forecast.ts')).creditForecast,
  },
  {
    name: 'usage',
    summary: 'Compare the sends of a month with those of the month before',
    heading: 'Partner',
    load: async () => (await import('../commands/usage.ts')).monthlySendUsage,
  },
  {
    name: 'api',
    summary: 'Send a signed request to any path',
    heading: 'Tools',
    load: async () => (await import('../commands/api.ts')).api,
  },
  {
    name: 'log',
    summary: 'Show changes made from this machine',
    heading: 'Tools',
    load: async () => (await import('../commands/log.ts')).log,
  },
  {
    name: 'undo',
    summary: 'Undo the last change, where possible',
    heading: 'Tools',
    load: async () => (await import('../commands/undo.ts')).undo,
  },
  {
    name: 'why',
    summary: 'Show what locks a record, and until when',
    heading: 'Tools',
    load: async () => (await import('../commands/why.ts')).why,
  },
  {
    name: 'explain',
    summary: 'Explain a resource, a field or an error',
    heading: 'Tools',
    load: async () => (await import('../commands/explain.ts')).createExplainVerb(verbsOfNoun),
  },
  {
    name: 'mcp',
    summary: 'Let an AI assistant check, rehearse and plan campaigns',
    heading: 'Tools',
    load: async () => (await import('../commands/mcp.ts')).mcpVerb(() => topLevelCommandEntries),
  },
  {
    name: 'agent',
    summary: 'Prepare AI assistants to work with svc',
    heading: 'Tools',
    load: async () => (await import('../commands/agent/agent.ts')).agentGroup(() => topLevelCommandEntries),
  },
  {
    name: 'completion',
    summary: 'Install or print shell completion',
    heading: 'Tools',
    load: async () => (await import('../completion/completion.ts')).completionGroup,
  },
];

/** All top-level commands, in the order of the help. */
export const topLevelCommandEntries: readonly TopLevelCommandEntry[] = [...nouns, ...commands];

async function verbsOfNoun(noun: string): Promise<readonly Verb[]> {
  const tree = await nouns.find(({ name }) => name === noun)?.load();
  return tree !== undefined && isGroup(tree)
    ? tree.commands.filter((each): each is Verb => !isGroup(each))
    : [];
}
