/** Shows how lists, rules and messages trigger each other (contract, "Insight"). */
import type { Resource } from '../../../schema/resource.ts';
import type { Verb } from '../../command/command.ts';
import { choiceFlag, switchFlag } from '../../command/flag.ts';

const formatFlag = choiceFlag('format', ['text', 'mermaid', 'json'], { describe: 'Format of the graph' });
const checkFlag = switchFlag('check', { describe: 'Exit 11 where rules set each other off for ever' });

export function ruleGraphVerb(kinds: readonly Resource[]): Verb {
  return {
    name: 'graph',
    summary: 'Show which rules what sets off, and how they set off each other',
    about:
      'Lists, rules and messages, with loops marked: rules that put subscribers on the lists of each other, or answer with a ' +
      'message that sets them off. One with a paused rule is shown, and does not count for --check',
    example: 'automation graph --format mermaid',
    flags: [formatFlag, checkFlag],
    companies: 'reads',
    run: async (session, input) => {
      const { graphOutcome } = await import('./graph-outcome.ts');
      return graphOutcome(session, kinds, { format: input.get(formatFlag), check: input.get(checkFlag) });
    },
  };
}
