/** Contract, "Partners and many companies": `svc usage` counts the sends of a month, and of the month before. */
import { expect, it } from 'vitest';
import { countSends, splitUsageRowByMeasure } from '../../src/features/insight/usage.ts';
import { createUsagePageParts } from '../../src/features/insight/usage-page.ts';
import type { JsonObject } from '../../src/service/protocol/envelope.ts';
import type { TaskRecord } from '../../src/service/resources/task.ts';

const BEFORE = { month: '2026-10', start: 1000, end: 2000 };
const MONTH = { month: '2026-11', start: 2000, end: 3000 };

async function* tasks(...records: readonly JsonObject[]) {
  yield* records as readonly TaskRecord[];
}

it('counts a task in the month of its time, by its size at creation', async () => {
  const sends = await countSends(
    tasks(
      { channel: 'email', scheduledtime: 999, size: 1 },
      { channel: 'email', scheduledtime: 1000, size: 10, emailuniquebounces: 2 },
      { channel: 'sms', scheduledtime: 1999, size: 5n, smsuniquebounces: null },
      { channel: 'email', scheduledtime: 2000, size: 100, emailuniquecomplaints: 3 },
      { channel: 'email', scheduledtime: 2999, size: null },
      { channel: 'email', scheduledtime: 3000, size: 1000 },
    ),
    BEFORE,
    MONTH,
  );
  expect(sends.before).toEqual({
    email_sent: 10,
    sms_sent: 5,
    bounces: 2,
    complaints: 0,
    unsubscriptions: 0,
  });
  expect(sends.month).toEqual({
    email_sent: 100,
    sms_sent: 0,
    bounces: 0,
    complaints: 3,
    unsubscriptions: 0,
  });
  expect(sends.unsized).toBe(1);
});

it('shows the change with its sign, and none for a balance', () => {
  const lines = splitUsageRowByMeasure({
    email_sent: 12,
    email_sent_before: 10,
    sms_sent: 1,
    sms_sent_before: 4,
    email_balance: 7,
  });
  expect(lines.map(({ usage, change }) => [usage, change])).toEqual(
    expect.arrayContaining([
      ['E-mail sent', '+2'],
      ['SMS sent', '-3'],
      ['E-mail credits', null],
    ]),
  );
});

it('sums up several companies on the page, and says if some are missing', () => {
  const page = createUsagePageParts('2026-11');
  for (const company of ['A & B', 'C']) page.row({ company, company_id: 1, email_sent: 1500 });
  const { html } = page.ending(['A note.'], false);
  expect(html).toContain('All of them');
  expect(html).toContain('3,000');
  expect(html).toContain('<li>Some companies are missing');
  expect(page.row({ company: 'A & B', company_id: 1 }).html).toContain('A &#38; B');
});
