/** Finds sends that are allowed but probably unwanted: too close together, at night, or at a clock change. This code is pure. */

import { formatDuration } from '../text/duration.ts';
import { formatTime } from '../text/timezone.ts';
import { type Finding, type Send, titleOf } from './story.ts';
import { hourAt, isRepeated } from './zone.ts';

/** Local hour from which a send counts as at night. */
const NIGHT_BEGINS = 21;
const NIGHT_ENDS = 8;

/** @param apart least seconds between two sends to one list */
export function sendFindings(
  sends: readonly Send[],
  { zone, apart }: { readonly zone: string; readonly apart: number },
): readonly Finding[] {
  return [
    ...sends.flatMap((send) => [...nightOf(send, zone), ...clockChangeOf(send, zone)]),
    ...closeTogether(sends, apart),
  ];
}

const warning = (rule: Finding['rule'], message: string, at: string): Finding => ({
  ...{ rule, severity: 'warning', message, at },
});

function nightOf(send: Send, zone: string): readonly Finding[] {
  const hour = hourAt(send.time, zone);
  if (hour < NIGHT_BEGINS && hour >= NIGHT_ENDS) return [];
  return [
    warning('night', `${titleOf(send)} is sent at night, at ${send.local.slice(-5)} in ${zone}`, send.local),
  ];
}

function clockChangeOf(send: Send, zone: string): readonly Finding[] {
  if (!isRepeated(send.time, zone)) return [];
  const long = formatTime(send.time, zone, 'long');
  return [
    warning(
      'clock-change',
      `${titleOf(send)}: ${send.local} exists twice, because the clocks go back; it is sent at ${long}`,
      send.local,
    ),
  ];
}

function closeTogether(sends: readonly Send[], apart: number): readonly Finding[] {
  const findings: Finding[] = [];
  const last = new Map<string, Send>();
  for (const send of [...sends].sort((a, b) => a.time - b.time)) {
    if (send.list === null && send.search === null) continue;
    const audience = send.list === null ? `search ${send.search ?? ''}` : `list ${send.list}`;
    const before = last.get(`${send.channel} ${audience}`);
    last.set(`${send.channel} ${audience}`, send);
    if (!before || send.time - before.time >= apart) continue;
    const gap =
      send.time === before.time ? 'at the same time as' : `${formatDuration(send.time - before.time)} after`;
    findings.push(
      warning('too-close', `${titleOf(send)} goes to ${audience} ${gap} ${titleOf(before)}`, send.local),
    );
  }
  return findings;
}
