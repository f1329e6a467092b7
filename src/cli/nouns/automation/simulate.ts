/** Shows what a rule would do, and when (contract, "Insight"). */
import type { Resource } from '../../../schema/resource.ts';
import type { Verb } from '../../command/command.ts';
import { textFlag } from '../../command/flag.ts';
import { readMoment } from '../../request/times.ts';
import { kindFlag, resolveRule, rulePositional } from './resolve.ts';

const atFlag = textFlag('at', {
  describe: 'When the event happens, such as "2026-12-04 18:00"; of a date rule the date itself',
  value: 'time',
  required: true,
});

export function simulateRule(kinds: readonly Resource[]): Verb {
  return {
    name: 'simulate',
    summary: 'Show what a rule would do, and when, if its event came at a given time',
    about:
      'Weekends, actionhour and clock changes count as in the sandbox, and so do rules of the lists that it adds to. ' +
      'Nothing is sent. A local time is read in --tz or the zone of the company',
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
