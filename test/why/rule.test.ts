/** Interface, "States and transitions": a paused rule becomes active if "all dependent resources exist". */
import { expect, it } from 'vitest';
import {
  explainWhetherRuleCanResume,
  type RuleDependency,
  ruleDependencies,
} from '../../src/features/insight/why-rule.ts';
import { clickAutomation } from '../../src/service/resources/timed-automations.ts';

const rule = { id: 3, name: 'Welcome', paused: true, link_id: 9, list_id: 4 };
const autoresponder = { ...rule, actiontype: 'email_autoresponder', actiontarget: '12' };

it('depends on its references, and on the target of its action', () => {
  expect(ruleDependencies(clickAutomation, autoresponder)).toContainEqual({
    ...{ attribute: 'actiontarget', resource: 'emailMessage', id: 12 },
  });
  expect(
    ruleDependencies(clickAutomation, { ...rule, actiontype: 'notify', actiontarget: 'a@example.com' }),
  ).toEqual(ruleDependencies(clickAutomation, rule));
});

it('is free while it is active, and needs no request', async () => {
  const answer = await explainWhetherRuleCanResume(clickAutomation, { ...rule, paused: false }, async () => {
    throw new Error('no request was expected');
  });
  expect(answer).toMatchObject({ locked: false, by: [] });
});

it.each([
  ['locked', true, { missing: 1, unknown: 1 }],
  ['uncertain', null, { missing: 0, unknown: 1 }],
  ['free', false, { missing: 0, unknown: 0 }],
])('that is paused is %s', async (_, locked, { missing, unknown }) => {
  const part: RuleDependency = { attribute: 'list_id', resource: 'list', id: 4 };
  const answer = await explainWhetherRuleCanResume(clickAutomation, rule, async () => ({
    missing: Array(missing).fill(part),
    unknown: Array(unknown).fill(part),
  }));
  expect(answer.locked).toBe(locked);
  expect(answer.by).toHaveLength(locked === null ? unknown : missing);
});
