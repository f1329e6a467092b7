/**
 * The sandbox finds its rows in an index, however many rows there are (docs/design.md, "The store"). The test reads the statements that
 * ran. A new attribute with F or S fails here until a step in src/sandbox/store/ gives it its indexes.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Field } from '../../../src/kit/schema/field.ts';
import { filtersOf, type Resource, sortAttributesOf } from '../../../src/kit/schema/resource.ts';
import { catalogue } from '../../../src/service/resources/catalogue.ts';
import { withEverything } from '../../support/everything.ts';
import { restrictSub } from '../../support/messages.ts';
import { faultsOf, openWatchedStore, type Plan, type WatchedStore } from '../../support/query-plans.ts';
import type { As, TestSandbox } from '../../support/sandbox.ts';

let watched: WatchedStore;
let sandbox: TestSandbox;
beforeAll(async () => {
  watched = await openWatchedStore();
  sandbox = await withEverything(watched.store);
  await restrictSub(sandbox);
});

describe.each(catalogue.filter((resource) => !resource.single && !resource.partnerOnly))(
  'a page of $name',
  (resource) => {
    // `sub` sees one folder, and their own records. `sub2` is a sub-user who also sees the other records.
    it.each<As>(['admin', 'sub', 'sub2'])(
      'is a seek for %s, by every filter and sort, both ways',
      async (as) => {
        const faults: string[] = [];
        for (const page of pagesOf(resource)) {
          const target = `/v1/${resource.name}?${page.query}`;
          const plans = await watched.plansOf(async () => {
            const { status } = await sandbox.send(as, 'GET', target);
            if (!isAnswer(status)) faults.push(`${target}: status ${status}`);
          });
          const plan = plans.find(isPage);
          if (plan === undefined) faults.push(`${target}: no page was read`);
          faults.push(...plans.flatMap(faultsOf));
          if (as === 'admin' && plan !== undefined)
            faults.push(...notSought(resource, page, plan).map((lack) => `${target}: ${lack}`));
        }
        expect([faults, sandbox.reports]).toEqual([[], []]);
      },
    );
  },
);

const isAnswer = (status: number): boolean => status === 200 || status === 404;

interface PageAsked {
  readonly query: string;
  readonly filter: string | undefined;
  readonly sort: string | undefined;
  readonly isLater: boolean;
}

function* pagesOf(resource: Resource): Generator<PageAsked> {
  const needed = resource.methods.get?.oneOf !== undefined;
  // An `id` names one item, not a page.
  const filters = filtersOf(resource).filter((name) => name !== 'id');
  for (const filter of needed ? filters : [undefined, ...filters])
    for (const sort of [undefined, ...sortAttributesOf(resource)])
      for (const reverse of [undefined, 'true'])
        for (const isLater of [false, true]) {
          const by = sort ?? resource.order?.[0] ?? 'id';
          const parameters = {
            ...(filter === undefined ? {} : { [filter]: textOf(filter, resource.fields[filter]) }),
            ...(sort === undefined ? {} : { sort }),
            ...(reverse === undefined ? {} : { reverse }),
            ...(isLater ? { start: textOf(by, resource.fields[by]) } : {}),
          };
          yield { query: new URLSearchParams(parameters).toString(), filter, sort, isLater };
        }
}

function textOf(name: string, field: Field | undefined): string {
  if (name === 'name') return 'Free';
  if (field?.values !== undefined) return String(field.values[0]);
  switch (field?.format) {
    case 'msisdn':
      return '447700900123';
    case 'sender':
      return 'Example';
    case 'contactdata':
      return 'old@example.com';
    case 'username':
      return 'sub';
    case 'actionhour':
      return '09:00:00';
    default:
      return field?.kind === 'bool' ? 'true' : '1';
  }
}

const isPage = ({ sql }: Plan): boolean => /^select \* from \(.*\) as r /.test(sql);

/** The columns of attributes with another name in the store. */
const COLUMNS: Readonly<Record<string, string>> = {
  id: 'rowid',
  currentuser: 'rowid',
  subscriberprofilefield_id: 'field_id',
  // The task of a link is that of its message.
  task_id: 'message_id',
};
/** Attributes that at most one row has, so that no order is needed. */
const UNIQUE = ['username', 'contactdata', 'currentuser'];

/** Returns the conditions that the index does not look up: the value of the filter, or the start of the page. */
function notSought(resource: Resource, { filter, sort, isLater }: PageAsked, { lines }: Plan): string[] {
  const [line = ''] = lines;
  const column = (name: string): string => COLUMNS[name] ?? name;
  const by = sort ?? resource.order?.[0] ?? 'id';
  const isFixed = filter !== undefined && (filter === by || UNIQUE.includes(filter));
  const wanted = [
    ...(filter === undefined ? [] : [`${column(filter)}=?`]),
    ...(isLater && !isFixed ? [`${column(by)}>?|${column(by)}<?`] : []),
  ];
  return wanted
    .filter((condition) => !condition.split('|').some((each) => line.includes(each)))
    .map((condition) => `${condition} is not in ${line}`);
}

describe('uses the most selective one of several filters', () => {
  it.each([
    ['task?list_id=7&cancelled=false', 'list_id=?'],
    ['task?cancelled=false&completed=false&sort=scheduledtime', 'completed=?'],
    ['task?cancelled=true&completed=false', 'cancelled=?'],
    ['emailMessage?editable=true&used=true&name=Free&sort=cdate', 'name=?'],
    ['openAutomation?paused=true&user_id=1', 'paused=?'],
    ['task?list_id=7&id=1', 'INTEGER PRIMARY KEY (rowid=?)'],
  ])('%s', async (target, sought) => {
    const plans = await watched.plansOf(() => sandbox.send('admin', 'GET', `/v1/${target}`));
    expect([plans.flatMap(faultsOf), plans.find(isPage)?.lines]).toEqual([
      [],
      [expect.stringContaining(sought)],
    ]);
  });
});

it('the error names the filter', () => {
  expect(
    faultsOf({ sql: 'select 1', lines: ['SCAN task', 'USE TEMP B-TREE FOR ORDER BY', 'SEARCH t'] }),
  ).toEqual(['SCAN task: select 1', 'USE TEMP B-TREE FOR ORDER BY: select 1']);
});
