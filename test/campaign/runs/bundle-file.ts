/**
 * Random campaign files for many companies, as text with values, and the edits that people make between two bundles. The names of items have
 * their first keys, by which the oracle knows them: `Task t1 in City 2`.
 */
import type { Chance } from '../../client/simulation-world.ts';

export interface BundleTask {
  readonly key: string;
  readonly message: string;
  /** `2026-12-20 09:00` in London, which has UTC in December. */
  readonly at: string;
  /** Daily times of a series. */
  readonly repeat?: { readonly times: number; readonly ahead: number };
}

interface BundleStep {
  readonly key: string;
  readonly message: string;
  readonly after: string;
}

export interface BundleFile {
  /** The texts of messages by key. */
  readonly texts: Readonly<Record<string, string>>;
  readonly tasks: readonly BundleTask[];
  /** Steps of the sequence `w1`, in the order of time. */
  readonly steps: readonly BundleStep[];
  /** How often each key, such as `task t1`, or `campaign` was renamed. */
  readonly renames: Readonly<Record<string, number>>;
}

/** The list and the text that a company gives to the names of the file. */
export interface CompanyValues {
  readonly list: number;
  readonly city: string;
}

const WORDS = ['ant', 'bee', 'cat', 'dog', 'elk', 'fox'] as const;

export function randomBundleFile(chance: Chance): BundleFile {
  const texts = { m1: `Hello ${chance.pick(WORDS)}`, m2: `Bye ${chance.pick(WORDS)}` };
  return {
    texts,
    tasks: [
      ...['t1', 't2'].slice(0, Math.ceil(chance.between(0, 2))).map((key) => randomTask(chance, key)),
      ...(chance.is(0.5) ? [randomSeries(chance)] : []),
    ],
    steps: chance.is(0.5) ? randomSteps(chance) : [],
    renames: {},
  };
}

const messageOf = (chance: Chance): string => chance.pick(['m1', 'm2']);

/** Tasks are so far ahead that none is sent between two rounds. The minutes keep the tasks of two keys apart. */
function randomTask(chance: Chance, key: string): BundleTask {
  const at = `2026-12-${Math.floor(chance.between(20, 30))} ${Math.floor(chance.between(10, 19))}:0${key.slice(1)}`;
  return { key, message: messageOf(chance), at };
}

function randomSeries(chance: Chance): BundleTask {
  const at = `2026-12-0${Math.floor(chance.between(2, 5))} ${Math.floor(chance.between(10, 19))}:30`;
  const repeat = { times: Math.ceil(chance.between(0, 6)), ahead: Math.ceil(chance.between(0, 4)) };
  return { key: 'd1', message: messageOf(chance), at, repeat };
}

const randomSteps = (chance: Chance): readonly BundleStep[] =>
  [
    { key: 'a', after: '0m' },
    { key: 'b', after: '2d' },
  ].map((step) => ({ ...step, message: messageOf(chance) }));

/** Edits the file once. No item is removed, so that each record of the campaign belongs to an item. */
export function editedBundleFile(chance: Chance, file: BundleFile): BundleFile {
  const { texts, tasks, steps } = file;
  const kind = chance.pick(['text', 'task', 'more', 'steps', 'rename', 'rename', 'none'] as const);
  switch (kind) {
    case 'text':
      return { ...file, texts: { ...texts, [messageOf(chance)]: `News of the ${chance.pick(WORDS)}` } };
    case 'task': {
      const one = chance.pick(tasks);
      // The times of a series stay, because some of them may be past.
      const other = one.repeat ? { ...one, message: messageOf(chance) } : randomTask(chance, one.key);
      return { ...file, tasks: tasks.map((each) => (each === one ? other : each)) };
    }
    case 'more':
      return tasks.some(({ key }) => key === 't2')
        ? file
        : { ...file, tasks: [...tasks, randomTask(chance, 't2')] };
    case 'steps':
      return { ...file, steps: randomSteps(chance) };
    case 'rename': {
      const { renames } = file;
      const names = ['campaign', 'message m1', 'message m2', ...tasks.map(({ key }) => `task ${key}`)];
      const name = chance.pick([...names, ...(steps.length > 0 ? ['sequence w1'] : [])]);
      return { ...file, renames: { ...renames, [name]: (renames[name] ?? 0) + 1 } };
    }
    case 'none':
      return file;
  }
}

/** Writes the campaign file, which has the same text for all companies, and its content files by name. */
export function writeBundleFile({
  texts,
  tasks,
  steps,
  renames,
}: BundleFile): Readonly<Record<string, string>> {
  const life = (name: string, first: string): readonly string[] =>
    Array.from({ length: (renames[name] ?? 0) + 1 }, (_, each) => `${first}${'x'.repeat(each)}`);
  const nowOf = (name: string, first: string): string => life(name, first).at(-1) ?? first;
  const earlierOf = (name: string, first: string): string => {
    const earlier = life(name, first).slice(0, -1);
    return earlier.length === 0 ? '' : `, renamed-from: [${earlier.join(', ')}]`;
  };
  const messageNow = (key: string): string => nowOf(`message ${key}`, key);
  const lines = [
    'version: 1',
    `campaign: ${nowOf('campaign', 'Spring')}`,
    ...((renames['campaign'] ?? 0) > 0
      ? [`renamed-from: [${life('campaign', 'Spring').slice(0, -1).join(', ')}]`]
      : []),
    'messages:',
    ...Object.keys(texts).map(
      (key) =>
        `  ${messageNow(key)}: {channel: sms, name: Message ${key}, from: Shop, message: ${key}.txt${earlierOf(`message ${key}`, key)}}`,
    ),
    'tasks:',
    ...tasks.map(({ key, message, at, repeat }) => {
      const series =
        repeat === undefined ? '' : `, repeat: {every: day, times: ${repeat.times}, ahead: ${repeat.ahead}}`;
      return `  ${nowOf(`task ${key}`, key)}: {name: "Task ${key} in \${{ city }}", message: ${messageNow(message)}, list: "\${{ list }}", at: "${at}"${series}${earlierOf(`task ${key}`, key)}}`;
    }),
    ...(steps.length === 0
      ? []
      : [
          'sequences:',
          `  ${nowOf('sequence w1', 'w1')}:`,
          '    name: Rule w1',
          `    list: "\${{ list }}"`,
          ...((renames['sequence w1'] ?? 0) > 0
            ? [`    renamed-from: [${life('sequence w1', 'w1').slice(0, -1).join(', ')}]`]
            : []),
          '    steps:',
          ...steps.map(
            ({ key, message, after }) =>
              `      - {key: ${key}, message: ${messageNow(message)}, after: ${after}}`,
          ),
        ]),
  ];
  return {
    'spring.yaml': `${lines.join('\n')}\n`,
    ...Object.fromEntries(Object.entries(texts).map(([key, text]) => [`${key}.txt`, text])),
  };
}

export const writeValues = (values: ReadonlyMap<number, CompanyValues>): string =>
  `companies:\n${[...values].map(([id, { list, city }]) => `  ${id}: {list: ${list}, city: ${city}}\n`).join('')}`;

const DAY_MS = 86_400_000;

/** Returns the times of a task by key, in Unix seconds: `t1`, or `d1@2026-12-03` for each time of a series. */
export function timesOfTask({
  key,
  at,
  repeat,
}: BundleTask): readonly (readonly [key: string, time: number])[] {
  const first = Date.parse(`${at.replace(' ', 'T')}:00Z`);
  if (repeat === undefined) return [[key, first / 1000]];
  return Array.from({ length: repeat.times }, (_, each) => {
    const time = first + each * DAY_MS;
    return [`${key}@${new Date(time).toISOString().slice(0, 10)}`, time / 1000] as const;
  });
}
