/** Contract, "Sends and campaigns, once more": "a rule with the same trigger, action and target". Wire, "unique": the keyword of an SMS rule. */
import { describe, expect, it } from 'vitest';
import { ruleEffect } from '../../src/client/sends/same-rule.ts';

describe('the effect of a rule', () => {
  it('is the keyword alone, or trigger, action and target', () => {
    expect(ruleEffect('sms', { keyword: 'join', list_id: 1 })).toBe('keyword JOIN');
    expect(ruleEffect('open', { keyword: 'join', message_id: 1 })).toBe('["1","",""]');
    const welcome = { list_id: 'id:1', actiontype: 'email_autoresponder', actiontarget: 'key:spring' };
    expect(ruleEffect('subscription', welcome)).toBe(
      JSON.stringify(['id:1', 'email_autoresponder', 'key:spring']),
    );
    expect(ruleEffect('subscription', { list_id: null })).toBe(ruleEffect('subscription', {}));
  });
});
