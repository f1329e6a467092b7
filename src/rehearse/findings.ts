/**
 * Finds sends that are allowed but probably unwanted: sends to one list in quick succession, at night, or at a local time that occurs
 * twice. This code is pure.
 */

import { formatDuration } from '../text/duration.ts';
import { formatTime } from '../text/timezone.ts';
import { type RehearsalFinding, type RehearsedSend, titleOf } from './rehearsal-result.ts';
import { isRepeatedLocalTime, localHourAt } from './zone.ts';

/** Local hour from which a send is reported as a send at night. */
const NIGHT_BEGINS = 21;
const NIGHT_ENDS = 8;

/**
 * Returns findings about sends at night and sends to one list too close together. Also returns findings about sends at a local time that
 * occurs twice, because daylight saving time ends.
 * @param minimumGap minimum seconds between two sends to one list
 */
export function findSendProblems(
  sends: readonly RehearsedSend[],
  { zone, apart: minimumGap }: { readonly zone: string; readonly apart: number },
): readonly RehearsalFinding[] {
  return [
    ...sends.flatMap((send) => [...nightOf(send, zone), ...clockChangeOf(send, zone)]),
    ...closeTogether(sends, minimumGap),
  ];
}

const warning = (rule: RehearsalFinding['rule'], message: string, at: string): RehearsalFinding => ({
  ...{ rule, severity: 'warning', message, at },
});

function nightOf(send: RehearsedSend, zone: string): readonly RehearsalFinding[] {
  const hour = localHourAt(send.time, zone);
  if (hour < NIGHT_BEGINS && hour >= NIGHT_ENDS) return [];
  return [
    warning('night', `${titleOf(send)} is sent at night, at ${send.local.slice(-5)} in ${zone}`, send.local),
  ];
}

function clockChangeOf(send: RehearsedSend, zone: string): readonly RehearsalFinding[] {
  if (!isRepeatedLocalTime(send.time, zone)) return [];
  const long = formatTime(send.time, zone, 'long');
  return [
    warning(
      'clock-change',
      `${titleOf(send)}: ${send.local} exists twice, because the clocks go back; the message is sent at ${long}`,
      send.local,
    ),
  ];
}

function closeTogether(sends: readonly RehearsedSend[], apart: number): readonly RehearsalFinding[] {
  const findings: RehearsalFinding[] = [];
  const last = new Map<string, RehearsedSend>();
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
