/**
 * Values that completion looks up in the profiles and in cached lists. They are at most 60 s old, belong to the current company, and
 * contain nothing that a shell would interpret. svc sends no request if that could prompt or lock a user.
 */
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openCompletionListCache } from '../../../src/cli/completion/list-cache.ts';
import {
  type CompletionEnvironment,
  lookUpCompletionCandidates,
} from '../../../src/cli/completion/look-up.ts';
import { refreshCompletionList } from '../../../src/cli/completion/refresh-list.ts';
import { CANDIDATE_LIST_COMMANDS } from '../../../src/cli/completion/sources.ts';
import type { Context } from '../../../src/cli/outside/context.ts';
import { topLevelCommandEntries } from '../../../src/cli/registry/entries.ts';
import { findFolderPinnedToProfile, realPathOfPin } from '../../../src/client/profiles/folder-pin.ts';
import { openTrustedFileStore } from '../../../src/client/profiles/trusted-files.ts';
import { parseJson } from '../../../src/service/protocol/json.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

// The marks of lists in progress have the time of their file.
const NOW = Date.now();

let home: string;
beforeEach(async () => {
  home = await makeTemporaryFolder('live');
  store({ prod: PROD, shop: { ...PROD, companyId: 7, baseUrl: 'https://shop.example.com' } }, 'prod');
});
afterEach(() => rm(home, { recursive: true, force: true }));

const PROD = { kind: 'company', baseUrl: 'https://api.example.com', companyId: 1, userId: 1, apiKey: 'k' };

function store(profiles: unknown, defaultName?: string): void {
  mkdirSync(join(home, 'config'), { recursive: true, mode: 0o700 });
  const text = JSON.stringify({ version: 1, default: defaultName, profiles });
  writeFileSync(join(home, 'config', 'config.json'), text, { mode: 0o600 });
}

/** Writes a `.svc.json` that the user trusts. */
async function pin(folder: string, text: string): Promise<void> {
  writeFileSync(join(folder, '.svc.json'), text, { mode: 0o600 });
  const { filePath, sha256 } = findFolderPinnedToProfile(folder, { platform: 'linux', uid: undefined }) ?? {};
  const trusted = openTrustedFileStore({ configDir: join(home, 'config'), platform: 'linux' });
  await trusted.set(realPathOfPin(filePath ?? ''), sha256 ?? '');
}

const outside = (more: Partial<CompletionEnvironment> = {}): CompletionEnvironment => ({
  cwd: home,
  homeDir: home,
  platform: 'linux',
  now: NOW,
  folder: join(home, 'cache'),
  ...more,
  env: { SVC_CONFIG_DIR: join(home, 'config'), ...more.env },
});

const ask = (
  source: string,
  word: string,
  words: readonly string[] = [],
  more?: Partial<CompletionEnvironment>,
) => {
  const { items, ...rest } = lookUpCompletionCandidates({ source, word, words }, outside(more));
  return { lines: items.map(({ id, name }) => `${id}\t${name}`), ...rest };
};

/** Makes a background program that returns the values of this JSON, or fails with this error, and ends with this exit code. */
const answers =
  (data: string, exit = 0, failure = '') =>
  async (_argv: readonly string[], { taker }: Context): Promise<number> => {
    if (data !== '') taker?.take(parseJson(data));
    const { error } = JSON.parse(failure || '{}');
    if (error !== undefined) taker?.fail(error);
    return exit;
  };

const list = (
  source: string,
  main: (argv: readonly string[], context: Context) => Promise<number>,
  words: readonly string[] = [],
  more?: Partial<CompletionEnvironment>,
): Promise<void> => refreshCompletionList({ source, words }, outside(more), { main, context: {} as Context });

const TASKS = JSON.stringify(
  [
    { id: 2, name: 'November news' },
    { id: 1, name: 'Espresso' },
  ],
  null,
  2,
);

describe('ids of records', () => {
  it('are empty at first, while one process fetches them', () => {
    expect(ask('task', '')).toEqual({ lines: [], listsToRefresh: ['task'], isCold: true });
    expect(ask('task', '')).toEqual({ lines: [], listsToRefresh: [], isCold: true });
  });

  it('come in their order with their names once they are cached, filtered by the typed beginning', async () => {
    await list('task', answers(TASKS));
    expect(ask('task', '')).toEqual({
      lines: ['2\tNovember news', '1\tEspresso'],
      listsToRefresh: [],
      isCold: false,
    });
    expect(ask('task', '2').lines).toEqual(['2\tNovember news']);
    expect(ask('task', '9').lines).toEqual([]);
  });

  it('are refreshed in the background after 20 s, and hidden after 60', async () => {
    await list('task', answers(TASKS));
    const at = (seconds: number) => ask('task', '1', [], { now: NOW + seconds * 1000 });
    expect(at(19)).toEqual({ lines: ['1\tEspresso'], listsToRefresh: [], isCold: false });
    expect(at(59)).toEqual({ lines: ['1\tEspresso'], listsToRefresh: ['task'], isCold: false });
    expect(at(60)).toEqual({ lines: [], listsToRefresh: ['task'], isCold: true });
    expect(at(-1)).toMatchObject({ lines: [] });
  });

  it.each<[string, readonly string[], Partial<CompletionEnvironment>]>([
    ['another profile', ['--profile', 'shop'], {}],
    ['another profile by =', ['--profile=shop'], {}],
    ['another company', ['--company', '7'], {}],
    ['another user', ['--user', '7'], {}],
    ['another company in the environment', [], { env: { SVC_COMPANY_ID: '7' } }],
    ['another address in the environment', [], { env: { SVC_BASE_URL: 'https://other.example.com' } }],
  ])('of one account are not shown for %s', async (_, words, more) => {
    await list('task', answers(TASKS));
    expect(ask('task', '', words, more)).toEqual({ lines: [], listsToRefresh: ['task'], isCold: true });
  });

  it('are not shown if the profile file has changed, or another folder pins another company', async () => {
    await list('task', answers(TASKS));
    await pin(home, '{"company":7}');
    expect(ask('task', '')).toMatchObject({ lines: [], isCold: true });
    // Contract, "Partners and many companies": the nearest file above counts, too.
    mkdirSync(join(home, 'below'));
    expect(ask('task', '', [], { cwd: join(home, 'below') }).lines).toEqual([]);
    writeFileSync(join(home, '.svc.json'), '{"key":"x"}');
    expect(ask('task', '')).toEqual({ lines: [], listsToRefresh: [], isCold: false });
    await rm(join(home, '.svc.json'));
    expect(ask('task', '').lines).toHaveLength(2);
    store({ prod: { ...PROD, companyId: 12345 } }, 'prod');
    expect(ask('task', '').lines).toEqual([]);
  });

  it('are fetched with the flags of the line, once, without a question, within 3 s', async () => {
    let asked: readonly string[] = [];
    await list(
      'task',
      async (argv) => {
        asked = argv;
        return 0;
      },
      ['task', 'get', '--profile', "'shop'", '--company=7'],
    );
    const how = '-o json --timeout 3s --retries 0 --no-input --quiet --profile shop --company 7';
    expect(asked.join(' ')).toBe(`task list --sort id --reverse --limit 100 ${how}`);
  });

  it('are exact beyond 2^53', async () => {
    const text = JSON.stringify([{ id: 7, name: '"id": 9007199254740993' }], null, 2);
    await list('task', answers(text.replace('"id": 7', '"id": 9007199254740993')));
    expect(ask('task', '').lines).toEqual(['9007199254740993\t"id": 9007199254740993']);
  });

  it('of messages belong to the channel, or to both channels', async () => {
    await list('email', answers('[{"id":1,"name":"News"},{"id":2,"name":"Sale"}]'));
    await list('sms-message', answers('[{"id":1,"name":"Seat"}]'));
    expect(ask('message', '').lines).toEqual(['1\te-mail: News, SMS: Seat', '2\te-mail: Sale']);
    expect(ask('message', '', ['task', 'create', '--channel', 'sms']).lines).toEqual(['1\tSeat']);
    expect(ask('message', '', ['--channel=email']).lines).toEqual(['1\tNews', '2\tSale']);
  });

  it('of rules include their kind', async () => {
    const rules = '[{"kind":"click","id":1,"name":"A"},{"kind":"date","id":1,"name":"B"}]';
    await list('automation', answers(rules));
    expect(ask('automation', '').lines).toEqual(['click:1\tA', 'date:1\tB']);
    expect(ask('automation', '', ['automation', 'get', '--kind', 'date']).lines).toEqual(['date:1\tB']);
  });

  it('of lists begin with the names in the profile, without a request', async () => {
    store({ prod: { ...PROD, lists: { Newsletter: 3, 'Loyalty club': 2 } } }, 'prod');
    const all = ['Newsletter\tlist 3', 'Loyalty club\tlist 2'];
    expect(ask('list', '', [], { env: { SVC_COMPLETE_LIVE: '0' } }).lines).toEqual(all);
    expect(ask('list', 'Loy').lines).toEqual(['Loyalty club\tlist 2']);
  });

  it('of lists are those that tasks use, and in a sandbox its own lists', async () => {
    const tasks =
      '[{"id":9,"list_id":3,"name":"News"},{"id":8,"list_id":3,"name":"Old"},{"id":7,"list_id":null,"name":"S"}]';
    await list('list', answers(tasks));
    expect(ask('list', '').lines).toEqual(['3\tused by task News']);
    store({ prod: { ...PROD, sandbox: { dataDir: '/x', controlToken: 't' } } }, 'prod');
    await list('list', async (argv, context) => {
      expect(argv.slice(0, 3)).toEqual(['sandbox', 'list', 'list']);
      return answers('[{"id":3,"name":"Newsletter"}]')(argv, context);
    });
    expect(ask('list', '').lines).toEqual(['3\tNewsletter']);
  });
});

describe('names', () => {
  it.each([
    ['a \x1b[31mred\x07 one', 'a [31mred one'],
    ['two\nlines\tand a tab', 'two lines and a tab'],
    ['$(touch x) `y` \'"\\ %s', '$(touch x) `y` \'"\\ %s'],
    ['Grüße 東京 🎉', 'Grüße 東京 🎉'],
    ['a\u202eb\u200bc\u2028d', 'a b c d'],
    ['x'.repeat(70), `${'x'.repeat(59)}…`],
  ])('%j is inserted as %j', async (name, shown) => {
    await list('task', answers(JSON.stringify([{ id: 1, name }])));
    expect(ask('task', '').lines).toEqual([`1\t${shown}`]);
  });

  it('leaves out an id with characters that a shell would interpret', async () => {
    await list(
      'task',
      answers(JSON.stringify(['$(touch x)', '1;ls', '-rf', '1 2', '1'].map((id) => ({ id })))),
    );
    expect(ask('task', '').lines).toEqual(['1\t']);
  });
});

describe('sends no request', () => {
  const nothing = { lines: [], listsToRefresh: [], isCold: false };

  it.each<[string, readonly string[], Partial<CompletionEnvironment>]>([
    ['with SVC_COMPLETE_LIVE=0', [], { env: { SVC_COMPLETE_LIVE: '0' } }],
    ['without a safe folder', [], { folder: undefined }],
    ['with a --base-url on the line', ['--base-url', 'https://evil.example.com'], {}],
    ['as an unknown profile', ['--profile', 'gone'], {}],
    ['if only the shell knows the company', ['--company', '"$COMPANY"'], {}],
    ['if only the shell knows the profile', ['--profile', '`cat x`'], {}],
    ['for a company that only the shell knows', ['--company', 'a\\n$x'], {}],
    ['for many companies', ['task', 'get', '--companies', '12'], {}],
    ['for many companies by =', ['task', 'get', '--companies=all'], {}],
  ])('%s', async (_, words, more) => {
    await list('task', answers(TASKS));
    expect(ask('task', '', words, more)).toEqual(nothing);
  });

  it('for another flag, except the flag whose value is being typed', () => {
    expect(ask('user', '', ['folder', 'list', '--user']).listsToRefresh).toEqual(['user']);
    expect(ask('profile', '', ['--profile']).lines).toHaveLength(2);
  });

  it('without credentials', () => {
    expect(ask('task', '', [], { env: { SVC_CONFIG_DIR: join(home, 'none') } })).toEqual(nothing);
    store({}, undefined);
    expect(ask('task', '')).toEqual(nothing);
    expect(ask('task', '', [], { env: { SVC_API_KEY: 'k' } })).toMatchObject({ isCold: true });
  });

  it('if others can read the profile file', () => {
    chmodSync(join(home, 'config', 'config.json'), 0o644);
    expect(ask('task', '')).toEqual(nothing);
    expect(ask('profile', '')).toEqual(nothing);
  });

  it('if a key command would run, unless that is allowed or a key is set', () => {
    const { apiKey: _, ...withoutKey } = PROD;
    store({ prod: { ...withoutKey, keyCommand: 'pass show svc' } }, 'prod');
    expect(ask('task', '')).toEqual(nothing);
    expect(ask('task', '', [], { env: { SVC_COMPLETE_LIVE: 'key-command' } }).isCold).toBe(true);
    expect(ask('task', '', [], { env: { SVC_API_KEY: 'k' } }).isCold).toBe(true);
    expect(ask('task', '', [], { env: { SVC_PARTNER_API_KEY: 'k' } })).toEqual(nothing);
  });

  // Interface, "Authentication": three refusals in a row lock the user.
  it('for an hour after the key was refused, or until the profiles change', async () => {
    const refusal = '{"error":{"kind":"denied","exit":3,"message":"…","http":401}}\n';
    await list('task', answers('', 3, refusal));
    const later = (minutes: number) => ask('folder', '', [], { now: NOW + minutes * 60_000 });
    expect([later(0), later(59)]).toEqual([nothing, nothing]);
    store({ prod: { ...PROD, apiKey: 'another' } }, 'prod');
    expect(later(0)).toMatchObject({ listsToRefresh: ['folder'] });
  });

  it('for 20 s after a failure, which is silent', async () => {
    await list('task', answers('', 7, '{"error":{"kind":"unreachable","exit":7}}'));
    expect(ask('task', '')).toEqual(nothing);
    expect(ask('task', '', [], { now: NOW + 21_000 }).listsToRefresh).toEqual(['task']);
  });

  it('twice at the same time, unless the first one takes too long', () => {
    const kept = openCompletionListCache(join(home, 'cache'));
    const now = Date.now();
    expect([kept.startRefresh('a', now), kept.startRefresh('a', now), kept.startRefresh('b', now)]).toEqual([
      true,
      false,
      true,
    ]);
    expect(kept.startRefresh('a', now + 16_000)).toBe(true);
  });
});

describe('the cache', () => {
  it('is readable only by this user, and deleted when it is old', async () => {
    await list('task', answers(TASKS));
    const folder = join(home, 'cache');
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const [name = ''] = readdirSync(folder);
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(folder, name), 'utf8')).not.toContain('"k"');
    openCompletionListCache(folder).deleteExpired(Date.now() + 61_000);
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each(['', '{', 'null', '[]', `{"at":${NOW},"items":3}`, `{"at":${NOW},"items":[3,{"id":4}]}`])(
    'offers nothing from %j, which another program may have written',
    async (text) => {
      await list('task', answers(TASKS));
      const [name = ''] = readdirSync(join(home, 'cache'));
      writeFileSync(join(home, 'cache', name), text);
      expect(ask('task', '').lines).toEqual([]);
    },
  );
});

describe('values from the profiles', () => {
  it('have the account as the description of a profile', () => {
    expect(ask('profile', '').lines).toEqual([
      'prod\tcompany 1 at https://api.example.com, default',
      'shop\tcompany 7 at https://shop.example.com',
    ]);
    expect(ask('profile', 's', [], { env: { SVC_COMPLETE_LIVE: '0' } }).lines).toHaveLength(1);
  });

  it('are empty for an unknown kind', () => {
    for (const source of ['', 'nothing', 'constructor', '__proto__', 'toString'])
      expect(ask(source, '')).toEqual({ lines: [], listsToRefresh: [], isCold: false });
  });
});

// Contract, "Partners and many companies".
describe('companies of a roster', () => {
  const company = (id: number, name: string, ...tags: string[]) => ({ id, name, tags, note: null });
  const ROSTER = [
    company(12, 'Harbour Coffee', 'uk', 'retail'),
    company(15, 'Harbour "Tea", Ltd', 'uk'),
    company(21, 'Twin'),
    company(22, 'Twin'),
    company(23, '2024'),
    company(24, 'all'),
    company(25, '!bang'),
    company(26, 'a\u202eb'),
  ];
  beforeEach(() => {
    const agency = { kind: 'partner', baseUrl: 'https://api.example.com', partnerId: 1, apiKey: 'k' };
    store({ prod: PROD, agency: { ...agency, roster: ROSTER }, big: agency }, 'prod');
  });
  const offered = (source: string, word: string, words: readonly string[] = []) =>
    ask(source, word, ['--profile', 'agency', ...words]);
  const words = (source: string, word: string) =>
    offered(source, word).lines.map((line) => line.split('\t')[0]);

  it('are ids with names, from the profile alone', () => {
    const { lines, listsToRefresh, isCold } = offered('company', '');
    expect(lines.slice(0, 3)).toEqual(['12\tHarbour Coffee', '15\tHarbour "Tea", Ltd', '21\tTwin']);
    expect(lines).toHaveLength(ROSTER.length);
    expect({ listsToRefresh, isCold }).toEqual({ listsToRefresh: [], isCold: false });
    expect(ask('company', '').lines).toEqual([]);
    expect(ask('company', '', ['--profile', 'big']).lines).toEqual([]);
    expect(ask('company', '', [], { env: { SVC_PROFILE: 'agency' } }).lines).toHaveLength(ROSTER.length);
  });

  it('are names after the first letter of one, if only one company has the name and it can be shown', () => {
    expect(offered('company', 'Harb').lines).toEqual([
      'Harbour Coffee\tcompany 12',
      'Harbour "Tea", Ltd\tcompany 15',
    ]);
    expect([words('company', 'Tw'), words('company', 'a'), words('company', '2')]).toEqual([
      [],
      ['all'],
      ['21', '22', '23', '24', '25', '26'],
    ]);
  });

  it('of --companies are ids, tags and all, with ids for names that a selector reads differently', () => {
    expect(offered('companies', '').lines.slice(0, 5)).toEqual([
      'all\tall 8 companies in the company list',
      'tag:retail\t1 company',
      'tag:uk\t2 companies',
      '12\tHarbour Coffee',
      '15\tHarbour "Tea", Ltd',
    ]);
    expect(words('companies', 'tag:u')).toEqual(['tag:uk']);
    expect(words('companies', 'a')).toEqual(['all']);
    expect(words('companies', 'H')).toEqual(['Harbour Coffee']);
    expect(words('companies', '"H')).toEqual(['"Harbour Coffee"', '"Harbour ""Tea"", Ltd"']);
    expect(ask('companies', '').lines).toEqual([]);
  });

  it.each([
    ['12,1', ['12,15']],
    ['12,Harb', ['12,Harbour Coffee']],
    ['tag:uk,tag:', ['tag:uk,tag:retail']],
    ['"Harbour ""Tea"", Ltd",12', ['"Harbour ""Tea"", Ltd",12']],
    ['all,!1', ['all,!12', 'all,!15']],
    ['all,!a', []],
    ['all,!tag:r', ['all,!tag:retail']],
  ])('of --companies after %j are %j', (typed, expected) => {
    expect(words('companies', typed)).toEqual(expected);
  });

  it('of a profile that a .svc.json selects are those of that profile', async () => {
    mkdirSync(join(home, 'a', 'b'), { recursive: true });
    await pin(join(home, 'a'), '{"profile":"agency"}');
    const cwd = join(home, 'a', 'b');
    expect(ask('company', '1', [], { cwd }).lines).toHaveLength(2);
    expect(ask('company', '1', ['--profile=prod'], { cwd }).lines).toEqual([]);
    expect(ask('company', '1', [], { cwd, env: { SVC_PROFILE: 'prod' } }).lines).toEqual([]);
    writeFileSync(join(home, 'a', '.svc.json'), '{"key":"agency"}');
    expect(ask('company', '1', [], { cwd }).lines).toEqual([]);
    // Second attack M1: a file that nobody has accepted selects nothing.
    writeFileSync(join(home, 'a', '.svc.json'), '{"profile": "agency"}');
    expect(ask('company', '1', [], { cwd })).toEqual({ lines: [], listsToRefresh: [], isCold: false });
    expect(ask('company', '1', ['--profile=agency'], { cwd }).lines).toHaveLength(2);
  });

  it('have tags with the number of their companies', () => {
    expect(offered('company-tag', '').lines).toEqual(['retail\t1 company', 'uk\t2 companies']);
  });

  it('exclude invalid names of a file that was edited by hand', () => {
    const roster = [3, null, { id: 1 }, { id: '2', name: 'x' }, { id: 4, name: 'Four', tags: 'uk' }];
    store({ agency: { kind: 'partner', roster } }, 'agency');
    expect(ask('company', '').lines).toEqual(['4\tFour']);
    store({ agency: { kind: 'partner', roster: 'x' } }, 'agency');
    expect(ask('companies', '').lines).toEqual([]);
  });

  it.each([
    ['12', '12'],
    ["'Harbour Coffee'", 'Harbour Coffee'],
    ['"Harbour Coffee"', 'Harbour Coffee'],
    ['"Joe\'s"', "Joe's"],
    ['Harbour\\ Coffee', 'Harbour Coffee'],
    ['a\\$b\\`c', 'a$b`c'],
  ])('named as %s on the line are requested as %s', async (written, company) => {
    let asked: readonly string[] = [];
    const main = async (argv: readonly string[]): Promise<number> => {
      asked = argv;
      return 0;
    };
    await list('task', main, ['--profile', 'agency', '--company', written]);
    expect(asked.slice(-4)).toEqual(['--profile', 'agency', '--company', company]);
  });
});

it('every source of a list is an existing command', async () => {
  for (const { command, sandboxCommand } of Object.values(CANDIDATE_LIST_COMMANDS)) {
    for (const words of [command, sandboxCommand ?? command]) {
      const tree = await topLevelCommandEntries.find(({ name }) => name === words[0])?.load();
      const names = tree && 'commands' in tree ? tree.commands.map(({ name }) => name) : [];
      expect(names, words.join(' ')).toContain(words[1]);
    }
  }
});
