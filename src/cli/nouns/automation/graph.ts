/** Shows how lists, rules and messages trigger each other (contract, "Insight"). */
import type { Resource } from '../../../schema/resource.ts';
import type { Verb } from '../../command/command.ts';
import { choiceFlag, switchFlag } from '../../command/flag.ts';

const formatFlag = choiceFlag('format', ['text', 'mermaid', 'json'], { describe: 'Format of the graph' });
const checkFlag = switchFlag('check', {
  describe: 'Exit with 11 if rules trigger each other in an endless loop',
});

export function ruleGraphVerb(kinds: readonly Resource[]): Verb {
  return {
    name: 'graph',
    summary: 'Show what triggers each rule, and which rules trigger each other',
    about:
      "Shows lists, rules and messages, and marks loops: rules that subscribe people to each other's lists, or send a " +
      'message that triggers them again. --check ignores loops with a paused rule',
    work: 'reads',
    exits: { 11: 'there is a loop, with --check' },
    section: 'Events',
    example: 'automation graph --format mermaid',
    flags: [formatFlag, checkFlag],
    companies: 'reads',
    run: async (session, input) => {
      const { graphOutcome } = await import('./graph-outcome.ts');
      return graphOutcome(session, kinds, { format: input.get(formatFlag), check: input.get(checkFlag) });
    },
  };
}
