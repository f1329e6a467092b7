/** Shows what a rule would do, and when (contract, "Insight"). */
import type { Resource } from '../../../schema/resource.ts';
import type { Verb } from '../../command/command.ts';
import { textFlag } from '../../command/flag.ts';
import { readMoment } from '../../request/times.ts';
import { kindFlag, resolveRule, rulePositional } from './resolve.ts';

const atFlag = textFlag('at', {
  describe: 'Time of the event, such as "2026-12-04 18:00"; for a date rule, the date',
  value: 'time',
  required: true,
});

export function simulateRule(kinds: readonly Resource[]): Verb {
  return {
    name: 'simulate',
    summary: 'Show what a rule would do for an event at a given time',
    about:
      'Follows the same rules for weekends, actionhour and clock changes as the sandbox, and includes the rules of ' +
      "lists that the action adds to. Sends nothing. Reads local times in --tz or the company's zone",
    work: 'finds',
    section: 'Events',
    example: 'automation simulate click:1 --at "2026-12-04 18:00"',
    positionals: [rulePositional],
    flags: [kindFlag(kinds), atFlag],
    companies: 'reads',
    run: async (session, input) => {
      const at = await readMoment(session, 'at', input.get(atFlag));
      const rule = await resolveRule(session, kinds, input);
      const { simulationOutcome } = await import('./simulation.ts');
      return simulationOutcome(session, rule, await at());
    },
  };
}
