/**
 * Contract, "Sends and campaigns, once more": "The same message to the same list at the same time under another key or campaign blocks too,
 * unless `--both` is given." "The same message" is the same content (subject, sender, texts) "whatever record or campaign holds it; without
 * `--both` the second send to that list at that minute is blocked". From records alone.
 */
import { describe, expect, it } from 'vitest';
import type { Step, WantedItem } from '../../../src/features/campaign/model.ts';
import { planCampaign } from '../../../src/features/campaign/plan/plan.ts';
import type { PlanOptions } from '../../../src/features/campaign/plan/situation.ts';
import type { JsonObject } from '../../../src/service/protocol/envelope.ts';
import { NOW } from '../../support/sandbox.ts';
import { email, HOUR, task, text } from '../support.ts';
import { MADE, marked, messageRow, planOf, type Rows, sale, spring, stepsOf, taskRow } from './records.ts';

type Options = Partial<PlanOptions>;

const DUE = NOW + 24 * HOUR;
const { emails } = MADE;
const SAME = 'sends the same message to the same recipients at the same time';

/** Returns the step of the task `sale`. */
const stepOf = (rows: Rows, options: Options = {}, item: WantedItem = sale, message: WantedItem = spring) =>
  stepsOf([message, item], { emails, ...rows }, options).find(({ key }) => key === item.key);
const blocked = (reason: string, more: Partial<Step> = {}) => ({
  ...{ kind: 'task', key: 'sale', name: 'Task sale', action: 'blocked', blockedBy: 'state', time: DUE },
  reason,
  ...more,
});
const create = {
  ...{ kind: 'task', key: 'sale', name: 'Task sale', action: 'create', time: DUE, size: null, credits: null },
};
/** Contract, "Sends and campaigns, once more": the reason of a step that only `--both` allows names the other task and the people. */
const allowed = (says: string): string =>
  `--both: ${says} ${SAME} (to list 1 at Wed 2026-12-02 09:00 Europe/London)`;

type Row = readonly [name: string, rows: Rows, options: Options, expected: object];

describe('a task of another campaign', () => {
  const theirs = (more: JsonObject = {}, rest: Rows = {}): Rows => ({
    ...rest,
    tasks: [taskRow(sale, 7, { name: marked(sale, 'aaaaaaa', 'Autumn'), ...more })],
  });
  const another = blocked(`task 7 of another campaign ${SAME}: cancel it, or use --both to send both`);
  const copy = (subject: string): JsonObject => ({ ...messageRow(email('x', { subject }), 4), name: 'Copy' });
  /** Each campaign makes messages of its own. */
  const withCopy = (more: JsonObject): Rows =>
    theirs({ message_id: 4, ...more }, { emails: [...emails, copy('Hello')] });
  // "An earlier file": the task had the mark of this campaign, as its message still has.
  const ofNewerFile = (says: string): object =>
    blocked(
      expect.stringMatching(
        new RegExp(`^task 7 of another campaign ${says} the message of this item to list 1 at `),
      ),
    );
  it.each<Row>([
    ['blocks the item', theirs(), {}, another],
    [
      'does not with --both',
      theirs(),
      { both: true },
      { ...create, reason: allowed('task 7 of another campaign') },
    ],
    [
      'is named with the number of its people',
      theirs({ size: 447 }),
      { both: true },
      { ...create, reason: expect.stringContaining('(to 447 subscriptions of list 1 at Wed ') },
    ],
    ['is not named if it sends to another list', theirs({ list_id: 2 }), { both: true }, create],
    ['does not if it was cancelled', theirs({ cancelled: true }), {}, create],
    ['does not if it was sent', withCopy({ completed: true }), {}, create],
    ['has sent the message of this one', theirs({ completed: true }), {}, ofNewerFile('has sent')],
    ['sends the message of this one later', theirs({ scheduledtime: DUE + HOUR }), {}, ofNewerFile('sends')],
    ['is sent to another list', theirs({ list_id: 2 }), {}, create],
    ['is sent to a search with the id of the list', theirs({ list_id: null, search_id: 1 }), {}, create],
    ['is sent in the same minute', theirs({ scheduledtime: DUE - (DUE % 60) + 59 }), {}, another],
    ['is sent in the minute after', withCopy({ scheduledtime: DUE - (DUE % 60) + 60 }), {}, create],
    ['is sent in the minute before', withCopy({ scheduledtime: DUE - (DUE % 60) - 1 }), {}, create],
    [
      'sends the same content',
      theirs({ message_id: 4 }, { emails: [...emails, copy('Hello')] }),
      {},
      another,
    ],
    ['sends other content', theirs({ message_id: 4 }, { emails: [...emails, copy('Other')] }), {}, create],
    // Interface, "States": a deleted message is hidden, and still sent.
    ['sends a deleted message', theirs({ message_id: 4 }), {}, another],
    [
      'sends an SMS with the id of the e-mail',
      theirs({ channel: 'sms' }, { texts: [messageRow(text('x'), 1)] }),
      {},
      create,
    ],
  ])('%s', (_name, rows, options, expected) => {
    expect(stepOf(rows, options)).toEqual(expected);
  });

  it('blocks a change of the item’s own task, also if both exist already, unless both are wanted', () => {
    const [foreign = {}] = theirs().tasks ?? [];
    const later = taskRow(task('sale', { at: String(DUE + HOUR) }), 1);
    expect(stepOf({ tasks: [later, foreign] })).toEqual({ ...another, id: '1' });
    const renamed = task('sale', { name: 'New' });
    const rows = { tasks: [taskRow(sale, 1), foreign] };
    expect(stepOf(rows, {}, renamed)).toMatchObject({
      action: 'blocked',
      blockedBy: 'state',
      reason: expect.stringMatching(/^task 7 of another campaign and task 1 send the same message/),
    });
    const reason = '--both: task 7 of another campaign and task 1 send the same message';
    for (const [item, action] of [
      [renamed, 'change'],
      [sale, 'keep'],
    ] as const)
      expect(stepOf(rows, { both: true }, item)).toMatchObject({
        ...{ action, id: '1' },
        reason: expect.stringMatching(new RegExp(`^${reason}.* \\(to list 1 at Wed [^)]*\\)$`)),
      });
  });

  it('to a search blocks an item to the same search', () => {
    const found = task('sale', { list: null, search: '3' });
    const rows = (search_id: number) => theirs({ list_id: null, search_id });
    expect(stepOf(rows(3), {}, found)).toEqual(another);
    expect(stepOf(rows(4), {}, found)).toEqual(create);
  });

  it('by SMS blocks an item with the same text', () => {
    const texts = [messageRow(text('spring'), 1), { ...messageRow(text('x'), 4), name: 'Copy' }];
    const sms = (more: JsonObject) => theirs({ channel: 'sms', ...more }, { texts });
    expect(stepOf(sms({ message_id: 4 }), {}, sale, text('spring'))).toEqual(another);
    expect(stepOf(sms({ message_id: 4 }), {}, sale, text('spring', { message: 'Ho' }))).toEqual(create);
  });

  it('blocks an item that names its message by an id', () => {
    const item = task('sale', { message: { id: '4' }, channel: 'email' });
    const rows = theirs({ message_id: 5 }, { emails: [...emails, copy('x'), { ...copy('x'), id: 5 }] });
    expect(stepOf(rows, {}, item)).toEqual(another);
    const differs = theirs({ message_id: 5 }, { emails: [...emails, copy('x'), { ...copy('y'), id: 5 }] });
    expect(stepOf(differs, {}, item)).toEqual(create);
  });
});

const NEW_KEY =
  'if sale is its new key, write renamed-from with the earlier key at sale in the file, or, if you no longer know that key, add --adopt sale=7';

describe('a task that the file no longer names', () => {
  const old = (more: JsonObject = {}, rest: Rows = {}): Rows => ({
    ...rest,
    tasks: [taskRow(task('old'), 7, more)],
  });
  const orphaned = blocked(
    `task 7, which the file no longer names, ${SAME}: ${NEW_KEY}; --prune cancels task 7 to list 1 at Wed 2026-12-02 09:00 Europe/London, and creates this one; --both sends both to the same people`,
  );
  it.each<Row>([
    ['blocks the item', old(), {}, orphaned],
    [
      'does not with --both',
      old(),
      { both: true },
      { ...create, reason: allowed('task 7, which the file no longer names,') },
    ],
    // Contract: "With `--prune` an orphan is cancelled before what replaces it is made: never two live."
    ['does not with --prune', old(), { prune: true }, create],
    ['does not to another list', old({ list_id: 2 }), {}, create],
    [
      'blocks the item if it was sent',
      old({ completed: true }),
      {},
      blocked(
        `task 7, which the file no longer names, sends the same message to the same recipients and was sent (to list 1 at Wed 2026-12-02 09:00 Europe/London): ${NEW_KEY}; --both sends it again`,
      ),
    ],
    [
      'does not if it was sent at another time',
      old({ completed: true, scheduledtime: DUE - HOUR }),
      {},
      create,
    ],
    [
      'does not if svc has cancelled it',
      old({ cancelled: true, name: marked(task('old'), 'x') }),
      {},
      create,
    ],
  ])('%s', (_name, rows, options, expected) => {
    expect(stepOf(rows, options)).toEqual(expected);
  });
});

describe('another task of the file', () => {
  const again = task('again');
  const two = (items: readonly WantedItem[], rows: Rows = {}, options: Options = {}) =>
    stepsOf([spring, ...items], { emails, ...rows }, options)
      .filter(({ kind }) => kind === 'task')
      .map(({ key, action, reason }) => [key, action, reason]);
  const second = `task sale ${SAME}: remove one of them, or use --both to send both`;
  it.each<readonly [string, readonly WantedItem[], Rows, Options, readonly unknown[]]>([
    ['blocks the second', [sale, again], {}, {}, ['again', 'blocked', second]],
    ['does not with --both', [sale, again], {}, { both: true }, ['again', 'create', allowed('task sale')]],
    [
      'does not at another time',
      [sale, task('again', { at: String(DUE + 60) })],
      {},
      {},
      ['again', 'create', undefined],
    ],
    [
      'blocks the second while the first is kept',
      [sale, again],
      { tasks: [taskRow(sale, 1)] },
      {},
      ['again', 'blocked', second],
    ],
    [
      'does not block the second if it is blocked itself',
      [task('sale', { hold: 48 * HOUR }), again],
      {},
      {},
      ['again', 'create', undefined],
    ],
    [
      'further down still sends it, so that task must be applied first',
      [sale, task('again', { list: '2' })],
      { tasks: [taskRow(again, 2)] },
      {},
      ['again', 'change', undefined],
    ],
  ])('%s', (_name, items, rows, options, expected) => {
    expect(two(items, rows, options).at(-1)).toEqual(expected);
  });

  it('blocks an earlier item while it still sends the message, but not a later one', () => {
    const moved = task('again', { list: '2' });
    const rows = { tasks: [taskRow(again, 2)] };
    const first = `task 2 of another item ${SAME}: apply the other item first, or use --both to send both`;
    expect(two([sale, moved], rows)).toEqual([
      ['sale', 'blocked', first],
      ['again', 'change', undefined],
    ]);
    expect(two([moved, sale], rows)).toEqual([
      ['again', 'change', undefined],
      ['sale', 'create', undefined],
    ]);
    expect(two([sale, moved], rows, { both: true })[0]).toEqual([
      'sale',
      'create',
      allowed('task 2 of another item'),
    ]);
    expect(
      two([sale, moved], { tasks: [taskRow(again, 2, { cancelled: true, name: marked(again, 'x') })] })[0],
    ).toEqual(['sale', 'create', undefined]);
  });

  it('does not block a change that leaves as many duplicates if it already sends the message', () => {
    const tasks = [taskRow(sale, 1), taskRow(again, 2)];
    const renamed = task('again', { name: 'Renamed' });
    expect(two([sale, renamed], { tasks })).toEqual([
      ['sale', 'keep', undefined],
      ['again', 'change', undefined],
    ]);
  });

  it('is compared with the files that are applied before', () => {
    const first = planOf([spring, sale], { emails });
    const { observed, options } = first.situation;
    const other = (campaign: string) =>
      planCampaign(
        { campaign, company: null, items: [email('copy'), task('again', { message: { key: 'copy' } })] },
        observed,
        options,
        {
          earlierPlans: [first],
        },
      ).steps.find(({ key }) => key === 'again');
    for (const campaign of ['Spring', 'Summer'])
      expect(other(campaign)).toMatchObject({ action: 'blocked', reason: second });
  });
});
