/** What happened to the steps of sequences, read from the tables of the service, and what a rehearsal says of them. */

import type { RehearsalResult } from '../../src/features/rehearse/rehearsal-result.ts';
import type { SqlRow } from '../../src/sandbox/store/rows.ts';
import type { TestSandbox } from '../support/sandbox.ts';

export interface StepDay {
  /** Unix seconds of the first and the last message. */
  readonly first: number;
  readonly last: number;
  readonly sent: number;
}

/** Returns the messages of each step on each local day, such as `Welcome 1 2026-12-04`. Reads the names of rules. */
export async function stepsIn(
  sandbox: TestSandbox,
  zone: string,
): Promise<Readonly<Record<string, StepDay>>> {
  const deliveries = await sandbox.rows('delivery');
  const stepOf = await stepsByRule(sandbox);
  const format = new Intl.DateTimeFormat('en-CA', { timeZone: zone });
  const found = new Map<string, StepDay>();
  for (const row of deliveries) {
    const step = row['cause'] === 'rule' ? stepOf(row['rule_kind'], row['cause_id']) : undefined;
    if (step === undefined) continue;
    const time = Number(row['time']);
    const key = `${step} ${format.format(time * 1000)}`;
    const known = found.get(key) ?? { first: time, last: time, sent: 0 };
    found.set(key, {
      first: Math.min(known.first, time),
      last: Math.max(known.last, time),
      sent: known.sent + 1,
    });
  }
  return Object.fromEntries(found);
}

/** Returns how many people wait for each step that somebody waits for, such as `Welcome 1`. */
export async function stepsWaitedForIn(sandbox: TestSandbox): Promise<Readonly<Record<string, number>>> {
  const stepOf = await stepsByRule(sandbox);
  const found: Record<string, number> = {};
  for (const row of await sandbox.rows('queued_action')) {
    const step = stepOf(row['rule_kind'], row['rule_id']);
    if (step !== undefined) found[step] = (found[step] ?? 0) + 1;
  }
  return found;
}

async function stepsByRule(sandbox: TestSandbox) {
  const rules: readonly SqlRow[] = await sandbox.rows('subscription_automation');
  return (kind: unknown, id: unknown): string | undefined => {
    if (kind !== 'subscription') return undefined;
    const name = String(rules.find((row) => row['id'] === id)?.['name']);
    const [, sequence, step] = /^(.+), step ([0-9]+) \[svc-/.exec(name) ?? [];
    return step === undefined ? undefined : `${sequence} ${step}`;
  };
}

export const stepsOf = ({ sequences }: RehearsalResult): Readonly<Record<string, StepDay>> =>
  Object.fromEntries(
    sequences.flatMap(({ name, steps }) =>
      steps.flatMap(({ key, days }) =>
        days.map(({ day, first, last, sent }) => [`${name} ${key} ${day}`, { first, last, sent }]),
      ),
    ),
  );

export const stepsWaitedForOf = ({ sequences }: RehearsalResult): Readonly<Record<string, number>> =>
  Object.fromEntries(
    sequences.flatMap(({ name, steps }) =>
      steps.flatMap(({ key, queued }) => (queued > 0 ? [[`${name} ${key}`, queued] as const] : [])),
    ),
  );
