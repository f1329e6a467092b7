/** Contract, "The everyday screen": each write of `sandbox …` prints one line, too. A command that moves the clock says what was sent. */
import { expect, it } from 'vitest';
import { describeSandboxWrite } from '../../../../src/cli/commands/sandbox/control-verb.ts';

const NOON = Date.UTC(2026, 10, 24, 12) / 1000;
const sent = { id: 5, name: 'Spring', channel: 'email', sent: 443, skipped: 4, completed: true };

it.each([
  ['list create', { id: 3, name: 'News' }, 'Created list 3 "News".'],
  ['list delete', { id: 3 }, 'Deleted list 3.'],
  ['destination create', { id: 1, destination: '447700900771' }, 'Created destination 1 "447700900771".'],
  ['credits set', { id: 1, email: 5000, sms: null }, 'Set credits: email 5000.'],
  ['sender add', { email: 'a@example.com' }, 'Added sender: email a@example.com.'],
  ['clock advance', { time: NOON, done: 0, tasks: [] }, 'Clock: Tue 2026-11-24 12:00 UTC. Nothing was due.'],
  ['clock run', { time: NOON, done: 1, tasks: [] }, 'Clock: Tue 2026-11-24 12:00 UTC. 1 step done.'],
  [
    'clock advance',
    { time: NOON, done: 1, tasks: [sent] },
    'Clock: Tue 2026-11-24 12:00 UTC. Task 5 "Spring": sent to 443, 4 left out.',
  ],
  [
    'clock set',
    {
      time: NOON,
      done: 2,
      tasks: [
        { ...sent, skipped: 0 },
        { ...sent, id: 6, name: '' },
      ],
    },
    'Clock: Tue 2026-11-24 12:00 UTC. Task 5 "Spring": sent to 443. Task 6: sent to 443, 4 left out.',
  ],
] as const)('%s', (name, data, said) => {
  expect(
    describeSandboxWrite(name, { ...data, ...('tasks' in data ? { tasks: [...data.tasks] } : {}) }, 'UTC'),
  ).toBe(said);
});

it.each(['clock show', 'token create'] as const)('%s shows its record', (name) => {
  expect(describeSandboxWrite(name, { id: 1, token: 'x' }, 'UTC')).toBeUndefined();
});
