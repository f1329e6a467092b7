/**
 * Lists the nouns of the command line: one for each resource, and `automation` for all kinds of rule. `verbs-by-noun.ts` has their verbs.
 */
import { catalogue, multiResourceNounDescriptions, type ResourceName } from '../../resources/catalogue.ts';
import type { RuleKind } from '../../resources/rule-kinds.ts';
import type { Group, Heading, TopLevelCommandEntry } from '../command/command.ts';

/** Heading under which help lists the noun of each resource. Automation rules have their own heading. */
const HEADING_OF: Readonly<Record<Exclude<ResourceName, `${RuleKind}Automation`>, Heading>> = {
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
};

const headingOf = (name: ResourceName): Heading =>
  Object.hasOwn(HEADING_OF, name) ? HEADING_OF[name as keyof typeof HEADING_OF] : 'Automation';

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
    // `svc mcp` runs many commands in one process. They share the tree.
    let tree: Promise<Group> | undefined;
    return {
      name,
      summary,
      heading: first === undefined ? 'Tools' : headingOf(first.name),
      isNoun: true,
      load: () => {
        tree ??= makeTree();
        return tree;
      },
    };
  },
);
