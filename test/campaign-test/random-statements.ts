/** Writes random statements of a campaign test, and says for each whether it holds by the tables of a sandbox in which it all happened. */
import type { Campaign } from '../../src/features/campaign/model.ts';
import type { SqlRow } from '../../src/sandbox/store/rows.ts';
import { NOW, type TestSandbox } from '../support/sandbox.ts';
import {
  createMatcher,
  keysOfMessages,
  messagesOf,
  type Person,
  type RealMessage,
  type RealStep,
  SPAN,
} from './real-steps.ts';

export interface RandomStatement {
  readonly kind: string;
  readonly text: string;
  readonly holds: boolean;
}

interface Happened {
  readonly people: readonly Person[];
  readonly campaign: Campaign;
  readonly lists: readonly number[];
  readonly zone: string;
  readonly random: () => number;
  readonly membersAtStart: readonly SqlRow[];
  readonly credits: Readonly<Record<'email' | 'sms', number>>;
  readonly steps: readonly RealStep[];
  readonly history: ReadonlyMap<
    string,
    readonly { readonly time: number; readonly lists: readonly number[] }[]
  >;
}

const HOUR = 3600;
const DAY = 24 * HOUR;
const SPANS: readonly (readonly [string, number])[] = [
  ...([
    ['2h', 2 * HOUR],
    ['1d', DAY],
    ['3d', 3 * DAY],
    ['9d', 9 * DAY],
    ['20d', 20 * DAY],
  ] as const),
];

/** Returns the steps, each with checks below it, and then measures. */
export async function randomStatements(
  sandbox: TestSandbox,
  happened: Happened,
): Promise<readonly RandomStatement[]> {
  const { people, campaign, lists, zone, random, membersAtStart, credits, steps, history } = happened;
  const one = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)] as T;
  const chance = (share: number): boolean => random() < share;
  const all = await messagesOf(sandbox);
  const isOf = await createMatcher(sandbox, campaign);
  const keys = keysOfMessages(campaign);
  const received = ({ id }: Person): readonly RealMessage[] => all.filter(({ person }) => person === id);

  /** Returns words for a number near the true one, and whether that one fits. */
  const count = (truth: number): readonly [words: string, holds: boolean] => {
    const said = Math.max(0, truth + one([-1, 0, 0, 1]));
    switch (one(['exactly', 'at most', 'at least', 'range', 'plain'])) {
      case 'exactly':
        return [`exactly ${said}`, truth === said];
      case 'at most':
        return [`at most ${said}`, truth <= said];
      case 'at least':
        return [`at least ${said}`, truth >= said];
      case 'range':
        return [`${said}..${said + 2}`, truth >= said && truth <= said + 2];
      default:
        return [`${said}`, truth === said];
    }
  };

  function check(origin: number): RandomStatement {
    const person = one(people);
    const { name } = person;
    // A key of a message that the person got, as often as any other.
    const got = received(person);
    const gotKeys = keys.filter((key) => got.some((each) => isOf(key, each)));
    const key = chance(0.5) && gotKeys.length > 0 ? one(gotKeys) : one(keys);
    const [within, span] = chance(0.5) ? one(SPANS) : [undefined, undefined];
    const suffix = within === undefined ? '' : ` within ${within}`;
    const from = span === undefined ? NOW : origin;
    const until = span === undefined ? NOW + SPAN : origin + span;
    const inTime = got.filter(({ time }) => time >= from && time <= until);
    const ofKey = inTime.filter((each) => isOf(key, each));
    const list = one(lists);
    const notes = history.get(name) ?? [];
    const isOn =
      span === undefined
        ? notes.at(-1)?.lists.includes(list) === true
        : notes.some(
            (note, at) =>
              note.lists.includes(list) &&
              note.time <= until &&
              (notes[at + 1]?.time ?? Number.POSITIVE_INFINITY) > from,
          );
    const members = new Set(
      membersAtStart.flatMap((row) =>
        Number(row['list_id']) === list ? [Number(row['subscriber_id'])] : [],
      ),
    );
    const toMembers = all.filter((each) => members.has(each.person));
    const said = (kind: string, text: string, holds: boolean): RandomStatement => ({
      kind: within === undefined || kind.startsWith('list') ? kind : `${kind}, within`,
      ...{ text, holds },
    });
    const [words, fits] = count(inTime.length);
    const times = Math.max(0, ofKey.length + one([-1, 0, 0, 1]));
    return one([
      () => said('receives', `${name} receives ${key}${suffix}`, ofKey.length > 0),
      () => said('does not receive', `${name} does not receive ${key}${suffix}`, ofKey.length === 0),
      () => said('receives nothing', `${name} receives nothing${suffix}`, inTime.length === 0),
      () => said('receives N messages', `${name} receives ${words} messages${suffix}`, fits),
      () =>
        said('receives N times', `${name} receives ${key} ${times} times${suffix}`, ofKey.length === times),
      () => said('is on list', `${name} is on list ${list}${suffix}`, isOn),
      () => said('is not on list', `${name} is not on list ${list}${suffix}`, !isOn),
      () => said('list receives nothing', `list ${list} receives nothing`, toMembers.length === 0),
      () =>
        said(
          'list does not receive',
          `list ${list} does not receive ${key}`,
          !toMembers.some((each) => isOf(key, each)),
        ),
    ])();
  }

  const statements: RandomStatement[] = [];
  let origin = NOW;
  const checks = (many: number): void => {
    for (let left = many; left > 0; left -= 1) statements.push(check(origin));
  };
  checks(3);
  for (const { kind, text, time, isPossible } of steps) {
    statements.push({ kind: `step ${kind}`, text, holds: isPossible });
    if (time !== undefined) origin = time;
    checks(2);
  }
  checks(3);

  // The measures.
  const parts = new Intl.DateTimeFormat('en-CA', {
    ...{ timeZone: zone, hourCycle: 'h23', weekday: 'short' },
    ...{ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' },
  });
  const localOf = (time: number) => {
    const of = Object.fromEntries(parts.formatToParts(time * 1000).map(({ type, value }) => [type, value]));
    const day = Date.UTC(Number(of['year']), Number(of['month']) - 1, Number(of['day'])) / DAY / 1000;
    return { day, minute: Number(of['hour']) * 60 + Number(of['minute']), weekday: String(of['weekday']) };
  };
  const mostPer = (bucket: (time: number) => number): number => {
    const counts = new Map<string, number>();
    for (const { person, time } of all) {
      const id = `${person} ${bucket(time)}`;
      counts.set(id, (counts.get(id) ?? 0) + 1);
    }
    return Math.max(0, ...counts.values());
  };
  const mostWithin = (span: number): number =>
    Math.max(
      0,
      ...all.map(
        ({ person, time }) =>
          all.filter((each) => each.person === person && each.time >= time && each.time < time + span).length,
      ),
    );
  const peopleOf = (key: string): number =>
    new Set(all.filter((each) => isOf(key, each)).map(({ person }) => person)).size;
  const tasks = (await sandbox.rows('task'))
    .filter(
      (row) =>
        row['started'] === 1 &&
        row['cancelled'] !== 1 &&
        (row['endtime'] === null || Number(row['endtime']) >= NOW),
    )
    .map((row) => {
      const time = Math.max(NOW, Number(row['scheduledtime']));
      const until = row['endtime'] === null ? time : Math.max(time, Number(row['endtime']));
      return { time, until, audience: `${row['list_id']} ${row['search_id']}` };
    })
    .sort((a, b) => a.time - b.time);
  const smallestGap = (moments: readonly (readonly [id: string | number, time: number])[]): number => {
    const last = new Map<string | number, number>();
    let least = Number.POSITIVE_INFINITY;
    for (const [id, time] of moments) {
      least = Math.min(least, time - (last.get(id) ?? Number.NEGATIVE_INFINITY));
      last.set(id, time);
    }
    return least;
  };
  const gap = (least: number): readonly [words: string, holds: boolean] => {
    const near = Number.isFinite(least) ? Math.max(60, least + one([-60, 0, 60])) : DAY;
    return [`at least ${near}s`, least >= near];
  };
  const within = (times: readonly number[]): readonly [words: string, holds: boolean] => {
    const first = times.length === 0 ? 600 : localOf(one(times)).minute;
    const from = chance(0.3) ? 0 : Math.max(0, first - one([0, 60, 600]));
    const to = Math.min(1439, chance(0.3) ? 1439 : first + one([1, 60, 600]));
    const clock = (minute: number): string =>
      `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
    if (from >= to) return ['00:00-23:59', times.every((time) => localOf(time).minute < 1439)];
    return [
      `${clock(from)}-${clock(to)}`,
      times.every((time) => localOf(time).minute >= from && localOf(time).minute < to),
    ];
  };
  const on = (times: readonly number[]): readonly [words: string, holds: boolean] => {
    const [words, days] = one([
      ['mon-fri', ['Mon', 'Tue', 'Wed', 'Thu', 'Fri']],
      ['mon-sat', ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']],
      ['"sat,sun"', ['Sat', 'Sun']],
    ] as const);
    return [words, times.every((time) => (days as readonly string[]).includes(localOf(time).weekday))];
  };
  const times = all.map(({ time }) => time);
  const sendTimes = tasks.flatMap(({ time, until }) => [time, until]);
  const ofChannel = (wanted: string): number => all.filter(({ channel }) => channel === wanted).length;
  const member = (
    measure: string,
    name: string,
    [words, holds]: readonly [string, boolean],
  ): RandomStatement => ({
    ...{ kind: `${measure} ${name}`, text: `${measure}: {${name}: ${words}}`, holds },
  });
  const most = (truth: number): readonly [string, boolean] => {
    const said = Math.max(0, truth + one([-1, 0, 1]));
    return [`at most ${said}`, truth <= said];
  };
  const key = one(keys);
  const other = one(keys);
  const share = peopleOf(other) === 0 ? 0 : peopleOf(key) / peopleOf(other);
  const percent = Math.min(100, Math.max(0, Math.round(share * 100) + one([-10, 0, 10])));
  const isMost = chance(0.5);
  statements.push(
    member('messages-per-person', 'day', most(mostPer((time) => localOf(time).day))),
    // 1 January 1970 was a Thursday.
    member('messages-per-person', 'week', most(mostPer((time) => Math.floor((localOf(time).day + 3) / 7)))),
    member('messages-per-person', 'test', most(mostPer(() => 0))),
    member('messages-per-person', '7d', most(mostWithin(7 * DAY))),
    member('credits', 'email', count(credits.email)),
    member('credits', 'sms', count(credits.sms)),
    member('sends', 'count', count(tasks.length)),
    member('sends', 'between', within(sendTimes)),
    member('sends', 'on', on(sendTimes)),
    member('messages', 'count', count(all.length)),
    member('messages', 'email', count(ofChannel('email'))),
    member('messages', 'sms', count(ofChannel('sms'))),
    member('messages', 'between', within(times)),
    member('messages', 'on', on(times)),
    { ...member('recipients', key, count(peopleOf(key))), kind: 'recipients' },
    {
      kind: 'recipients, share',
      text: `recipients: {${key}: ${isMost ? 'at most' : 'at least'} ${percent}% of ${other}}`,
      holds: isMost ? share <= percent / 100 : share >= percent / 100,
    },
  );
  const gaps = [
    ['gap-between-messages', gap(smallestGap(all.map(({ person, time }) => [person, time] as const)))],
    ['gap-between-sends', gap(smallestGap(tasks.map(({ audience, time }) => [audience, time] as const)))],
  ] as const;
  for (const [kind, [words, holds]] of gaps) statements.push({ kind, text: `${kind}: ${words}`, holds });
  return statements;
}
