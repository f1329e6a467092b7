import { beforeEach, describe, expect, it } from 'vitest';
import { resolveLinkDestination } from '../../../src/sandbox/http/tracking.ts';
import { putEmail, putSubscriber } from '../../support/messages.ts';
import { createTestSandbox, IDS, type TestSandbox } from '../../support/sandbox.ts';

let sandbox: TestSandbox;
beforeEach(async () => {
  sandbox = await createTestSandbox();
  const subscriber_id = await putSubscriber(sandbox, [], { email: 'ann@example.com' });
  const field_id = await sandbox.put('profile_field', { account_id: IDS.company, name: 'City' });
  await sandbox.put('profile_data', { account_id: IDS.company, field_id, subscriber_id, value: 'a&b=c /' });
});

const goesTo = async (target: string, galinkdata = 0, subscriberId: number | null = 1) => {
  const message_id = await putEmail(sandbox, { galinkdata, name: 'Spring sale' });
  const link = { account_id: IDS.company, message_id, target };
  return resolveLinkDestination(sandbox.service.store.db, link, subscriberId);
};

describe('the destination of a click', () => {
  it.each([
    ['https://a.example/x?y=1#z', 'https://a.example/x?y=1#z'],
    [
      'https://a.example/?c={{ field.City }}&e={{ email }}',
      'https://a.example/?c=a%26b%3Dc%20%2F&e=ann%40example.com',
    ],
    ['javascript:alert(1)', undefined],
    ['https://', undefined],
  ])('%s', async (target, expected) => expect(await goesTo(target)).toBe(expected));

  it('has no data of an unknown reader', async () => {
    expect(await goesTo('https://a.example/?c={{ field.City | none }}', 0, null)).toBe(
      'https://a.example/?c=none',
    );
  });

  it('"Add utm_ data to tracked links": galinkdata, if the link has none of its own', async () => {
    expect(await goesTo('https://a.example/?utm_source=own', 1)).toBe(
      'https://a.example/?utm_source=own&utm_medium=email&utm_campaign=Spring+sale',
    );
  });
});
