/** What a rule would do, and when: by the calculation that the sandbox's engine runs on (contract, "Insight"). */
import type { AutomationRule, TimedRule } from '../../../automations/rules.ts';
import type { Foretold, Simulation } from '../../../automations/simulate.ts';
import type { JsonObject } from '../../../protocol/envelope.ts';
import type { RuleKind } from '../../../resources/automation.ts';
import { subscriptionAutomation } from '../../../resources/subscription-automation.ts';
import type { Resource } from '../../../schema/resource.ts';
import { formatTime } from '../../../text/timezone.ts';
import type { Input, Outcome, Verb } from '../../command/command.ts';
import { textFlag } from '../../command/flag.ts';
import { CliError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import { isForPeople, pageOutcome } from '../../request/page.ts';
import { readMoment } from '../../request/times.ts';
import type { Session } from '../../session/session.ts';
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
    run: (session, input) => simulated(session, kinds, input),
  };
}

async function simulated(session: Session, kinds: readonly Resource[], input: Input): Promise<Outcome> {
  const at = await readMoment(session, 'at', input.get(atFlag));
  const { resource, record } = await resolveRule(session, kinds, input);
  const { actionHourOf, readRule } = await import('../../../automations/rules.ts');
  const rule = readRule(resource.variant as RuleKind, record);
  const event = await at();
  if (rule.paused) {
    const why = `${rule.ref} is paused: nothing would happen; svc automation resume ${rule.ref} changes that`;
    // A table without rows says it by itself.
    if ((await session.format()) !== 'table') await session.warn(why);
    return rowsOutcome([], why);
  }
  const hour = actionHourOf(rule);
  const { parseActionHour } = await import('../../../text/hour.ts');
  if (hour !== null && parseActionHour(hour) === undefined)
    throw new CliError('not-ours', `the service gives ${rule.ref} the hour ${hour}, which is not HH:00:00`, {
      exit: EXIT.failed,
    });
  const zone = await session.companyZone();
  // A date may be past, or near; nothing else is known before it happens.
  const now = rule.kind === 'date' ? Math.floor(await session.serviceNow()) : event;
  const { simulate } = await import('../../../automations/simulate.ts');
  const followUps = await subscriptionRules(session, rule);
  const simulation = simulate(rule, { event, now, zone }, followUps);
  const words = await import('./simulate-words.ts');
  await tellRest(session, simulation, words);
  // Of many companies each has rows, in every format.
  if ((await isForPeople(session)) && session.actsFor === undefined)
    return pageOutcome(session, words.pageOf(rule, simulation.rows, { event, zone }));
  return rowsOutcome(
    simulation.rows.map((row) => rowOf(row, zone, words.whyOf(row))),
    `${rule.ref} would do nothing.`,
  );
}

/** The rules that its lists may set off; none are asked for where it adds to no list. */
async function subscriptionRules(session: Session, rule: AutomationRule): Promise<readonly TimedRule[]> {
  const adds = rule.kind === 'sms' || ['addtolist', 'copytolist', 'movetolist'].includes(rule.actiontype);
  if (!adds) return [];
  const { readRule } = await import('../../../automations/rules.ts');
  const client = await session.client();
  const found: TimedRule[] = [];
  for await (const record of client.list(subscriptionAutomation, { filters: { paused: false } })) {
    const read = readRule('subscription', record);
    if (read.kind !== 'sms') found.push(read);
  }
  return found;
}

async function tellRest(
  session: Session,
  { rows, notDone, isCut }: Simulation,
  { notDoneWords }: typeof import('./simulate-words.ts'),
): Promise<void> {
  for (const each of notDone) await session.info(notDoneWords(each));
  if (isCut) await session.warn(`only the first ${rows.length} actions are shown; there are more`);
}

const rowOf = ({ time, action, target }: Foretold, zone: string, why: string): JsonObject => ({
  time,
  local: formatTime(time, zone, 'table'),
  action,
  target,
  why,
});

function rowsOutcome(rows: readonly JsonObject[], empty: string): Outcome {
  const columns = ['local', 'action', 'target', 'why'].map((name) => ({ name }));
  return {
    result: {
      kind: 'rows',
      rows,
      columns,
      attributes: [{ name: 'time', kind: 'number' }, ...columns],
      empty,
    },
  };
}
