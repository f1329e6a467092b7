/**
 * Contract, "Campaigns as files" and "Sends and campaigns, once more": when a plan still applies. `apply` "refuses if the observed state
 * has changed", and "Steps that an earlier run of the same plan has done count as done". From records alone.
 */
import { describe, expect, it } from 'vitest';
import {
  computeWantedMessageHash,
  computeWantedRuleHash,
  computeWantedTaskHash,
  messageIdentityOfKey,
} from '../../../src/features/campaign/content.ts';
import { computeFolderNameHash } from '../../../src/features/campaign/marks.ts';
import type { WantedItem, WantedRule } from '../../../src/features/campaign/model.ts';
import {
  type ApprovedPlan,
  collectObservedCampaignState,
  findChangesPreventingApply,
  findDifferencesFromPlan,
  messageReferences,
} from '../../../src/features/campaign/plan/continuation.ts';
import type { PlanOptions } from '../../../src/features/campaign/plan/situation.ts';
import type { JsonObject } from '../../../src/service/protocol/envelope.ts';
import {
  CANCELLED_DUPLICATE_MARK_LETTER,
  parseCampaignMark,
  REPLACED_RECORD_MARK_LETTER,
} from '../../../src/service/resources/campaign-mark.ts';
import { NOW } from '../../support/sandbox.ts';
import { email, HOUR, inWords, rule, task, text } from '../support.ts';
import {
  folder,
  folderRow,
  ITEMS,
  MADE,
  marked,
  messageRow,
  NONE,
  planOf,
  type Rows,
  ruleRow,
  sale,
  spring,
  taskRow,
  welcome,
} from './records.ts';

type Options = Partial<PlanOptions>;

function approvedOf(items: readonly WantedItem[], rows: Rows, options: Options = {}): ApprovedPlan {
  const planned = planOf(items, rows, options);
  // A plan is a file, so it is parsed again before it is applied.
  return JSON.parse(
    JSON.stringify({ observed: collectObservedCampaignState(planned), steps: planned.steps }),
  ) as ApprovedPlan;
}

const since = (items: readonly WantedItem[], then: Rows, now: Rows, options: Options = {}) =>
  findChangesPreventingApply(approvedOf(items, then, options), planOf(items, now, options));

const other = email('spring', { subject: 'Other' });
const locked = (row: JsonObject): JsonObject => ({ ...row, editable: 0, used: true });
const setAside = (row: JsonObject, item: WantedItem, content = REPLACED_RECORD_MARK_LETTER): JsonObject => ({
  ...row,
  name: marked(item, content),
  ...(item.kind === 'task' ? { cancelled: true } : { paused: true }),
});

const contentIn = (row: JsonObject | undefined) => parseCampaignMark(row?.['name'])?.mark.contentHashOrReason;

/** An item list, the records when the plan was made, and the records now. Without a sentence, the plan can be applied. */
type Row = readonly [
  name: string,
  items: readonly WantedItem[],
  then: Rows,
  now: Rows,
  expected: readonly string[],
];

// Contract: "After an interruption the next run continues at the same place: nothing is created or sent twice"; "If a
// plan was applied before: exit 0".
describe('an earlier run of the same plan', () => {
  const made = { ...MADE, emails: [locked(messageRow(spring, 1))] };
  const replaced = {
    ...MADE,
    emails: [locked(messageRow(spring, 1)), messageRow(other, 2)],
    tasks: [setAside(taskRow(sale, 1), sale), taskRow(sale, 2, { message_id: 2 })],
    rules: [setAside(ruleRow(welcome, 1), welcome), ruleRow(welcome, 2, { actiontarget: '2' })],
  };
  const items = [folder(), other, sale, welcome];
  const later = task('sale', { at: String(NOW + 30 * HOUR) });
  const slower = rule('welcome', { values: { ...welcome.values, actiontimediff: 120 } });
  it.each<Row>([
    ['has done nothing', ITEMS, NONE, NONE, []],
    ['has made the folder', ITEMS, NONE, { ...NONE, folders: MADE.folders }, []],
    ['has made the message', ITEMS, NONE, { ...NONE, folders: MADE.folders, emails: MADE.emails }, []],
    ['has made the task', ITEMS, NONE, { ...made, rules: [] }, []],
    [
      'has made the rule and not resumed it',
      ITEMS,
      NONE,
      { ...made, rules: [ruleRow(rule('welcome', { paused: true }), 1)] },
      [],
    ],
    ['has made everything', ITEMS, NONE, made, []],
    [
      'has made a rule that the file pauses',
      [spring, rule('welcome', { paused: true })],
      NONE,
      { emails: MADE.emails, rules: [ruleRow(rule('welcome', { paused: true }), 1)] },
      [],
    ],
    [
      'has made the task, which was sent',
      ITEMS,
      NONE,
      { ...made, tasks: [taskRow(sale, 1, { completed: true })] },
      [],
    ],
    ['has made a task twice', ITEMS, NONE, { ...made, tasks: [taskRow(sale, 1), taskRow(sale, 2)] }, []],
    [
      'has made a task twice, and another run withdrew one of them',
      ITEMS,
      NONE,
      {
        ...made,
        tasks: [taskRow(sale, 1), setAside(taskRow(sale, 2), sale, CANCELLED_DUPLICATE_MARK_LETTER)],
      },
      [],
    ],
    [
      'has changed the folder',
      [folder('Spring')],
      { folders: MADE.folders },
      { folders: [folderRow({ name: marked(folder('Spring'), computeFolderNameHash('Spring')) })] },
      [],
    ],
    ['has changed the message', [other], { emails: MADE.emails }, { emails: [messageRow(other, 1)] }, []],
    ['has changed the task', [spring, later], MADE, { ...MADE, tasks: [taskRow(later, 1)] }, []],
    ['has changed the rule', [spring, slower], MADE, { ...MADE, rules: [ruleRow(slower, 1)] }, []],
    [
      'has resumed a rule that a run before the plan had made',
      [spring, welcome],
      { ...MADE, rules: [ruleRow(rule('welcome', { paused: true }), 1)] },
      MADE,
      [],
    ],
    ['has made a new version', items, made, { ...made, emails: replaced.emails }, []],
    [
      'has cancelled the task and not made it again',
      items,
      made,
      { ...made, emails: replaced.emails, tasks: [setAside(taskRow(sale, 1), sale)] },
      [],
    ],
    ['has made the task again', items, made, { ...replaced, rules: MADE.rules }, []],
    ['has replaced everything', items, made, replaced, []],
  ])('%s', (_name, list, then, now, expected) => {
    expect(since(list, then, now)).toEqual(expected);
  });

  it.each<readonly [...Row, Options]>([
    [
      'has cancelled and deleted what the file no longer names',
      [],
      MADE,
      { ...NONE, tasks: [setAside(taskRow(sale, 1), sale)] },
      [],
      { prune: true },
    ],
    [
      'has cancelled one task of those that the file no longer names',
      [],
      MADE,
      { ...MADE, tasks: [setAside(taskRow(sale, 1), sale)], rules: [] },
      [],
      { prune: true },
    ],
    [
      'has overwritten a change by hand',
      [spring],
      { emails: [messageRow(spring, 1, { subject: 'By hand' })] },
      { emails: [messageRow(spring, 1)] },
      [],
      { overwrite: true },
    ],
    [
      'has made a task again that was cancelled by hand',
      [spring, sale],
      { emails: MADE.emails, tasks: [taskRow(sale, 1, { cancelled: true })] },
      { emails: MADE.emails, tasks: [taskRow(sale, 1, { cancelled: true }), taskRow(sale, 2)] },
      [],
      { overwrite: true },
    ],
    // Contract, "`renamed-from`": a crash may come between the renames of a plan.
    [
      'has renamed a task, and not yet its message',
      [
        { ...email('offer'), name: spring.name, renamedFrom: ['spring'] },
        { ...sale, key: 'autumn', message: { key: 'offer' }, renamedFrom: ['sale'] },
      ],
      { emails: [messageRow(spring, 1)], tasks: [taskRow(sale, 1)] },
      {
        emails: [messageRow(spring, 1)],
        tasks: [
          taskRow(sale, 1, {
            name: marked(
              { ...sale, key: 'autumn' },
              computeWantedTaskHash(sale, messageIdentityOfKey('offer'), Number(sale.at)),
            ),
          }),
        ],
      },
      [],
      {},
    ],
    [
      'has renamed a message, and somebody has changed the task since',
      [
        { ...email('offer'), name: spring.name, renamedFrom: ['spring'] },
        { ...sale, message: { key: 'offer' } },
      ],
      { emails: [messageRow(spring, 1)], tasks: [taskRow(sale, 1)] },
      {
        emails: [
          messageRow(spring, 1, {
            name: marked({ ...spring, key: 'offer' }, computeWantedMessageHash(spring)),
          }),
        ],
        tasks: [taskRow(sale, 1, { list_id: 2 })],
      },
      ['task sale: 1 has changed since the plan was made'],
      {},
    ],
    // Contract: "A plan is applied and gone on with whatever kinds of item it has".
    [
      'has given a record its mark',
      [spring],
      { emails: [messageRow(spring, 1, { name: 'Message spring' })] },
      { emails: [messageRow(spring, 1)] },
      [],
      { adopt: { 'message spring': '1' } },
    ],
  ])('%s', (_name, list, then, now, expected, options) => {
    expect(since(list, then, now, options)).toEqual(expected);
  });

  // The content of a rule is the same with either version of its message.
  const opened = rule('opened', {
    rule: 'open',
    values: { actiontype: 'notify', actiontarget: 'office@example.com', actiontimediff: 0 },
    references: { message_id: { key: 'spring' } },
  });
  const openRow = (message: number): JsonObject => ({
    ...ruleRow(opened, 1, { actiontarget: 'office@example.com', list_id: null, message_id: message }),
    name: marked(
      opened,
      computeWantedRuleHash(opened, { message_id: messageIdentityOfKey('spring') }, false),
    ),
  });
  const before = { emails: [locked(messageRow(spring, 1))], others: { open: [openRow(1)] } };
  const versions = [locked(messageRow(spring, 1)), messageRow(other, 2)];
  it.each<Row>([
    ['has only made the version', [other, opened], before, { ...before, emails: versions }, []],
    [
      'has pointed the rule to it',
      [other, opened],
      before,
      { emails: versions, others: { open: [openRow(2)] } },
      [],
    ],
    [
      'has not changed the rule, but someone else has',
      [other, opened],
      before,
      { ...before, others: { open: [openRow(7)] } },
      ['automation opened: open:1 has changed since the plan was made'],
    ],
  ])('that makes a version which a rule waits for: %s', (_name, list, then, now, expected) => {
    expect(since(list, then, now)).toEqual(expected);
  });
});

// Contract: "`svc apply PLAN|FILE` refuses if the observed state has changed"; "`apply` requires that every step
// equals the approved one".
describe('a change by others', () => {
  const later = task('sale', { at: String(NOW + 30 * HOUR) });
  const moved = taskRow(sale, 1, { scheduledtime: NOW + 31 * HOUR });
  const only = { emails: MADE.emails, tasks: MADE.tasks };
  it.each<Row>([
    [
      'a task that is kept was moved',
      [spring, sale],
      only,
      { ...only, tasks: [moved] },
      ['task sale: 1 has changed since the plan was made'],
    ],
    [
      'a task that is to be changed was moved',
      [spring, later],
      only,
      { ...only, tasks: [moved] },
      ['task sale: 1 has changed since the plan was made'],
    ],
    [
      'a task that is to be changed was cancelled by hand',
      [spring, later],
      only,
      { ...only, tasks: [taskRow(sale, 1, { cancelled: true })] },
      ['task sale: 1 has changed since the plan was made'],
    ],
    [
      'a task was withdrawn, and none was left',
      [spring, sale],
      { emails: MADE.emails },
      { ...only, tasks: [setAside(taskRow(sale, 1), sale, CANCELLED_DUPLICATE_MARK_LETTER)] },
      ['task sale: 1 has changed since the plan was made'],
    ],
    [
      'a task was set aside, and the one left was cancelled by hand',
      [spring, sale],
      { emails: MADE.emails },
      { ...only, tasks: [setAside(taskRow(sale, 1), sale), taskRow(sale, 2, { cancelled: true })] },
      ['task sale: 1 has changed since the plan was made'],
    ],
    [
      'a withdrawn task was sent',
      [spring, sale],
      { emails: MADE.emails },
      {
        ...only,
        tasks: [
          taskRow(sale, 1),
          { ...taskRow(sale, 2), name: marked(sale, REPLACED_RECORD_MARK_LETTER), completed: true },
        ],
      },
      ['task sale: 2 has changed since the plan was made'],
    ],
    [
      'a sent task lost its mark’s content',
      [spring, sale],
      { ...only, tasks: [taskRow(sale, 1, { completed: true }), taskRow(sale, 2)] },
      {
        ...only,
        tasks: [
          { ...taskRow(sale, 1, { completed: true }), name: marked(sale, REPLACED_RECORD_MARK_LETTER) },
          taskRow(sale, 2),
        ],
      },
      ['task sale: 1 has changed since the plan was made'],
    ],
    [
      'a record that is kept is gone',
      [spring],
      { emails: MADE.emails },
      {},
      [
        'message spring: 1 no longer exists',
        'message spring: the step in the plan is keep, but a new plan would have create',
      ],
    ],
    [
      'another record has the item’s mark',
      [folder()],
      { folders: MADE.folders },
      { folders: [folderRow(), folderRow({ id: 2 })] },
      ['folder news: 2 has changed since the plan was made'],
    ],
    [
      'a message that is to be changed is in use',
      [other],
      { emails: MADE.emails },
      { emails: [locked(messageRow(spring, 1))] },
      ['message spring: the step in the plan is change, but a new plan would have replace'],
    ],
    [
      'a message that is to be changed was changed by hand',
      [other],
      { emails: MADE.emails },
      { emails: [messageRow(spring, 1, { subject: 'By hand' })] },
      ['message spring: 1 has changed since the plan was made'],
    ],
    [
      'a new record has the item’s mark and other content',
      [spring],
      {},
      { emails: [messageRow(other, 1)] },
      ['message spring: 1 has changed since the plan was made'],
    ],
    [
      'a rule that was made was paused by hand',
      [spring, welcome],
      { emails: MADE.emails },
      { emails: MADE.emails, rules: [ruleRow(welcome, 1, { paused: true })] },
      ['automation welcome: subscription:1 has changed since the plan was made'],
    ],
    [
      'the file no longer names a record that another run made since',
      [],
      {},
      { emails: MADE.emails },
      [
        'message 1: 1 has changed since the plan was made',
        'message 1: the step in the plan is nothing, but a new plan would have orphaned',
      ],
    ],
    [
      'a record that the file no longer names is gone',
      [],
      { emails: MADE.emails },
      {},
      ['message 1: 1 no longer exists', 'message 1: a new plan would not have this step'],
    ],
    // Contract: "`apply` requires that every step equals the approved one in all members".
    [
      'the size of a task differs',
      [spring, sale],
      { ...only, tasks: [taskRow(sale, 1, { size: 3 })] },
      { ...only, tasks: [taskRow(sale, 1, { size: 4 })] },
      ['task sale: the step in this plan differs from the step in a new plan'],
    ],
  ])('%s', (_name, items, then, now, expected) => {
    expect(since(items, then, now)).toEqual(expected);
  });

  // The service itself sends a task, and a task locks its message (interface, "States and transitions").
  it.each<Row>([
    [
      'a task that is kept was sent',
      [spring, sale],
      only,
      { ...only, tasks: [taskRow(sale, 1, { completed: true })] },
      [],
    ],
    [
      'a message that is kept is in use',
      [spring],
      { emails: MADE.emails },
      { emails: [locked(messageRow(spring, 1))] },
      [],
    ],
  ])('is not attributed to the service: %s', (_name, items, then, now, expected) => {
    expect(since(items, then, now)).toEqual(expected);
  });

  // Contract: "A task that someone cancelled by hand is drift, and svc never creates it again by itself."
  it('to a task of the plan blocks it if it was cancelled by hand, and the task is never made again', () => {
    const cancelled = { ...only, tasks: [taskRow(sale, 1, { cancelled: true })] };
    expect(since([spring, sale], { emails: MADE.emails }, cancelled)).toEqual([]);
    expect(inWords(planOf([spring, sale], cancelled).steps)).toContain('blocked task sale drift');
  });

  // A blocked step does nothing, so no harm is done if its records change.
  it('to records of a blocked item does not matter while the reason for the block stays the same', () => {
    const byHand = (subject: string) => ({ emails: [messageRow(spring, 1, { subject })] });
    expect(since([spring], byHand('One'), byHand('Two'))).toEqual([]);
    expect(since([spring], byHand('One'), { emails: MADE.emails })).toEqual([]);
  });
});

// Contract: "a plan … what was observed"; a reference is "a key of the file, an id, or an exact name".
describe('a message that the file refers to and does not contain', () => {
  const seven = (more: JsonObject = {}) => ({ ...messageRow(email('x'), 7), name: 'Old', ...more });
  const byId = task('sale', { message: { id: '7' } });
  const byName = task('sale', { message: { name: 'Old' } });
  const ruleById = rule('welcome', { references: { list_id: { id: '1' }, actiontarget: { id: '7' } } });
  const sentence = (name: string) => `The message that ${name} refers to was changed or replaced`;
  it.each<Row>([
    ['is the same', [byId], { emails: [seven()] }, { emails: [seven()] }, []],
    ['is in use', [byId], { emails: [seven()] }, { emails: [locked(seven())] }, []],
    [
      'was changed',
      [byId],
      { emails: [seven()] },
      { emails: [seven({ subject: 'Changed' })] },
      [sentence('task sale message')],
    ],
    [
      'has the name, with another id',
      [byName],
      { emails: [seven()] },
      { emails: [seven({ id: 8 })] },
      [sentence('task sale message')],
    ],
    [
      'was changed, of a rule',
      [ruleById],
      { emails: [seven()] },
      { emails: [seven({ subject: 'Changed' })] },
      [sentence('automation welcome actiontarget')],
    ],
    [
      'is gone',
      [byId],
      { emails: [seven()] },
      {},
      [
        sentence('task sale message'),
        'task sale: the step in the plan is create, but a new plan would have blocked: the service has no message 7',
      ],
    ],
  ])('%s', (_name, items, then, now, expected) => {
    expect(since(items, then, now)).toEqual(expected);
  });

  it('is named with its attribute and channel', () => {
    expect(messageReferences(spring)).toEqual([]);
    expect(messageReferences(folder())).toEqual([]);
    expect(messageReferences(byId)).toEqual([['message', { id: '7' }, undefined]]);
    expect(messageReferences(task('sale', { channel: 'sms' }))).toEqual([
      ['message', { key: 'spring' }, 'sms'],
    ]);
    expect(messageReferences(ruleById)).toEqual([['actiontarget', { id: '7' }, 'email']]);
    const inbound = rule('join', {
      rule: 'sms',
      values: { keyword: 'JOIN' },
      references: { list_id: { id: '1' }, message_id: { name: 'Old' } },
    });
    expect(messageReferences(inbound)).toEqual([['message_id', { name: 'Old' }, 'sms']]);
    const adds = rule('adds', {
      values: { actiontype: 'addtolist' },
      references: { list_id: { id: '1' }, actiontarget: { id: '2' } },
    });
    expect(messageReferences(adds)).toEqual([]);
  });

  it('is in the plan with its id and content', () => {
    const { references } = collectObservedCampaignState(planOf([byId, ruleById], { emails: [seven()] }));
    expect(Object.keys(references)).toEqual(['task sale message', 'automation welcome actiontarget']);
    expect(references['task sale message']).toEqual({
      id: '7',
      content: expect.stringMatching(/^[0-9a-z]{7}$/),
    });
    expect(references['automation welcome actiontarget']).toEqual(references['task sale message']);
    expect(
      collectObservedCampaignState(planOf([spring, sale], { emails: [...MADE.emails, seven()] })).references,
    ).toEqual({});
    const inText = collectObservedCampaignState(
      planOf([task('sale', { message: { id: '3' }, channel: 'sms' })], {
        texts: [{ ...messageRow(text('x'), 3), name: 'x' }],
      }),
    );
    expect(Object.keys(inText.references)).toEqual(['task sale message']);
  });
});

// Contract: "A plan is one JSON file … It has the inputs, the observed state, the steps".
describe('the observations of a plan', () => {
  it('include each record of an item with its written content, its observed content and its state', () => {
    const content = computeWantedTaskHash(sale, messageIdentityOfKey('spring'), Number(sale.at));
    const rows = {
      emails: [locked(messageRow(other, 1)), messageRow(spring, 2)],
      tasks: [taskRow(sale, 1, { cancelled: true }), taskRow(sale, 2, { completed: true }), taskRow(sale, 3)],
    };
    const { items } = collectObservedCampaignState(planOf([spring, sale], rows));
    expect(items).toEqual({
      'message spring': [
        { id: '1', written: contentIn(rows.emails[0]), found: contentIn(rows.emails[0]), state: 'locked' },
        { id: '2', written: contentIn(rows.emails[1]), found: contentIn(rows.emails[1]), state: 'open' },
      ],
      'task sale': [
        { id: '1', written: content, found: content, state: 'cancelled' },
        { id: '2', written: content, found: content, state: 'completed' },
        { id: '3', written: content, found: content, state: 'open' },
      ],
    });
  });

  // Contract, "Sends and campaigns, once more": "`observed` has exactly the keys that a plan of these files has".
  it('include each record that a step removes or keeps, and no other record with the same id', () => {
    const { items } = collectObservedCampaignState(
      planOf([], { ...MADE, tasks: [taskRow(sale, 1, { cancelled: true })] }),
    );
    expect(Object.keys(items)).toEqual(['folder 1', 'message 1', 'automation subscription:1']);
    expect(items['automation subscription:1']).toMatchObject([{ id: 'subscription:1', state: 'open' }]);
  });

  it('show a change by hand', () => {
    const { items } = collectObservedCampaignState(
      planOf([spring], { emails: [messageRow(spring, 1, { subject: 'By hand' })] }),
    );
    const [state] = items['message spring'] ?? [];
    expect(state?.written).toBe(contentIn(MADE.emails[0]));
    expect(state?.found).toMatch(/^[0-9a-z]{7}$/);
    expect(state?.found).not.toBe(state?.written);
  });
});

// Contract: "`approve` also makes a new plan against the service, and refuses (5) if steps, sizes or observed state differ".
it('fits with the changes of a step in any order, because a plan file sorts the attributes of the campaign', () => {
  const second = email('second');
  const moved = (references: WantedRule['references']) => [spring, second, rule('welcome', { references })];
  const [list_id, actiontarget] = [{ id: '2' }, { key: 'second' }];
  const rows = { ...MADE, emails: [messageRow(spring, 1), messageRow(second, 2)] };
  const approved = approvedOf(moved({ list_id, actiontarget }), rows);
  const current = planOf(moved({ actiontarget, list_id }), rows);
  const changed = approved.steps.flatMap(({ changes = [] }) => changes.map(({ attribute }) => attribute));
  expect(changed).toEqual(['list_id', 'actiontarget']);
  expect(findChangesPreventingApply(approved, current)).toEqual([]);
  expect(findDifferencesFromPlan(approved, current)).toEqual([]);
});

describe('a plan that awaits approval', () => {
  const differences = (items: readonly WantedItem[], then: Rows, now: Rows) =>
    findDifferencesFromPlan(approvedOf(items, then), planOf(items, now));
  const seven = (subject: string) => ({
    emails: [{ ...messageRow(email('x', { subject }), 7), name: 'Old' }],
  });
  const only = { emails: MADE.emails, tasks: MADE.tasks };
  it.each<Row>([
    ['is the same', ITEMS, MADE, MADE, []],
    ['was never applied', ITEMS, NONE, NONE, []],
    [
      'whose message was made',
      [spring],
      {},
      { emails: MADE.emails },
      [
        'message spring has changed since the plan was made',
        'A new plan would differ from this plan in the step for message spring',
      ],
    ],
    [
      'whose message is in use',
      [spring],
      { emails: MADE.emails },
      { emails: [locked(messageRow(spring, 1))] },
      ['message spring has changed since the plan was made'],
    ],
    [
      'whose task has another size',
      [spring, sale],
      { ...only, tasks: [taskRow(sale, 1, { size: 3 })] },
      { ...only, tasks: [taskRow(sale, 1, { size: 4 })] },
      ['A new plan would differ from this plan in the step for task sale'],
    ],
    [
      'whose message was changed, which the file does not contain',
      [task('sale', { message: { id: '7' } })],
      seven('One'),
      seven('Two'),
      ['The message that task sale message refers to has changed since the plan was made'],
    ],
    [
      'with a record that the file no longer names',
      [],
      {},
      { emails: MADE.emails },
      [
        'message 1 has changed since the plan was made',
        'A new plan would differ from this plan in the step for message 1',
      ],
    ],
    [
      'without a record that the file no longer names',
      [],
      { emails: MADE.emails },
      {},
      [
        'message 1 has changed since the plan was made',
        'A new plan would differ from this plan in the step for message 1',
      ],
    ],
  ])('%s', (_name, items, then, now, expected) => {
    expect(differences(items, then, now)).toEqual(expected);
  });
});

/** Contract, "Sends and campaigns, once more": "`apply` does not compare that part of a reason", also of plans that an earlier version made. */
describe('the reason of a step that only --both allows', () => {
  const items = [spring, sale];
  const rival = taskRow(sale, 7, { name: 'By hand' });
  const rows: Rows = { ...NONE, emails: MADE.emails, tasks: [rival] };
  const plan = approvedOf(items, rows, { both: true });

  it.each([
    ['is missing in a plan of an earlier version', plan.steps.map(({ reason, ...step }) => step), rows],
    ['names a task that was sent since', plan.steps, { ...rows, tasks: [{ ...rival, completed: true }] }],
    [
      'names a task that was cancelled since',
      plan.steps,
      { ...rows, tasks: [{ ...rival, cancelled: true }] },
    ],
  ])('may differ: it %s', (_name, steps, now) => {
    expect(plan.steps.map(({ reason }) => reason)).toContainEqual(expect.stringContaining('--both: task 7 '));
    expect(findChangesPreventingApply({ ...plan, steps }, planOf(items, now, { both: true }))).toEqual([]);
  });

  it('may not differ in its other parts', () => {
    const steps = plan.steps.map((step) => ({ ...step, reason: `x; ${step.reason}` }));
    expect(findChangesPreventingApply({ ...plan, steps }, planOf(items, rows, { both: true }))).not.toEqual(
      [],
    );
  });

  it('is compared before somebody approves the plan', () => {
    const steps = plan.steps.map(({ reason, ...step }) => step);
    expect(findDifferencesFromPlan({ ...plan, steps }, planOf(items, rows, { both: true }))).toHaveLength(1);
  });
});
