/** The nouns: one for each resource, and `automation` for its five kinds. Their verbs stand in `verbs-by-noun.ts`. */
import { catalogue, sharedNouns } from '../../resources/catalogue.ts';
import type { Entry } from '../command/command.ts';

export const nouns: readonly Entry[] = [...new Set(catalogue.map(({ noun }) => noun))].map((name) => {
  const resources = catalogue.filter(({ noun }) => noun === name);
  const summary = sharedNouns[name] ?? resources[0]?.describe ?? name;
  return {
    name,
    summary,
    heading: 'Nouns',
    load: async () => {
      const { verbsOf } = await import('./verbs-by-noun.ts');
      return { name, summary, commands: await verbsOf(name, resources) };
    },
  };
});
