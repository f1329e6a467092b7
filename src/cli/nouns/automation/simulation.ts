/** Builds the output of `automation simulate`, with the same calculation as the sandbox's engine. */
import { type AutomationRule, type TimedRule, timingFault } from '../../../automations/rules.ts';
import { type Foretold, type Simulation, simulate } from '../../../automations/simulate.ts';
import type { JsonObject } from '../../../protocol/envelope.ts';
import { subscriptionAutomation } from '../../../resources/subscription-automation.ts';
import { formatTime } from '../../../text/timezone.ts';
import type { Outcome } from '../../command/command.ts';
import { CliError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import { isForPeople, pageOutcome } from '../../request/page.ts';
import type { Session } from '../../session/session.ts';
import { asRule, rulesOf } from './all-rules.ts';
import type { Rule } from './resolve.ts';
import { notDoneWords, pageOf, whyOf } from './simulate-words.ts';

export async function simulationOutcome(session: Session, found: Rule, event: number): Promise<Outcome> {
  const rule = asRule(found);
  if (rule.paused) {
    const why = `${rule.ref} is paused and would do nothing; run svc automation resume ${rule.ref} to resume it`;
    // A table without rows already says it.
    if ((await session.format()) !== 'table') await session.warn(why);
    return rowsOutcome([], why);
  }
  const zone = await session.companyZone();
  // A date may be past or near. For other kinds, the time of the event is now.
  const now = rule.kind === 'date' ? Math.floor(await session.serviceNow()) : event;
  const followUps = await subscriptionRules(session, rule);
  refuseUnreadable([rule, ...followUps]);
  const simulation = simulate(rule, { event, now, zone }, followUps);
  await tellRest(session, simulation);
  // Each company of a run over many has rows in every format.
  if ((await isForPeople(session)) && session.actsFor === undefined)
    return pageOutcome(session, pageOf(rule, simulation.rows, { event, zone }));
  return rowsOutcome(
    simulation.rows.map((row) => rowOf(row, zone, whyOf(row))),
    `${rule.ref} would do nothing.`,
  );
}

function refuseUnreadable(rules: readonly AutomationRule[]): void {
  const [fault] = rules.flatMap((rule) => timingFault(rule) ?? []);
  if (fault !== undefined)
    throw new CliError('not-ours', `cannot simulate: the service gave ${fault}`, {
      exit: EXIT.failed,
    });
}

/** Returns the rules that the rule's lists may trigger. Requests none if it adds to no list. */
async function subscriptionRules(session: Session, rule: AutomationRule): Promise<readonly TimedRule[]> {
  const adds = rule.kind === 'sms' || ['addtolist', 'copytolist', 'movetolist'].includes(rule.actiontype);
  if (!adds) return [];
  const rules = await rulesOf(session, [subscriptionAutomation], { paused: false });
  return rules.filter((each) => each.kind !== 'sms');
}

async function tellRest(session: Session, { rows, notDone, isCut }: Simulation): Promise<void> {
  for (const each of notDone) await session.info(notDoneWords(each));
  if (isCut) await session.warn(`showing only the first ${rows.length} actions; there are more`);
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
