/** Nouns: one for each resource, and `automation` for its five kinds. Their verbs are in `verbs-by-noun.ts`. */
import { catalogue, type ResourceName, sharedNouns } from '../../resources/catalogue.ts';
import type { Entry, Heading } from '../command/command.ts';

/** Heading of each resource's noun in the help. */
const HEADING_OF: Readonly<Record<ResourceName, Heading>> = {
  account: 'Partner',
  accountFeatures: 'Partner',
  user: 'Partner',
  sms: 'Sending',
  smsMessage: 'Sending',
  smsDestination: 'Sending',
  emailMessage: 'Sending',
  emailMessageLink: 'Sending',
  task: 'Sending',
  folder: 'Audience',
  doNotContact: 'Audience',
  form: 'Audience',
  subscriberProfileData: 'Audience',
  clickAutomation: 'Automation',
  openAutomation: 'Automation',
  subscriptionAutomation: 'Automation',
  dateAutomation: 'Automation',
  smsAutomation: 'Automation',
};

export const nouns: readonly Entry[] = [...new Set(catalogue.map(({ noun }) => noun))].map((name) => {
  const resources = catalogue.filter(({ noun }) => noun === name);
  const [first] = resources;
  const summary = sharedNouns[name] ?? first?.describe ?? name;
  return {
    name,
    summary,
    heading: first === undefined ? 'Tools' : HEADING_OF[first.name],
    isNoun: true,
    load: async () => {
      const { verbsOf } = await import('./verbs-by-noun.ts');
      return { name, summary, commands: await verbsOf(name, resources) };
    },
  };
});
