import { describe, expect, it } from 'vitest';
import { whatToCheck } from '../../../src/client/recovery/what-to-check.ts';
import { NEUTRAL_NAMING } from '../../../src/protocol/naming.ts';
import { account } from '../../../src/resources/account.ts';
import { clickAutomation } from '../../../src/resources/click-automation.ts';
import { sms } from '../../../src/resources/sms.ts';
import { task } from '../../../src/resources/task.ts';
import type { Resource, Values } from '../../../src/schema/resource.ts';

// Contract, "Safety": exits 10 and says what to check.
describe('what to check', () => {
  it.each<readonly [string, Resource, Values, string]>([
    [
      'the attributes marked F',
      task,
      { name: 'T', channel: 'email', message_id: 4, list_id: 7, search_id: 3 },
      'GET /base/v1/task?name=T&channel=email&message_id=4&list_id=7',
    ],
    [
      'a number as the service stores it',
      sms,
      { msisdn: '+447700900123' },
      'GET /base/v1/sms?msisdn=447700900123',
    ],
    [
      'all records without such an attribute',
      clickAutomation,
      { link_id: 1 },
      'GET /base/v1/clickAutomation',
    ],
    [
      'nothing, as the interface has no look',
      account,
      { name: 'x' },
      'with those who run the service: the interface has no look that would tell',
    ],
  ])('%s', (_name, resource, body, expected) => {
    expect(whatToCheck(resource, body, '/base', NEUTRAL_NAMING)).toBe(expected);
  });
});
