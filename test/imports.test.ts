/** Design, "Who may import whom": compares the table with the imports of src. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

interface Module {
  /** Modules of src that this module may import. */
  readonly from: readonly string[];
  /** Packages that any file of this module may import. */
  readonly packages?: readonly string[];
  /** Packages that only some files of this module may import: the start of their path → packages. */
  readonly only?: Readonly<Record<string, readonly string[]>>;
  /** Node's own modules that this module may import. */
  readonly node: readonly string[] | 'all';
}

/** The modules from text to protocol only compute: no clock, no randomness, no I/O. */
const MODULES: Readonly<Record<string, Module>> = {
  'kit/text': {
    from: [],
    only: {
      'kit/text/csv.ts': ['csv-stringify'],
      'kit/text/display-width.ts': ['get-east-asian-width'],
      'kit/text/html-tokens.ts': ['parse5'],
      'kit/text/html-tree.ts': ['parse5'],
      'kit/text/day-span.ts': ['luxon'],
      'kit/text/time-phrase.ts': ['luxon'],
    },
    node: [],
  },
  'kit/files': { from: ['kit/text'], node: 'all' },
  'kit/schema': { from: ['kit/text'], packages: ['zod'], node: [] },
  'kit/report': { from: ['kit/text'], node: [] },
  'service/resources': { from: ['kit/schema', 'kit/text'], node: [] },
  'service/explanations': { from: ['service/resources', 'kit/schema', 'kit/text'], node: [] },
  'service/protocol': { from: ['kit/schema', 'kit/text'], node: [] },
  'service/auth': { from: ['service/protocol', 'kit/text'], node: ['node:crypto'] },
  'service/lint': {
    from: ['service/protocol', 'service/resources', 'kit/schema', 'kit/text'],
    node: [],
  },
  'service/automations': {
    from: ['service/protocol', 'service/resources', 'kit/schema', 'kit/text'],
    only: { 'service/automations/action-time.ts': ['luxon'] },
    node: [],
  },
  'client/requests': {
    from: ['service/auth', 'service/protocol', 'service/resources', 'kit/schema', 'kit/text'],
    packages: ['undici'],
    node: 'all',
  },
  'client/profiles': {
    from: ['service/auth', 'kit/files', 'service/protocol', 'kit/schema', 'kit/text'],
    packages: ['conf'],
    only: { 'client/profiles/key-command.ts': ['execa'] },
    node: 'all',
  },
  'client/journal': {
    from: [
      'service/auth',
      'client/requests',
      'kit/files',
      'client/profiles',
      'service/protocol',
      'service/resources',
      'kit/schema',
      'kit/text',
    ],
    node: 'all',
  },
  'client/bulk': {
    from: [
      'service/auth',
      'client/requests',
      'kit/files',
      'client/journal',
      'client/profiles',
      'service/protocol',
      'service/resources',
      'kit/schema',
      'kit/text',
    ],
    only: { 'client/bulk/records.ts': ['csv-parse'] },
    node: 'all',
  },
  'client/sends': {
    from: [
      'client/requests',
      'kit/files',
      'client/profiles',
      'service/protocol',
      'service/resources',
      'kit/schema',
      'kit/text',
    ],
    node: ['node:crypto', 'node:path'],
  },
  'client/companies': {
    from: [
      'service/auth',
      'client/bulk',
      'client/requests',
      'kit/files',
      'client/journal',
      'client/profiles',
      'service/protocol',
      'service/resources',
      'kit/schema',
      'kit/text',
    ],
    node: 'all',
  },
  'features/campaign': {
    from: [
      'service/auth',
      'client/requests',
      'kit/files',
      'client/journal',
      'service/lint',
      'client/profiles',
      'service/protocol',
      'service/resources',
      'kit/schema',
      'client/sends',
      'kit/text',
    ],
    only: {
      'features/campaign/file/': ['yaml'],
      'features/campaign/approval/': ['execa'],
      'features/campaign/diff.ts': ['diff'],
      'features/campaign/test-file/sends-file.ts': ['diff'],
    },
    node: 'all',
  },
  'features/conformance': {
    from: ['service/auth', 'client/requests', 'service/protocol', 'kit/schema', 'kit/text'],
    node: ['node:crypto'],
  },
  sandbox: {
    from: [
      'service/auth',
      'service/automations',
      'kit/files',
      'service/lint',
      'service/protocol',
      'kit/report',
      'service/resources',
      'kit/schema',
      'kit/text',
    ],
    packages: ['nodemailer'],
    only: {
      'sandbox/store/': ['libsql'],
      'sandbox/store/driver/': ['libsql', 'pg'],
      'sandbox/server.ts': ['hono', '@hono/node-server'],
      'sandbox/start.ts': ['hono', '@hono/node-server'],
      'sandbox/http/': ['hono', '@hono/node-server'],
      'sandbox/control/': ['hono', '@hono/node-server'],
      'sandbox/pages/': ['hono', '@hono/node-server'],
    },
    node: 'all',
  },
  'features/insight': {
    from: [
      'client/requests',
      'service/automations',
      'service/protocol',
      'kit/report',
      'service/resources',
      'kit/schema',
      'client/sends',
      'kit/text',
    ],
    node: [],
  },
  'features/explain': {
    from: [
      'service/auth',
      'features/campaign',
      'service/explanations',
      'service/protocol',
      'kit/report',
      'service/resources',
      'kit/schema',
      'kit/text',
    ],
    node: [],
  },
  'features/rehearse': {
    from: [
      ...[
        'service/automations',
        'features/campaign',
        'client/requests',
        'service/protocol',
        'service/resources',
        'sandbox',
        'kit/schema',
        'client/sends',
        'kit/text',
      ],
    ],
    node: [],
  },
  cli: {
    from: [
      ...[
        'kit/text',
        'kit/files',
        'kit/schema',
        'kit/report',
        'service/resources',
        'service/explanations',
        'service/protocol',
        'service/auth',
        'service/automations',
        'service/lint',
      ],
      ...[
        'client/requests',
        'client/profiles',
        'client/journal',
        'client/bulk',
        'client/sends',
        'features/insight',
        'features/explain',
        'client/companies',
        'features/campaign',
        'features/conformance',
        'sandbox',
        'features/rehearse',
      ],
    ],
    packages: [
      'commander',
      '@inquirer/prompts',
      'cli-table3',
      'chalk',
      'yaml',
      '@jmespath-community/jmespath',
      'execa',
    ],
    only: {
      'cli/outside/version.ts': ['package.json'],
      'cli/output/jq': ['jq-wasm'],
      'cli/commands/mcp/': ['@modelcontextprotocol/sdk'],
      'cli/commands/agent/json-configuration.ts': ['jsonc-parser'],
      'cli/commands/agent/toml-configuration.ts': ['smol-toml'],
      // The build makes this module from the declarations of the commands.
      'cli/completion/entry.ts': ['svc:completion-tree'],
    },
    node: 'all',
  },
};

/**
 * The layers from the ground up, types included: a file imports nothing from a room above its own, and rooms of one layer have no cycle.
 * The sandbox is on the layer of the client, and MODULES keeps them apart.
 */
const FLOORS: readonly (readonly string[])[] = [
  ['kit/text', 'kit/files'],
  ['kit/schema', 'kit/report'],
  ['service/resources', 'service/protocol'],
  ['service/explanations', 'service/auth', 'service/automations', 'service/lint'],
  ['client/requests', 'client/profiles'],
  ['sandbox/store', 'sandbox/seeded-random.ts'],
  ['sandbox/request', 'sandbox/fault-injection.ts'],
  ['sandbox/engine'],
  ['sandbox/seed', 'sandbox/behaviours', 'sandbox/smtp'],
  ['sandbox/data', 'sandbox/operations'],
  ['sandbox/handle.ts'],
  ['sandbox/service.ts'],
  ['sandbox/http'],
  ['sandbox/control'],
  ['sandbox/pages'],
  ['sandbox/server.ts'],
  ['sandbox/start.ts'],
  ['client/journal', 'client/bulk', 'features/conformance'],
  ['client/sends'],
  ['client/companies', 'features/campaign', 'features/insight'],
  ['features/rehearse', 'features/explain'],
  ['cli/errors'],
  ['cli/outside'],
  ['cli/output'],
  ['cli/session'],
  ['cli/command'],
  ['cli/request'],
  ['cli/bulk', 'cli/companies'],
  ['cli/nouns/generic'],
  ['cli/nouns/*'],
  ['cli/commands'],
  ['cli/completion'],
  ['cli/registry'],
  ['run.ts'],
  ['main.ts'],
];

/** Packages that only one module may import, even if the table above lists them for others. */
const ALONE: Readonly<Record<string, RegExp>> = {
  libsql: /^sandbox\/store\//,
  pg: /^sandbox\/store\/driver\//,
  undici: /^client\/requests\//,
  conf: /^client\/profiles\//,
  'csv-parse': /^client\/bulk\/records\.ts$/,
  'csv-stringify': /^kit\/text\/csv\.ts$/,
  'get-east-asian-width': /^kit\/text\/display-width\.ts$/,
  parse5: /^kit\/text\/html-(tokens|tree)\.ts$/,
  luxon: /^(kit\/text\/(day-span|time-phrase)|service\/automations\/action-time)\.ts$/,
  zod: /^kit\/schema\//,
  commander: /^cli\//,
};

type Kind = 'static' | 'type' | 'dynamic';

interface Import {
  readonly file: string;
  readonly kind: Kind;
  /** The specifier in the source. */
  readonly specifier: string;
  /** A file of src, or the name of a package. */
  readonly target: string;
}

const SRC = new URL('../src', import.meta.url).pathname;
const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .sort();
const imports = files.flatMap((file) => importsOf(file, readFileSync(join(SRC, file), 'utf8')));
const inside = imports.filter(({ target }) => target.endsWith('.ts'));
/** Files that the bundle includes as text: style sheets, scripts for browsers, and the script of a thread. */
const texts = imports.filter(({ specifier }) => /^\..*\?(text|script)$/.test(specifier));
const outside = imports.filter((each) => !each.target.endsWith('.ts') && !texts.includes(each));

describe('the imports of src', () => {
  it('are found', () => {
    expect(files.length).toBeGreaterThan(100);
    expect(inside.length).toBeGreaterThan(300);
    expect(new Set(inside.map(({ kind }) => kind))).toEqual(new Set(['static', 'type', 'dynamic']));
  });

  it('name existing files, with their extension', () => {
    expect(inside.filter(({ target }) => !files.includes(target))).toEqual([]);
  });

  it('name existing texts: in the same room, or a script of completions/', () => {
    expect(texts.length).toBeGreaterThan(1);
    const pathOf = ({ file, specifier }: Import): string =>
      join(SRC, dirname(file), specifier.replace(/\?\w+$/, ''));
    expect(texts.filter((each) => !existsSync(pathOf(each)))).toEqual([]);
    const others = texts.filter(({ file, target }) => roomOf(file) !== roomOf(target));
    expect(others.map(pathOf).filter((path) => dirname(path) !== join(SRC, '../completions'))).toEqual([]);
  });

  it('are in the modules of the table, or in main.ts and run.ts', () => {
    const known = files.filter((file) => !(moduleOf(file) in MODULES));
    expect(known).toEqual(['main.ts', 'run.ts']);
  });
});

describe('the README of a floor', () => {
  it.each(Object.keys(MODULES))('has a row for %s, with what it may import', (name) => {
    const page = readFileSync(join(SRC, name.split('/')[0] ?? '', 'README.md'), 'utf8');
    const row = page.split('\n').find((line) => line.startsWith(`| \`${name}\` `));
    expect(row).toMatch(/^\|( [^|]+ \|){4}$/);
    const words = row?.split('|')[3] ?? '';
    const named =
      words.includes('as ') || words.includes('all') ? undefined : words.match(/[a-z]+(\/[a-z]+)?/g);
    if (named !== undefined) expect((named ?? []).sort()).toEqual([...(MODULES[name]?.from ?? [])].sort());
  });
});

describe.each(Object.entries(MODULES))('%s', (name, rule) => {
  const own = (list: readonly Import[]): readonly Import[] =>
    list.filter(({ file }) => moduleOf(file) === name);

  it(`imports of src only ${rule.from.join(', ') || 'itself'}`, () => {
    const others = own(inside).filter(
      ({ target }) => moduleOf(target) !== name && !rule.from.includes(moduleOf(target)),
    );
    expect(others.map(line)).toEqual([]);
  });

  it('imports only its packages', () => {
    const strangers = own(outside).filter(
      ({ file, target }) => !target.startsWith('node:') && !packagesOf(rule, file).includes(target),
    );
    expect(strangers.map(line)).toEqual([]);
  });

  it(`imports only these modules of Node: ${rule.node === 'all' ? 'all' : rule.node.join(', ') || 'none'}`, () => {
    const strangers = own(outside).filter(
      ({ target }) => target.startsWith('node:') && rule.node !== 'all' && !rule.node.includes(target),
    );
    expect(strangers.map(line)).toEqual([]);
  });
});

describe('restrictions to one place', () => {
  it.each(Object.entries(ALONE))('%s', (name, place) => {
    const users = outside.filter(({ target }) => target === name);
    expect(users.filter(({ file }) => !place.test(file)).map(line)).toEqual([]);
  });

  it('the command line loads the sandbox, and rehearsals that run it, only by dynamic import()', () => {
    const runners = ['sandbox', 'features/rehearse'];
    const doors = inside.filter(
      ({ file, target }) => runners.includes(moduleOf(target)) && !runners.includes(moduleOf(file)),
    );
    expect(doors.filter(({ kind }) => kind === 'static').map(line)).toEqual([]);
    expect(doors.filter(({ file }) => !/^(cli\/|main\.ts$)/.test(file)).map(line)).toEqual([]);
  });

  it('clock and randomness are arguments in text, schema, resources, protocol, auth and automations', () => {
    const impure = files.filter(
      (file) =>
        [
          'kit/text',
          'kit/schema',
          'service/resources',
          'service/protocol',
          'service/auth',
          'service/automations',
        ].includes(moduleOf(file)) &&
        /\bDate\.now\(|new Date\(\)|Math\.random\(|\brandomBytes\b|\bprocess\.|\bfetch\(/.test(
          withoutComments(readFileSync(join(SRC, file), 'utf8')),
        ),
    );
    expect(impure).toEqual([]);
  });

  // Contract, "Safety": no write goes round the checks, the budget and the journal.
  it('a verb reaches the service only through the client of its session, whose writes pass all stages', () => {
    const makers: Readonly<Record<string, readonly string[]>> = {
      'client/requests/client.ts': ['cli/session/clients.ts', 'features/rehearse/copied-service.ts'],
      'client/requests/call.ts': [],
      'client/requests/resource-calls.ts': [],
      // Only for the check of a filter, which sends nothing.
      'client/requests/writes.ts': ['cli/session/planned-change.ts'],
      'cli/session/clients.ts': ['cli/session/access.ts', 'cli/session/session.ts'],
      'cli/session/connections.ts': [
        // It only reads, before there is a profile.
        'cli/commands/profile-check.ts',
        // It checks a service with requests of its own, after it has refused a read-only profile.
        'cli/commands/sandbox/conformance.ts',
        'cli/session/session.ts',
      ],
    };
    for (const [maker, users] of Object.entries(makers)) {
      const found = inside.filter(
        ({ file, target, kind }) =>
          target === maker && kind !== 'type' && moduleOf(file) !== 'client/requests',
      );
      expect([maker, ...found.map(({ file }) => file)]).toEqual([maker, ...users]);
    }
    const wires = inside.filter(
      ({ file, target, kind }) =>
        target.startsWith('client/requests/transport/') &&
        kind !== 'type' &&
        moduleOf(file) !== 'client/requests',
    );
    // `svc doctor` reads the address of the proxy and the certificate.
    const users = new Set(wires.map(({ file }) => file));
    expect([...users].sort()).toEqual(['cli/commands/doctor.ts', 'cli/session/connections.ts']);
  });

  it('only one module ends the process', () => {
    const exits = files.filter((file) =>
      /process\.exit\(/.test(withoutComments(readFileSync(join(SRC, file), 'utf8'))),
    );
    expect(exits).toEqual([]);
  });
});

describe('the layers of rooms', () => {
  it('have a place for every file', () => {
    expect(files.filter((file) => floorOf(file) < 0)).toEqual([]);
  });

  it('are never imported upwards, including types and import()', () => {
    const up = inside.filter(({ file, target }) => floorOf(target) > floorOf(file));
    expect(up.map(line)).toEqual([]);
  });

  it('have no cycle of files', () => {
    const edges = new Map<string, string[]>(files.map((file) => [file, []]));
    for (const { file, target } of inside) edges.get(file)?.push(target);
    expect(cycles(edges)).toEqual([]);
  });

  it('have no cycle of rooms', () => {
    const edges = new Map<string, string[]>(files.map((file) => [roomOf(file), []]));
    for (const { file, target } of inside)
      if (roomOf(target) !== roomOf(file)) edges.get(roomOf(file))?.push(roomOf(target));
    expect(cycles(edges)).toEqual([]);
  });

  it('know the rooms of a file', () => {
    expect(roomOf('cli/nouns/task/create.ts')).toBe('cli/nouns/task');
    expect(roomOf('cli/commands/sandbox/start.ts')).toBe('cli/commands');
    expect(roomOf('sandbox/store/open.ts')).toBe('sandbox/store');
    expect(roomOf('sandbox/store/driver/sql.ts')).toBe('sandbox/store');
    expect(roomOf('sandbox/handle.ts')).toBe('sandbox/handle.ts');
    expect(floorOf('cli/nouns/task/create.ts')).toBeGreaterThan(floorOf('cli/nouns/generic/write.ts'));
    expect(floorOf('cli/nowhere/x.ts')).toBe(-1);
  });
});

describe('import cycles', () => {
  it('reports an existing cycle', () => {
    const edges = new Map([
      ['a', ['b']],
      ['b', ['c']],
      ['c', ['a', 'd']],
      ['d', []],
    ]);
    expect(cycles(edges)).toEqual(['a → b → c → a']);
  });
});

describe('reading imports', () => {
  it('distinguishes kinds and targets', () => {
    const source = [
      "import { a } from '../service/auth/sign.ts';",
      "import type { B } from './body.ts';",
      "import {\n  type C,\n  d,\n} from 'libsql';",
      "import { type G, type H } from './call.ts';",
      "export { e } from '@hono/node-server/x';",
      "import 'node:fs';",
      "const f = await import('../cli/errors.ts');",
      "// import { no } from 'comment';",
    ].join('\n');
    expect(importsOf('sandbox/x.ts', source).map(({ kind, target }) => [kind, target])).toEqual([
      ['static', 'service/auth/sign.ts'],
      ['type', 'sandbox/body.ts'],
      ['static', 'libsql'],
      ['type', 'sandbox/call.ts'],
      ['static', '@hono/node-server'],
      ['static', 'node:fs'],
      ['dynamic', 'cli/errors.ts'],
    ]);
  });
});

function importsOf(file: string, text: string): readonly Import[] {
  const source = withoutComments(text);
  const found: (Import & { readonly at: number })[] = [];
  const add = (at: number, kind: Kind, specifier: string): void => {
    found.push({ at, file, kind, specifier, target: targetOf(file, specifier) });
  };
  for (const match of source.matchAll(/^(?:import|export)\s+(type\s+)?[^'";]*?from\s+'([^']+)'/gm))
    add(match.index, match[1] || isTypesOnly(match[0]) ? 'type' : 'static', match[2] ?? '');
  for (const match of source.matchAll(/^import\s+'([^']+)'/gm)) add(match.index, 'static', match[1] ?? '');
  for (const match of source.matchAll(/\bimport\(\s*'([^']+)'/g)) add(match.index, 'dynamic', match[1] ?? '');
  return found.sort((a, b) => a.at - b.at).map(({ at: _, ...each }) => each);
}

/** `import { type A, type B } from …` */
function isTypesOnly(statement: string): boolean {
  const names =
    /\{([^}]*)\}/
      .exec(statement)?.[1]
      ?.split(',')
      .filter((name) => name.trim() !== '') ?? [];
  const before = statement.slice(0, statement.indexOf('{'));
  return (
    names.length > 0 && /^(import|export)\s*$/.test(before) && names.every((name) => /^\s*type\s/.test(name))
  );
}

function targetOf(file: string, specifier: string): string {
  if (specifier.startsWith('.')) return relative('/', join('/', dirname(file), specifier));
  if (specifier.startsWith('node:')) return specifier;
  const parts = specifier.split('/');
  return parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/');
}

function withoutComments(source: string): string {
  return source.replaceAll(/^\s*\/\/.*$/gm, '').replaceAll(/^\s*\/\*\*?[\s\S]*?\*\//gm, '');
}

/** Returns `kit/text`, `sandbox` or `main.ts`. */
function moduleOf(file: string): string {
  const [floor = '', room = ''] = file.split('/');
  return FLOORS_WITH_ROOMS.includes(floor) ? `${floor}/${room}` : floor;
}

const FLOORS_WITH_ROOMS = ['kit', 'service', 'client', 'features'];

/** Returns the room of a file: `client`, `sandbox/store`, `sandbox/handle.ts`, `cli/output`, `cli/nouns/task`. */
function roomOf(file: string): string {
  const [module = '', room = '', noun = ''] = file.split('/');
  if (module === 'sandbox') return `sandbox/${room}`;
  if (module !== 'cli') return moduleOf(file);
  return room === 'nouns' ? `cli/nouns/${noun}` : `cli/${room}`;
}

/** Returns the layer of a room, or -1 if the file has no layer. */
function floorOf(file: string): number {
  const room = roomOf(file);
  const own = FLOORS.findIndex((rooms) => rooms.includes(room));
  return own >= 0 ? own : FLOORS.findIndex((rooms) => rooms.includes(room.replace(/[^/]+$/, '*')));
}

const packagesOf = (rule: Module, file: string): readonly string[] => [
  ...(rule.packages ?? []),
  ...Object.entries(rule.only ?? {}).flatMap(([start, names]) => (file.startsWith(start) ? names : [])),
];

const line = ({ file, specifier, kind }: Import): string => `${file}: ${specifier} (${kind})`;

/** Returns one cycle for each edge that closes one, as a path from the file where it was entered. */
function cycles(edges: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    const entered = path.indexOf(file);
    if (entered >= 0) {
      found.push([...path.slice(entered), file].join(' → '));
      return;
    }
    if (done.has(file)) return;
    for (const target of edges.get(file) ?? []) visit(target, [...path, file]);
    done.add(file);
  };
  for (const file of edges.keys()) visit(file, []);
  return found;
}
