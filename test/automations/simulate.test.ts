/** Contract, "Insight": the effects of a rule, and the rules that it triggers, if its event happened at a given moment. */
import { describe, expect, it } from 'vitest';
import { readRule, type TimedRule } from '../../src/service/automations/rules.ts';
import { MAX_PREDICTED_ACTIONS, predictRuleActions } from '../../src/service/automations/simulate.ts';
import type { JsonObject } from '../../src/service/protocol/json.ts';

const NOW = 1_796_115_600;
const MOMENT = { event: NOW, now: NOW, zone: 'UTC' };

const onList = (
  id: number,
  list: number,
  actiontype: string,
  target: string,
  more: JsonObject = {},
): TimedRule =>
  readRule('subscription', { id, list_id: list, actiontype, actiontarget: target, ...more }) as TimedRule;
const notify = (id: number, list: number, more: JsonObject = {}) =>
  onList(id, list, 'notify', `r${id}`, more);

const foretold = (rule: Parameters<typeof predictRuleActions>[0], rules: readonly TimedRule[] = []) => {
  const { rows, skippedActions, hasMoreActions } = predictRuleActions(rule, MOMENT, rules);
  const lines = rows.map(({ time, rule: { ref }, action, target, isFollowUp, needsEmail, stoppedCycles }) =>
    [
      `+${time - NOW} ${ref} ${action} ${target}`,
      isFollowUp ? 'follows' : '',
      needsEmail ? 'needs an address' : '',
      ...stoppedCycles.map((round) => `round ${round.join('>')}`),
    ]
      .filter(Boolean)
      .join(', '),
  );
  return {
    lines,
    skippedActions: skippedActions.map(({ time, rule, list }) => `+${time - NOW} ${rule.ref} ${list}`),
    hasMoreActions,
  };
};
const linesOf = (...args: Parameters<typeof foretold>) => foretold(...args).lines;

describe('a rule by itself', () => {
  it('acts once, at the time of its event and offset, with its timing', () => {
    const rule = readRule('open', {
      id: 1,
      message_id: 3,
      actiontype: 'notify',
      actiontarget: 'a',
      actiontimediff: 90,
    });
    expect(predictRuleActions(rule, MOMENT, [])).toEqual({
      rows: [
        {
          time: NOW + 90,
          rule,
          action: 'notify',
          target: 'a',
          due: {
            timing: { ...MOMENT, offset: 90, hour: null, onWeekend: true },
            plan: {
              time: NOW + 90,
              isPast: false,
              skippedDays: [],
              occurrence: undefined,
              postponedFrom: undefined,
            },
          },
          needsEmail: false,
          isFollowUp: false,
          stoppedCycles: [],
        },
      ],
      skippedActions: [],
      hasMoreActions: false,
    });
  });
});

describe('the rules that a change of lists triggers', () => {
  it('follows, from the time of that action', () => {
    const first = onList(1, 1, 'copytolist', '2', { actiontimediff: 60 });
    const second = notify(2, 2, { actiontimediff: 60 });
    // Interface, "Per-kind differences": minutes for a subscription rule.
    const seconds = 60 * 60;
    expect(linesOf(first, [first, second])).toEqual([
      `+${seconds} subscription:1 copytolist 2`,
      `+${2 * seconds} subscription:2 notify r2, follows`,
    ]);
  });

  it('is ordered by time, and equal times by the order of the rules', () => {
    const first = onList(1, 1, 'copytolist', '2');
    const rules = [
      notify(2, 2, { actiontimediff: 5 }),
      notify(3, 2),
      notify(4, 2),
      notify(5, 2, { actiontimediff: 1 }),
    ];
    expect(linesOf(first, rules).map((line) => line.split(' ')[1])).toEqual(
      [1, 3, 4, 5, 2].map((id) => `subscription:${id}`),
    );
  });

  it('excludes a paused rule, another list, and a list that the person is already on', () => {
    const first = onList(1, 1, 'copytolist', '2');
    expect(linesOf(first, [notify(2, 2, { paused: true }), notify(3, 3)])).toHaveLength(1);
    expect(linesOf(onList(1, 1, 'copytolist', '1'), [notify(2, 1)])).toEqual([
      '+0 subscription:1 copytolist 1',
    ]);
  });

  it('triggers again for a person who left in between', () => {
    const rules = [onList(1, 1, 'movetolist', '2'), onList(2, 2, 'copytolist', '1'), notify(3, 1)];
    expect(linesOf(rules[0] as TimedRule, rules)).toEqual([
      '+0 subscription:1 movetolist 2',
      '+0 subscription:2 copytolist 1, follows, round subscription:1>subscription:2>subscription:1',
      '+0 subscription:3 notify r3, follows',
    ]);
  });

  it('excludes removals', () => {
    expect(linesOf(onList(1, 1, 'removefromlist', ''), [notify(2, 1), notify(3, 2)])).toEqual([
      '+0 subscription:1 removefromlist ',
    ]);
  });

  it('excludes a person who left the list before', () => {
    const start = onList(1, 1, 'copytolist', '2');
    const rules = [onList(2, 2, 'movetolist', '3'), onList(3, 2, 'copytolist', '4', { actiontimediff: 1 })];
    const { lines, skippedActions } = foretold(start, rules);
    expect(lines.map((line) => line.split(',')[0])).toEqual([
      '+0 subscription:1 copytolist 2',
      '+0 subscription:2 movetolist 3',
    ]);
    expect(skippedActions).toEqual([expect.stringMatching(/^\+[0-9]+ subscription:3 2$/)]);
  });

  it('includes a rule without a list, because a click may add to one', () => {
    const click = readRule('click', { id: 1, message_id: 3, actiontype: 'addtolist', actiontarget: '2' });
    expect(linesOf(click, [notify(2, 2)])).toEqual([
      '+0 click:1 addtolist 2',
      '+0 subscription:2 notify r2, follows',
    ]);
  });
});

describe('an inbound SMS', () => {
  const full = {
    ...{ id: 1, list_id: 1, email_list_id: 2, message_id: 5, message_actiontimediff: 60 },
    ...{ notifymsisdn: '447700900123', notifyemail: 'a@example.com', notifyurl: 'https://example.com' },
  };
  it('adds the sender, forwards, answers, and triggers the rules of the lists', () => {
    expect(linesOf(readRule('sms', full), [notify(2, 1), notify(3, 2)])).toEqual([
      '+0 sms:1 addtolist 1',
      '+0 sms:1 addtolist 2, needs an address',
      '+0 sms:1 notifymsisdn 447700900123',
      '+0 sms:1 notifyemail a@example.com',
      '+0 sms:1 notifyurl https://example.com',
      '+0 subscription:2 notify r2, follows',
      '+0 subscription:3 notify r3, follows, needs an address',
      '+60 sms:1 sms_autoresponder 5',
    ]);
  });

  it('only adds the sender if the rule has a list alone', () => {
    const { rows } = predictRuleActions(readRule('sms', { id: 1, list_id: 1 }), MOMENT, []);
    expect(rows).toEqual([
      expect.objectContaining({
        time: NOW,
        action: 'addtolist',
        target: '1',
        due: undefined,
        isFollowUp: false,
      }),
    ]);
  });

  it('treats the sender and the address in the text as two people, who join lists separately', () => {
    const both = readRule('sms', { id: 1, list_id: 1, email_list_id: 1 });
    expect(linesOf(both, [notify(2, 1)])).toEqual([
      '+0 sms:1 addtolist 1',
      '+0 sms:1 addtolist 1, needs an address',
      '+0 subscription:2 notify r2, follows',
      '+0 subscription:2 notify r2, follows, needs an address',
    ]);
  });
});

describe('too many actions', () => {
  const start = onList(0, 1, 'copytolist', '2');
  const some = (count: number) => Array.from({ length: count }, (_, at) => notify(at + 1, 2));
  it.each([
    ['exactly the maximum', MAX_PREDICTED_ACTIONS - 1, MAX_PREDICTED_ACTIONS, false],
    ['one more than the maximum', MAX_PREDICTED_ACTIONS, MAX_PREDICTED_ACTIONS, true],
  ])('%s', (_name, rules, rows, hasMoreActions) => {
    const found = foretold(start, some(rules));
    expect([found.lines.length, found.hasMoreActions]).toEqual([rows, hasMoreActions]);
  });
});
