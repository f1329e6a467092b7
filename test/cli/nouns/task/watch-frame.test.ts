import { describe, expect, it } from 'vitest';
import { buildTaskReportLines } from '../../../../src/cli/nouns/task/report-words.ts';
import { estimateMaxMessagesSentSoFar } from '../../../../src/cli/nouns/task/task-words.ts';
import { formatLiveTaskLines } from '../../../../src/cli/nouns/task/watch-view.ts';
import { chooseProgressBarGlyphs, drawProgressBar, formatTimeLeft } from '../../../../src/cli/output/bar.ts';
import { loadColourPainter } from '../../../../src/cli/output/colour.ts';
import { displayWidth } from '../../../../src/kit/text/display-width.ts';
import { groupThousands } from '../../../../src/kit/text/words.ts';
import { type TaskRecord, taskPhase } from '../../../../src/service/resources/task.ts';
import { NOW } from '../../../support/sandbox.ts';

const BLOCKS = { full: '█', rest: '░' };

const EMAIL = {
  id: 12,
  name: 'Spring sale',
  channel: 'email',
  size: 10_000,
  rate: null,
  cancelled: false,
  completed: false,
  cdate: NOW - 600,
  scheduledtime: NOW + 200,
  endtime: null,
  emailuniquebounces: 0,
  emailuniqueopens: 0,
  emailuniqueclicks: 0,
  emailuniqueunsubscriptions: 0,
  emailuniquecomplaints: 0,
  smsuniquebounces: null,
} as TaskRecord;
const SENDING = {
  ...EMAIL,
  scheduledtime: NOW - 3600,
  rate: 5000,
  emailuniquebounces: 12,
  emailuniqueopens: 1204,
  emailuniqueclicks: 310,
  emailuniqueunsubscriptions: 3,
};

async function frame(record: object, { columns = 80, colour = false, glyphs = BLOCKS } = {}) {
  const paint = await loadColourPainter(colour);
  const lines = formatLiveTaskLines(record as never, { now: NOW, width: columns - 1, paint, glyphs });
  return lines.join('\n');
}

describe('a task on a terminal', () => {
  it('has the results of `task report`, in its order and with its words', async () => {
    const words = buildTaskReportLines(SENDING as never, NOW, undefined).map(({ label }) => label);
    const lines = (await frame(SENDING)).split('\n').slice(2);
    expect(lines.map((line) => line.split(' ')[0])).toEqual(words.slice(1));
    expect(words.slice(1)).toEqual(['opened', 'clicked', 'unsubscribed', 'bounced', 'complained']);
  });
  it('is drawn before its start at 80 columns', async () => {
    expect(await frame(EMAIL)).toMatchInlineSnapshot(`
      "task 12  Spring sale  e-mail to 10,000
      █████████████████░░░░░░  starts in 3 minutes 20 seconds
      opened                 0   0.00%  ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
      clicked                0   0.00%  ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
      unsubscribed           0   0.00%  ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
      bounced                0   0.00%  ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
      complained             0   0.00%  ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░"
    `);
  });
  it('is drawn with a rate at 80 columns', async () => {
    expect(await frame(SENDING)).toMatchInlineSnapshot(`
      "task 12  Spring sale  e-mail to 10,000
      ████████████░░░░░░░░░░░  about 5,001 of 10,000 sent, 59 minutes 59 seconds left
      opened             1,204  12.04%  █████░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
      clicked              310   3.10%  █░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
      unsubscribed           3   0.03%  █░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
      bounced               12   0.12%  █░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
      complained             0   0.00%  ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░"
    `);
  });
  it('is drawn with a rate at 200 columns', async () => {
    expect(await frame(SENDING, { columns: 200 })).toMatchInlineSnapshot(`
      "task 12  Spring sale  e-mail to 10,000
      ██████████████████████████████░░░░░░░░░░░░░░░░░░░░░░░░░░░░░  about 5,001 of 10,000 sent, 59 minutes 59 seconds left
      opened             1,204  12.04%  ███████░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
      clicked              310   3.10%  ██░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
      unsubscribed           3   0.03%  █░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
      bounced               12   0.12%  █░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
      complained             0   0.00%  ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░"
    `);
  });
  it('is drawn with a rate at 40 columns', async () => {
    expect(await frame(SENDING, { columns: 40 })).toMatchInlineSnapshot(`
      "task 12  Spring sale  e-mail to 10,000
      about 5,001 of 10,000 sent, 59 minutes…
      opened             1,204  12.04%
      clicked              310   3.10%
      unsubscribed           3   0.03%
      bounced               12   0.12%
      complained             0   0.00%"
    `);
  });
  it('has no bar without a rate, because its progress is unknown', async () => {
    expect(await frame({ ...SENDING, rate: null })).toMatchInlineSnapshot(`
      "task 12  Spring sale  e-mail to 10,000
      sending for 1 hour
      opened             1,204  12.04%  █████░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
      clicked              310   3.10%  █░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
      unsubscribed           3   0.03%  █░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
      bounced               12   0.12%  █░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
      complained             0   0.00%  ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░"
    `);
  });
  it('is drawn after its end if the locale is not UTF-8', async () => {
    const ascii = { full: '#', rest: '.' };
    const done = { ...SENDING, completed: true, endtime: NOW - 60 };
    expect(await frame(done, { glyphs: ascii })).toMatchInlineSnapshot(`
      "task 12  Spring sale  e-mail to 10,000
      #######################  completed after 59 minutes
      opened             1,204  12.04%  #####........................................
      clicked              310   3.10%  #............................................
      unsubscribed           3   0.03%  #............................................
      bounced               12   0.12%  #............................................
      complained             0   0.00%  ............................................."
    `);
  });
  it('is drawn for a cancelled SMS task', async () => {
    const sms = Object.fromEntries(
      Object.entries(SENDING).map(([name, value]) => [name, /^email/.test(name) ? null : value]),
    );
    expect(
      await frame({ ...sms, channel: 'sms', smsuniquebounces: 1, cancelled: true }),
    ).toMatchInlineSnapshot(`
      "task 12  Spring sale  SMS to 10,000
      cancelled
      bounced                1   0.01%  █░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░"
    `);
  });
  it('has the same text in colour, with only colour sequences added', async () => {
    const painted = await frame(SENDING, { colour: true });
    expect(painted.replace(/\x1b\[[0-9;]*m/g, '')).toBe(await frame(SENDING));
    expect(painted.split('\n')[0]).toMatchInlineSnapshot(
      `"[1mtask 12  Spring sale[22m  [2me-mail to 10,000[22m"`,
    );
  });
  it('aligns CJK and emoji of a name, and escapes control characters', async () => {
    const name = '春のセール 🌸 '.repeat(12);
    expect(await frame({ ...EMAIL, name })).toMatchInlineSnapshot(`
      "task 12  春のセール 🌸 春のセール 🌸 春のセール 🌸 春のセー…  e-mail to 10,000
      █████████████████░░░░░░  starts in 3 minutes 20 seconds
      opened                 0   0.00%  ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
      clicked                0   0.00%  ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
      unsubscribed           0   0.00%  ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
      bounced                0   0.00%  ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
      complained             0   0.00%  ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░"
    `);
    expect(await frame({ ...EMAIL, name: '\x1b[31mred\r\n' })).toContain('␛[31mred\\x0d\\x0a');
  });

  it.each([20, 40, 60, 80, 200])('has no line wider than %i columns', async (columns) => {
    for (const record of [EMAIL, SENDING, { ...SENDING, size: 123_456_789, name: '春のセール🌸'.repeat(40) }])
      for (const line of (await frame(record, { columns })).split('\n'))
        expect(displayWidth(line)).toBeLessThanOrEqual(columns - 1);
  });
});

/** A share must never look larger than it is, because the counted number is the maximum that can have been sent. */
it.each([
  [EMAIL, 'scheduled', 0],
  [{ ...EMAIL, scheduledtime: NOW }, 'sending', 10_000],
  [{ ...EMAIL, scheduledtime: NOW, rate: 3600 }, 'sending', 1],
  [{ ...EMAIL, scheduledtime: NOW - 100, rate: 3600 }, 'sending', 101],
  [{ ...EMAIL, scheduledtime: NOW - 1e6, rate: 3600 }, 'sending', 10_000],
  [{ ...EMAIL, completed: true, endtime: NOW, rate: 1 }, 'completed', 10_000],
  [{ ...EMAIL, cancelled: true, scheduledtime: NOW - 100, endtime: NOW - 50, rate: 3600 }, 'cancelled', 51],
])('shows the maximum that may have been sent: %#', (record, phase, sent) => {
  expect(taskPhase(record, NOW)).toBe(phase);
  expect(estimateMaxMessagesSentSoFar(record, NOW)).toBe(sent);
});

it.each([
  [0, '··········'],
  [0.001, '#·········'],
  [0.5, '#####·····'],
  [0.999, '#########·'],
  [1, '##########'],
  [7, '##########'],
  [-1, '··········'],
])('draws a bar of %d', (share, bar) => {
  const { full, rest } = drawProgressBar(share, 10, { full: '#', rest: '·' });
  expect(full + rest).toBe(bar);
});

it.each([
  [0, '0:00'],
  [0.2, '0:01'],
  [59.5, '1:00'],
  [582, '9:42'],
  [4182, '1:09:42'],
])('shows a countdown of %d seconds as %s', (seconds, text) => {
  expect(formatTimeLeft(seconds)).toBe(text);
});

it('groups the digits of thousands', () => {
  expect([0, 999, 1000, 1_234_567].map(groupThousands)).toEqual(['0', '999', '1,000', '1,234,567']);
});

it.each([
  [{ LANG: 'en_GB.UTF-8' }, 'linux', '█'],
  [{ LANG: 'C.utf8' }, 'linux', '█'],
  [{ LANG: 'en_GB.UTF-8', LC_ALL: 'C' }, 'linux', '#'],
  [{}, 'linux', '#'],
  [{}, 'darwin', '█'],
] as const)('%j on %s is drawn with %s', (env, platform, full) => {
  expect(chooseProgressBarGlyphs(env, platform).full).toBe(full);
});
