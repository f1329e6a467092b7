/**
 * A renamed key never sends twice. Contract, "`renamed-from`": "`renamed-from` never creates, cancels or deletes
 * anything".
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { applyCampaign } from '../../src/features/campaign/apply/apply.ts';
import type { Campaign, Step, WantedItem } from '../../src/features/campaign/model.ts';
import { readAllRecordsForCampaign } from '../../src/features/campaign/observe.ts';
import { planCampaign } from '../../src/features/campaign/plan/plan.ts';
import { advance } from '../support/engine.ts';
import { NOW } from '../support/sandbox.ts';
import {
  type CampaignRun,
  email,
  HOUR,
  interrupted,
  inWords,
  openCampaign,
  rule,
  sendPortsOf,
  task,
} from './support.ts';

const spring = email('spring');
const sale = task('sale');
const welcome = rule('welcome');
const folder = { kind: 'folder', key: 'news', name: 'News' } as const;
const OLD: readonly WantedItem[] = [folder, spring, sale, welcome];

const from = <T extends WantedItem>(item: T, ...renamedFrom: readonly string[]): T => ({
  ...item,
  renamedFrom,
});
const offer = { ...email('spring'), key: 'offer' };
const NEW: readonly WantedItem[] = [
  from({ ...folder, key: 'letters' }, 'news'),
  from(offer, 'spring'),
  from({ ...task('sale', { message: { key: 'offer' } }), key: 'autumn' }, 'sale'),
  from(
    {
      ...rule('welcome', { references: { list_id: { id: '1' }, actiontarget: { key: 'offer' } } }),
      key: 'hello',
    },
    'welcome',
  ),
];

let run: CampaignRun;
beforeEach(async () => {
  run = await openCampaign(undefined, OLD);
});

/** Everything of all records but the marks in their names. */
async function records(): Promise<readonly unknown[]> {
  const tables = ['folder', 'email_message', 'task', 'subscription_automation'] as const;
  const all = await Promise.all(tables.map((table) => run.sandbox.rows(table)));
  return all
    .flat()
    .map(({ name, mdate: _, ...row }) => ({ ...row, name: String(name).replace(/ \[svc-.*$/, '') }));
}
const planned = async (items: readonly WantedItem[], more = {}): Promise<readonly Step[]> =>
  run.plan(items, more);

describe('items with new keys', () => {
  it('are renamed, and keep everything but the marks', async () => {
    const before = await records();
    const steps = await planned(NEW);
    expect(inWords(steps)).toEqual([
      'rename folder letters',
      // A task and a rule use it, so the service refuses another name (interface, "States").
      'keep message offer',
      'rename task autumn',
      'rename automation hello',
    ]);
    expect(steps.map(({ renamedFrom }) => renamedFrom)).toEqual([
      { key: 'news' },
      { key: 'spring' },
      { key: 'sale' },
      { key: 'welcome' },
    ]);
    expect(steps[1]?.reason).toContain('keep renamed-from in the file');
    expect(await run.apply(NEW)).toEqual([
      'rename folder letters',
      'rename task autumn',
      'rename automation hello',
    ]);
    expect(await records()).toEqual(before);
    await run.isSettled(NEW);
  });

  it('keep their records if the line stays, also after a change', async () => {
    await run.apply(NEW);
    const later = NEW.map((item) => (item.kind === 'task' ? { ...item, at: String(NOW + 30 * HOUR) } : item));
    expect(await run.apply(later)).toEqual(['change task autumn']);
    await run.isSettled(later);
    expect(await run.live()).toMatchObject([{ id: 1 }]);
  });

  it('are renamed and changed in one step', async () => {
    const later = NEW.map((item) => (item.kind === 'task' ? { ...item, name: 'Autumn' } : item));
    const step = (await planned(later)).find(({ kind }) => kind === 'task');
    expect(step).toMatchObject({ action: 'change', id: '1', renamedFrom: { key: 'sale' } });
    expect(step?.changes).toEqual([{ attribute: 'name', from: 'Task sale', to: 'Autumn' }]);
    await run.apply(later);
    await run.isSettled(later);
    expect(await run.live()).toMatchObject([{ id: 1 }]);
  });

  it('are not pruned', async () => {
    expect(await run.apply(NEW, { prune: true })).toEqual([
      'rename folder letters',
      'rename task autumn',
      'rename automation hello',
    ]);
    expect(await run.live()).toHaveLength(1);
  });

  it('that never existed under the earlier key are new', async () => {
    const items = [spring, from(task('next', { list: '2' }), 'never')];
    expect(inWords(await planned(items))).toContain('create task next');
  });

  // Environments lag behind: A was renamed to B and then to C, and production still has A.
  it.each([
    ['the oldest key', [from({ ...sale, key: 'c' }, 'sale', 'b')]],
    ['a later key', [from({ ...sale, key: 'c' }, 'a', 'sale')]],
  ])('take a record from %s of a list', async (_, [item]) => {
    const items = [folder, spring, ...(item ? [item] : []), welcome];
    expect(await run.apply(items)).toEqual(['rename task c']);
    await run.isSettled(items);
  });
});

describe('a message that is still editable', () => {
  it('is renamed by its name alone, before the tasks that use it are made', async () => {
    run = await openCampaign(undefined, [spring]);
    const items = [from(offer, 'spring'), task('sale', { message: { key: 'offer' } })];
    expect(await run.apply(items)).toEqual(['rename message offer', 'create task sale']);
    await run.isSettled([offer, task('sale', { message: { key: 'offer' } })]);
    expect(await run.sandbox.rows('email_message')).toHaveLength(1);
  });

  it('is not lost for a task that keeps its key: its mark follows', async () => {
    const items = [
      folder,
      from(offer, 'spring'),
      task('sale', { message: { key: 'offer' } }),
      welcomeOf('offer'),
    ];
    const step = (await planned(items)).find(({ kind }) => kind === 'task');
    expect(step).toMatchObject({ action: 'rename', id: '1' });
    expect(step).not.toHaveProperty('renamedFrom');
    await run.apply(items);
    await run.isSettled(items);
    expect(await run.live()).toMatchObject([{ id: 1 }]);
  });
});

const welcomeOf = (key: string): WantedItem =>
  rule('welcome', { references: { list_id: { id: '1' }, actiontarget: { key } } });

describe('a campaign with a new name', () => {
  const autumn = (items: readonly WantedItem[]): Campaign => ({
    ...{ campaign: 'Autumn', renamedFrom: ['Spring'], company: null },
    items,
  });
  const options = { overwrite: false, prune: false, zone: 'Europe/London' };
  const planAs = async (campaign: Campaign) =>
    planCampaign(campaign, await readAllRecordsForCampaign(run.client, campaign), options);
  const applyAs = async (campaign: Campaign) =>
    applyCampaign(await planAs(campaign), {
      ...{ client: run.client, sends: sendPortsOf(run.client), note: async () => undefined },
      ...{ begin: async () => undefined, end: async () => undefined },
    });

  it('renames all its records, and makes none', async () => {
    const before = await records();
    const { steps } = await planAs(autumn(OLD));
    expect(inWords(steps)).toEqual([
      'rename folder news',
      'keep message spring',
      'rename task sale',
      'rename automation welcome',
    ]);
    expect(steps[2]?.renamedFrom).toEqual({ campaign: 'Spring' });
    await applyAs(autumn(OLD));
    expect(await records()).toEqual(before);
    expect(inWords((await planAs(autumn(OLD))).steps).filter((step) => !step.startsWith('keep'))).toEqual([]);
  });

  it('renames keys in the same step', async () => {
    const { steps } = await planAs(autumn(NEW));
    expect(steps[2]).toMatchObject({
      ...{ action: 'rename', key: 'autumn', id: '1' },
      renamedFrom: { key: 'sale', campaign: 'Spring' },
    });
    await applyAs(autumn(NEW));
    expect(inWords((await planAs(autumn(NEW))).steps).filter((step) => !step.startsWith('keep'))).toEqual([]);
    expect(await run.live()).toMatchObject([{ id: 1 }]);
  });

  // "The item owns every record whose mark has one of these keys and names": the earlier file, which another machine still has, does not.
  it.each([
    ['is scheduled', 0, 'sends'],
    ['was sent', 60 * HOUR, 'has sent'],
  ])('blocks the earlier file, if a task of the newer one %s at another time', async (_, passed, words) => {
    const moved = OLD.map((item) => (item.kind === 'task' ? { ...item, at: String(NOW + 50 * HOUR) } : item));
    await applyAs(autumn(moved));
    await advance(run.sandbox, passed);
    const earlier = OLD.map((item) =>
      item.kind === 'task' ? { ...item, at: String(NOW + 80 * HOUR) } : item,
    );
    const { steps } = await planAs({ campaign: 'Spring', company: null, items: earlier });
    expect(inWords(steps)).toContain('blocked task sale state');
    expect(steps.find(({ key }) => key === 'sale')?.reason).toMatch(
      new RegExp(
        `^task 1 of another campaign ${words} the message of this item to 3 subscriptions of list 1 at `,
      ),
    );
  });

  it('blocks the rules of the earlier file, also with another delay', async () => {
    const later = OLD.map((item) =>
      item.kind === 'automation' ? { ...item, values: { ...item.values, actiontimediff: 180 } } : item,
    );
    await applyAs(autumn(later));
    const { steps } = await planAs({ campaign: 'Spring', company: null, items: OLD });
    expect(inWords(steps)).toContain('blocked automation welcome state');
    expect(steps.find(({ key }) => key === 'welcome')?.reason).toContain('of another campaign');
  });

  // "An earlier file, with the earlier name of the campaign, creates no task for whose recipients a task of the newer one sends its
  // message": the marks of new records have the earlier name, too, so a copy of the campaign differs from a rename.
  describe('whose messages have the new mark, too', () => {
    const at = (items: readonly WantedItem[], hours: number): readonly WantedItem[] =>
      items.map((item) =>
        item.kind === 'task'
          ? { ...item, at: String(NOW + hours * HOUR) }
          : item.kind === 'automation'
            ? { ...item, values: { ...item.values, actiontimediff: hours * 60 } }
            : item,
      );
    const earlier: Campaign = { campaign: 'Spring', company: null, items: at(OLD, 80) };
    const blocked = ['blocked task sale state', 'blocked automation welcome state'];

    it.each([
      ['an interrupted run made the message alone', [spring], OLD],
      ['it has another text', OLD, [folder, email('spring', { subject: 'Other' }), sale, welcome]],
      ['nothing was applied before', [], OLD],
    ])('blocks the earlier file, if %s', async (_, before, newer) => {
      run = await openCampaign(undefined, before);
      await applyAs(autumn(at(newer, 50)));
      const sends = await run.live();
      const { steps } = await planAs(earlier);
      expect(inWords(steps)).toEqual(expect.arrayContaining(blocked));
      await applyAs(earlier);
      expect(await run.live()).toEqual(sends);
      await advance(run.sandbox, 60 * HOUR);
      expect(inWords((await planAs(earlier)).steps)).toEqual(expect.arrayContaining(blocked));
      // "(`--both`)"
      const both = planCampaign(earlier, await readAllRecordsForCampaign(run.client, earlier), {
        ...options,
        both: true,
      });
      expect(inWords(both.steps)).toContain('create task sale');
    });

    it('does not block a copy of the campaign, or a campaign that was copied', async () => {
      run = await openCampaign(undefined, []);
      await applyAs({ campaign: 'Autumn', company: null, items: at(OLD, 50) });
      const { steps } = await planAs(earlier);
      expect(inWords(steps)).toEqual(
        expect.arrayContaining(['create task sale', 'create automation welcome']),
      );
    });

    it('knows each earlier name', async () => {
      const winter: Campaign = {
        ...{ campaign: 'Winter', renamedFrom: ['Spring', 'Autumn'], company: null },
        items: at(OLD, 50),
      };
      run = await openCampaign(undefined, []);
      await applyAs(winter);
      for (const campaign of ['Spring', 'Autumn'])
        expect(inWords((await planAs({ ...earlier, campaign })).steps)).toEqual(
          expect.arrayContaining(blocked),
        );
    });
  });

  it('without renamed-from sends nothing twice', async () => {
    const { steps } = await planAs({ campaign: 'Autumn', company: null, items: OLD });
    expect(inWords(steps)).toContain('blocked task sale state');
    expect(inWords(steps)).toContain('blocked automation welcome state');
  });
});

describe('a task whose record', () => {
  const items = [folder, spring, from({ ...sale, key: 'autumn' }, 'sale'), welcome];
  const stepOf = async (more = {}) => (await planned(items, more)).find(({ kind }) => kind === 'task');

  it('was sent counts as sent under the new key', async () => {
    await advance(run.sandbox, 25 * HOUR);
    expect(await stepOf()).toMatchObject({ action: 'keep', id: '1', renamedFrom: { key: 'sale' } });
    expect((await stepOf())?.reason).toContain('keep renamed-from in the file');
    expect(await run.apply(items)).toEqual([]);
    expect(await run.sandbox.rows('task')).toHaveLength(1);
  });

  it('was cancelled by hand is not made again', async () => {
    await run.put('/v1/task/1', { cancelled: true });
    expect(await stepOf()).toMatchObject({ action: 'blocked', blockedBy: 'drift', id: '1' });
    await run.apply(items);
    expect(await run.live()).toEqual([]);
  });

  it('was changed by hand is blocked as drift', async () => {
    await run.put('/v1/task/1', { scheduledtime: NOW + 25 * HOUR });
    expect(await stepOf()).toMatchObject({
      action: 'blocked',
      blockedBy: 'drift',
      renamedFrom: { key: 'sale' },
    });
  });

  it.each([
    ['moved', { scheduledtime: NOW + 25 * HOUR }],
    ['robbed of its mark', { name: 'Task sale' }],
  ])('is %s by hand between the plan and the rename ends with drift', async (_, byHand) => {
    run = await interrupted('PUT /v1/task', async (sandbox) => sandbox);
    await run.apply(OLD);
    const observed = await readAllRecordsForCampaign(run.client, { campaign: 'Spring', items });
    const plan = planCampaign({ campaign: 'Spring', company: null, items }, observed, {
      ...{ overwrite: false, prune: false, zone: 'Europe/London' },
    });
    await run.put('/v1/task/1', byHand);
    const applying = applyCampaign(plan, {
      ...{ client: run.client, sends: sendPortsOf(run.client), note: async () => undefined },
      ...{ begin: async () => undefined, end: async () => undefined },
    });
    await expect(applying).rejects.toMatchObject({ kind: 'drift' });
    expect(await run.live()).toMatchObject([{ name: expect.stringMatching(/^Task sale/), ...byHand }]);
  });

  it.each([
    ['starts in less than 5 minutes', 24 * HOUR - 299],
    ['is being sent', 24 * HOUR + 1],
  ])('%s stays as it is', async (_, at) => {
    await run.sandbox.at(at);
    expect(await stepOf()).toMatchObject({ action: 'keep', renamedFrom: { key: 'sale' } });
    expect(await run.apply(items)).toEqual([]);
  });

  it('has a relative time keeps that time', async () => {
    run = await openCampaign(undefined, [spring, task('soon', { at: '+2d' })]);
    await run.sandbox.at(HOUR);
    const renamed = [spring, from(task('later', { name: 'Task soon', at: '+2d' }), 'soon')];
    expect(await run.apply(renamed)).toEqual(['rename task later']);
    expect(await run.live()).toMatchObject([{ id: 1, scheduledtime: NOW + 48 * HOUR }]);
    await run.isSettled([spring, task('later', { name: 'Task soon', at: '+2d' })]);
  });

  it('was made under both keys by two runs loses the later one', async () => {
    const [row] = await run.live();
    await run.apply([spring, { ...sale, key: 'autumn' }], { both: true });
    expect(await run.live()).toHaveLength(2);
    expect(await run.apply(items)).toContain('change task autumn');
    expect(await run.live()).toMatchObject([{ id: row?.['id'] }]);
    await run.isSettled(items);
  });

  it('exists under both keys as two different sends is blocked, and says to whom', async () => {
    const two = [spring, sale, task('autumn', { list: '2' }), welcome];
    await run.apply(two);
    const step = await stepOf();
    expect(step).toMatchObject({ action: 'blocked', blockedBy: 'state' });
    expect(step?.reason).toMatch(
      /^task 1 \(key sale\) is scheduled to 3 subscriptions of list 1 at .*, and task 2 \(key autumn\) is scheduled to 1 subscription of list 2 at /,
    );
    await run.apply(items);
    expect(await run.live()).toHaveLength(2);
  });

  it('was sent under one key and is scheduled under another is not cancelled', async () => {
    await advance(run.sandbox, 25 * HOUR);
    const next = task('autumn', { at: String(NOW + 50 * HOUR) });
    await run.apply([spring, next], { both: true });
    expect(await run.live()).toHaveLength(1);
    const both = [spring, from(next, 'sale')];
    expect(inWords(await planned(both))).toContain('blocked task autumn state');
    await run.apply(both);
    expect(await run.live()).toHaveLength(1);
  });
});

// The run with the older file must not say that the text of the newer one is its own: the next plan would find it "changed by hand".
describe('a message that another run changes while it gets its new key', () => {
  it('keeps the mark of what it says, and the run that is late ends', async () => {
    const renamed = [from(offer, 'spring')];
    const newer = [from({ ...email('spring', { subject: 'Newer' }), key: 'offer' }, 'spring')];
    const applyNewer = async (): Promise<unknown> => run.apply(newer);
    let hasBegun = false;
    let isChanged = false;
    run = await openCampaign(
      (sandbox) => async (request) => {
        if (hasBegun && !isChanged && `${request.method} ${request.path}` === 'GET /v1/emailMessage/1') {
          isChanged = true;
          await applyNewer();
        }
        return sandbox.service.handle(request);
      },
      [spring],
    );
    hasBegun = true;
    await expect(run.apply(renamed)).rejects.toMatchObject({ kind: 'drift' });
    await run.isSettled(newer);
    expect(await run.sandbox.rows('email_message')).toMatchObject([{ id: 1, subject: 'Newer' }]);
  });
});

// The older run must not take the mark from the record that the newer one has replaced: the next plan would find it "paused by hand".
describe('a rule that another run replaces while it gets its new key', () => {
  it('stays replaced, and the run that is late ends', async () => {
    const other = email('other', { subject: 'Other' });
    const moved = { list_id: { id: '1' }, actiontarget: { key: 'other' } };
    const renamed = [spring, other, from({ ...welcome, key: 'hello' }, 'welcome')];
    const newer = [
      spring,
      other,
      from({ ...rule('welcome', { references: moved }), key: 'hello' }, 'welcome'),
    ];
    let hasBegun = false;
    let isReplaced = false;
    const applyNewer = async (): Promise<unknown> => run.apply(newer);
    run = await openCampaign(
      (sandbox) => async (request) => {
        if (
          hasBegun &&
          !isReplaced &&
          `${request.method} ${request.path}` === 'PUT /v1/subscriptionAutomation/1'
        ) {
          isReplaced = true;
          await applyNewer();
        }
        return sandbox.service.handle(request);
      },
      [spring, other, welcome],
    );
    hasBegun = true;
    await expect(run.apply(renamed)).rejects.toMatchObject({ kind: 'drift' });
    expect(await run.sandbox.rows('subscription_automation')).toMatchObject([
      { id: 1, paused: 1, name: expect.stringMatching(/-x\]$/) },
      { id: 2, paused: 0 },
    ]);
    await run.isSettled(newer);
  });
});

// Contract, "`renamed-from`": "unless one is a paused rule as the file wants it, which a killed run made to replace the other".
describe('a rule that a killed run was replacing under its new key', () => {
  const other = email('other', { subject: 'Other' });
  const moved = { list_id: { id: '1' }, actiontarget: { key: 'other' } };
  const file = (more: Partial<typeof welcome>): readonly WantedItem[] => [
    spring,
    other,
    from({ ...rule('welcome', { references: moved, ...more }), key: 'hello' }, 'welcome'),
  ];

  it.each([
    [
      'active',
      {},
      [
        { id: 1, paused: 1 },
        { id: 2, paused: 0 },
      ],
    ],
    [
      'paused',
      { paused: true },
      [
        { id: 1, paused: 1 },
        { id: 2, paused: 1 },
      ],
    ],
  ])('is replaced by the next run: %s', async (_, more, expected) => {
    let isKilled = false;
    run = await openCampaign(
      (sandbox) => async (request) => {
        if (isKilled && request.method === 'PUT' && request.path.startsWith('/v1/subscriptionAutomation'))
          throw new Error('killed');
        return sandbox.service.handle(request);
      },
      [spring, other, welcome],
    );
    isKilled = true;
    await expect(run.apply(file(more))).rejects.toThrow();
    const rules = () => run.sandbox.rows('subscription_automation');
    expect((await rules()).map(({ paused }) => paused)).toEqual([0, 1]);
    isKilled = false;
    expect(await run.apply(file(more))).toContain('change automation hello');
    expect(await rules()).toMatchObject(expected);
    await run.isSettled(file(more));
  });
});

describe('rules of two keys that do different things', () => {
  it('are not taken for one', async () => {
    const other = rule('hello', { references: { list_id: { id: '2' }, actiontarget: { key: 'spring' } } });
    await run.apply([spring, sale, welcome, other]);
    const step = (await planned([spring, sale, from(other, 'welcome')])).at(-1);
    expect((await planned([spring, sale, from(other, 'welcome')])).map(({ action }) => action)).toContain(
      'blocked',
    );
    expect(step).toBeDefined();
    await run.apply([spring, sale, from(other, 'welcome')]);
    const rules = await run.sandbox.rows('subscription_automation');
    expect(rules.map((row) => row['paused'])).toEqual([0, 0]);
  });
});
