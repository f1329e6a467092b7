/**
 * Runs the example of each command in the sandbox's demo company, and returns what it prints. Times, ids and random octets are the same in
 * every run.
 */
import { createHash } from 'node:crypto';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Verb } from '../../src/cli/command/command.ts';
import { effectOf } from '../../src/cli/command/effect.ts';
import type { ExampleOutput } from '../../src/cli/command/example-outputs.ts';
import type { Field } from '../../src/kit/schema/field.ts';
import { sql } from '../../src/sandbox/store/driver/sql.ts';
import { controlOperationNamed, controlOperationNames } from '../../src/service/protocol/control.ts';
import { catalogue } from '../../src/service/resources/catalogue.ts';
import { argvOf, openExamples } from './examples.ts';
import { registry } from './registry.ts';
import { NOBODY, type Outside, type Run, runCli } from './run-cli.ts';
import { runSandbox, temporaryFolder } from './running-sandbox.ts';
import { NOW } from './sandbox.ts';
import { makeTemporaryFolder, removeFolder } from './temporary-folder.ts';

/** Commands without an output here, by the reason. All others must succeed. */
const WITHOUT_OUTPUT: Readonly<Record<string, RegExp>> = {
  'starts a server, opens a browser, or follows events':
    /^(sandbox (start|open|conformance)|demo|mcp|email preview|log tail)$/,
  'changes the sandbox of the user': /^sandbox (stop|reset|clone)$/,
  'needs a key, an SSH key, signatures or a company that the demo does not have':
    /^(init|profile (add|trust|untrust)|company (add|sync)|plan show|promote|approve|audit)$/,
  'writes a file of the shell': /^completion /,
  'prints a page, or changes files of other programs': /^agent (guide|setup)$/,
};

export const isWithoutOutput = (path: string): boolean =>
  Object.values(WITHOUT_OUTPUT).some((names) => names.test(path));

type Runner = (line: string, more: readonly string[], outside?: Outside) => Promise<Run>;

/** Exit codes with which an example also shows a result: a check found something. */
const DONE = [0, 11];

export async function collectExampleOutputs(): Promise<Readonly<Record<string, ExampleOutput>>> {
  const outputs: Record<string, ExampleOutput> = {};
  const verbs = [...(await registry())].filter(
    ([path, { announced }]) => announced === undefined && !isWithoutOutput(path),
  );
  const ofSandbox = ([path]: readonly [string, Verb]): boolean => path.startsWith('sandbox ');
  const shared = onceOpened();
  for (const [path, verb] of verbs.filter((each) => !ofSandbox(each))) {
    const isShared =
      effectOf(verb) === 'reads' && !/export$/.test(path) && preparationsFor(path).length === 0;
    outputs[path] = await outputOf(path, verb, isShared ? shared : () => openWorld(path));
  }
  for (const [path, output] of await outputsOfSandbox(verbs.filter(ofSandbox))) outputs[path] = output;
  return Object.fromEntries(verbs.flatMap(([path]) => (outputs[path] ? [[path, outputs[path]]] : [])));
}

function onceOpened(): () => Promise<Runner> {
  let opened: Promise<Runner> | undefined;
  return () => {
    opened ??= openWorld('');
    return opened;
  };
}

/** @param open a new world for an example that changes something */
async function outputOf(path: string, verb: Verb, open: () => Promise<Runner>): Promise<ExampleOutput> {
  // Without a terminal, an example that asks needs `--yes`. Then a program gets the output of another command line.
  const asks = ASKING.includes(path);
  const inWorld = async (more: readonly string[], outside: Outside = {}): Promise<string> => {
    const isJson = more.length > 0;
    const line = isJson ? verb.example.replace(/ --format \w+/, '') : verb.example;
    const run = await (await open())(line, isJson && verb.output !== 'ndjson' ? more : [], outside);
    if (!DONE.includes(run.exitCode)) throw new Error(`svc ${verb.example}: ${run.exitCode}: ${run.stderr}`);
    return run.stdout;
  };
  return described(path, {
    output: asks ? '' : await inWorld([]),
    terminal: asks ? '' : await inWorld([], { tty: true, columns: COLUMNS }),
    json: await inWorld(['-o', 'json', ...(asks ? ['--yes'] : [])]),
  });
}

/** Examples that ask, and do not contain `--yes`. */
const ASKING = ['apply'];

interface Printed {
  readonly output: string;
  readonly terminal: string;
  readonly json: string;
}

const COLUMNS = 80;

function described(path: string, { output, terminal, json }: Printed): ExampleOutput {
  const short = linesOf(plain(terminal));
  const isShort =
    short.length > 0 &&
    short.length <= MAX_TERMINAL_LINES &&
    short.every((line) => line.length <= COLUMNS - 2);
  const found = fieldsIn(json, path.split(' ')[0] ?? '');
  const fields = Object.keys(found).length === 0 ? columnsOfOperation(path) : found;
  if (DIFFERS.test(path)) return { fields };
  return {
    ...(output.trim() === '' ? {} : { output: cut(output) }),
    ...(isShort ? { terminal: short.join('\n') } : {}),
    ...(Object.keys(fields).length === 0 ? {} : { fields }),
  };
}

/** Prints versions, or sizes and times of files. */
const DIFFERS = /^(doctor|sandbox snapshot (save|restore|list))$/;

const MAX_TERMINAL_LINES = 4;
const MAX_LINES = 8;
const MAX_LENGTH = 600;

const linesOf = (text: string): readonly string[] =>
  text
    .trimEnd()
    .split('\n')
    .filter((line) => line !== '');

const plain = (text: string): string => text.replaceAll(/\x1b\[[0-9;]*[A-Za-z]/g, '');

function cut(text: string): string {
  const lines = text.trimEnd().split('\n');
  const some = lines.slice(0, MAX_LINES).join('\n');
  const isCut = lines.length > MAX_LINES || some.length > MAX_LENGTH;
  return isCut ? `${some.slice(0, MAX_LENGTH)}\n…` : some;
}

/** Attributes that are null in the demo get the type of their declaration. */
function fieldsIn(json: string, noun: string): Readonly<Record<string, string>> {
  if (json.trim() === '') return {};
  const isLines = /^\{.*\}\n\{/.test(json);
  const value: unknown = isLines
    ? json
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
    : JSON.parse(json);
  const rows = (Array.isArray(value) ? value : [value]).filter(
    (row): row is Readonly<Record<string, unknown>> => typeof row === 'object' && row !== null,
  );
  const types = new Map<string, Set<string>>();
  for (const [name, each] of rows.flatMap((row) => Object.entries(row)))
    types.set(name, (types.get(name) ?? new Set()).add(typeOf(each)));
  const fields: Readonly<Record<string, Field>> = Object.assign(
    {},
    ...catalogue.filter((resource) => resource.noun === noun).map((resource) => resource.fields),
  );
  return Object.fromEntries(
    [...types].map(([name, found]) => [name, declaredType(fields[name]) ?? joinTypes(found)]),
  );
}

const joinTypes = (found: ReadonlySet<string>): string =>
  [...[...found].filter((type) => type !== 'null').sort(), ...(found.has('null') ? ['null'] : [])].join('|');

const typeOf = (value: unknown): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  return typeof value === 'string' ? 'text' : typeof value;
};

const TYPES: Readonly<Record<Field['kind'], string>> = {
  int: 'number',
  decimal: 'number',
  bool: 'boolean',
  string: 'text',
  enum: 'text',
};

const declaredType = (field: Field | undefined): string | undefined =>
  field && `${TYPES[field.kind]}${field.nullable ? '|null' : ''}`;

/** Commands that run before an example, in the same folder. Each gets the key of the company or of the partner on standard input. */
function preparationsFor(path: string): readonly string[] {
  const [noun = ''] = path.split(' ');
  const partner = ['profile add agency --base-url https://api.example.com --partner 1 --api-key-stdin'];
  if (path === 'company import') return partner;
  if (noun === 'company') return [...partner, 'company import companies.csv'];
  if (noun === 'profile')
    return ['prod', 'old'].map(
      (name) => `profile add ${name} --base-url https://api.example.com --company 1 --user 1 --api-key-stdin`,
    );
  if (['log show', 'log list', 'undo'].includes(path))
    return [
      ...Array.from({ length: 16 }, (_, at) => `folder create --name "Folder ${at + 1}"`),
      path === 'log list'
        ? 'task create --channel email --message 1 --name Q4 --list 1 --at +1d'
        : 'automation pause click:1',
    ];
  if (/^(task (update|cancel|undo|calendar)|next|forecast)$/.test(path))
    return ['task create --channel email --message 1 --name Q4 --list 1 --at +1d'];
  if (/^(sms (get|exists|list)|why sms)$/.test(path))
    return ['sms send --to 447700900123 --from Example --text "Your table is ready" --now --yes'];
  if (path === 'automation resume') return ['automation pause click:1'];
  return [];
}

async function openWorld(path: string): Promise<Runner> {
  const { demo, cwd, run } = await openExamples('example-outputs');
  cpSync(join(ROOT, 'examples', 'campaign'), cwd, { recursive: true });
  writeFileSync(join(cwd, 'companies.csv'), 'id,name,tags,note\n12,Harbour North,uk,\n15,Harbour West,,\n');
  const random = countedOctets();
  const hasProfiles = /^(profile|company) /.test(path);
  const isPartner = path.startsWith('company ');
  const key = isPartner ? demo.partner['SVC_PARTNER_API_KEY'] : demo.admin['SVC_API_KEY'];
  const env = { ...(hasProfiles ? NOBODY : {}), SVC_CONFIG_DIR: join(cwd, 'config') };
  // Here, list 5 belongs to this company, and has one subscriber, a colleague.
  if (/ proof$/.test(path)) {
    await demo.db.run(sql`update list set account_id = 1, folder_id = 1 where id = 5`);
    await demo.db.run(sql`delete from subscription where list_id = 5`);
    await demo.db.run(sql`insert into subscription (list_id, subscriber_id, cdate) values (5, 4, ${NOW})`);
  }
  const outside: Outside = { random, machineZone: 'Europe/London', env };
  for (const line of preparationsFor(path)) {
    const { exitCode, stderr } = await run(line, [], { ...outside, stdin: `${key}\n` });
    if (exitCode !== 0) throw new Error(`svc ${line}: ${exitCode}: ${stderr}`);
  }
  return async (line, more, own) => {
    const result = await run(line, more, { ...outside, ...own });
    return { ...result, stdout: result.stdout.replaceAll(`${cwd}/`, '') };
  };
}

const ROOT = new URL('../../', import.meta.url).pathname;

function countedOctets(): (octets: number) => Uint8Array {
  let count = 0;
  return (octets) => {
    count += 1;
    return createHash('sha512').update(`example ${count}`).digest().subarray(0, octets);
  };
}

/** Each kind of output has one sandbox, in which all examples run in the order of help, because each sandbox is a server. */
async function outputsOfSandbox(
  verbs: readonly (readonly [string, Verb])[],
): Promise<ReadonlyMap<string, ExampleOutput>> {
  const [output, terminal, json] = await Promise.all([
    runInSandbox(verbs, [], {}),
    runInSandbox(verbs, [], { tty: true, columns: COLUMNS }),
    runInSandbox(verbs, ['-o', 'json'], {}),
  ]);
  return new Map(
    verbs.map(([path]) => [
      path,
      described(path, {
        output: output.get(path) ?? '',
        terminal: terminal.get(path) ?? '',
        json: json.get(path) ?? '',
      }),
    ]),
  );
}

/** A later event removes the subscriber whom this event needs. */
const eventsFirst = (verbs: readonly (readonly [string, Verb])[]) => {
  const isFirst = ([path]: readonly [string, Verb]): boolean => path === 'sandbox event date';
  return [...verbs.filter(isFirst), ...verbs.filter((each) => !isFirst(each))];
};

async function runInSandbox(
  verbs: readonly (readonly [string, Verb])[],
  more: readonly string[],
  outside: Outside,
): Promise<ReadonlyMap<string, string>> {
  const folder = await temporaryFolder();
  const cwd = await makeTemporaryFolder('example-outputs');
  writeFileSync(join(cwd, 'people.csv'), 'email\nada@example.com\ngrace@example.com\n');
  const random = countedOctets();
  const running = await runSandbox(folder.path, {
    clock: 'manual',
    seed: 'demo',
    machineNow: () => NOW * 1000,
    random,
  });
  const printed = new Map<string, string>();
  try {
    for (const [path, verb] of eventsFirst(verbs)) {
      const argv = [...argvOf(verb.example), ...more, '--data', folder.path];
      const run = await runCli(argv, { ...outside, cwd, env: NOBODY, random, machineZone: 'Europe/London' });
      if (!DONE.includes(run.exitCode))
        throw new Error(`svc ${verb.example}: ${run.exitCode}: ${run.stderr}`);
      printed.set(
        path,
        run.stdout
          .replaceAll(folder.path, '/home/ada/.local/state/svc/sandbox')
          .replaceAll(`${cwd}/`, '')
          .replaceAll(`127.0.0.1:${running.port}`, '127.0.0.1:4010')
          .replace(new RegExp(`(?<=\\bpid +)${process.pid}\\b`), '4242'),
      );
    }
  } finally {
    await running.stop();
    await folder.remove();
    await removeFolder(cwd);
  }
  return printed;
}

/** For an operation that lists nothing in the demo. */
function columnsOfOperation(path: string): Readonly<Record<string, string>> {
  const name = controlOperationNames.find((each) => path === `sandbox ${each}`);
  const types = { timestamp: 'number', number: 'number', bool: 'boolean', text: 'text' } as const;
  const columns = name === undefined ? [] : controlOperationNamed(name).columns;
  return Object.fromEntries(columns.map((column) => [column.name, types[column.kind ?? 'text']]));
}
