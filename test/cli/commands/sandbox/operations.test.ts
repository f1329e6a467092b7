/**
 * src/service/protocol/control.ts declares each operation of the control plane once. The sandbox and the command line have exactly those
 * operations.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Group, Verb } from '../../../../src/cli/command/command.ts';
import { isGroup } from '../../../../src/cli/command/command.ts';
import type { FlagShape } from '../../../../src/cli/command/flag.ts';
import { sandbox as group } from '../../../../src/cli/commands/sandbox/sandbox.ts';
import { operations } from '../../../../src/sandbox/control/all.ts';
import { INJECTABLE_FAULT_KINDS } from '../../../../src/service/protocol/control/faults.ts';
import { controlOperationNamed, controlOperationNames } from '../../../../src/service/protocol/control.ts';
import { runSandbox, type SocketSandbox, temporaryFolder } from '../../../support/running-sandbox.ts';

const verbs = new Map(verbsOf(group, []));
/** Commands of the command line alone. They have no operation, because there may be no sandbox to call. */
const WITHOUT_OPERATION = ['start', 'reset', 'clone', 'conformance'];
/** The commands' flags beside the declared parameters. */
const OWN_FLAGS: Readonly<Record<string, readonly string[]>> = {
  'subscriber list': ['limit', 'all'],
  'outbox list': ['limit', 'all', 'reverse'],
  queue: ['limit', 'all'],
  'task skipped': ['limit', 'all'],
  requests: ['limit', 'all', 'follow', 'reverse'],
  'outbox show': ['eml'],
  'outbox eml': ['dir'],
  open: ['print'],
};

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let running: SocketSandbox;
beforeAll(async () => {
  folder = await temporaryFolder();
  running = await runSandbox(folder.path, { clock: 'manual', seed: 'demo' });
});
afterAll(async () => {
  await running.stop();
  await folder.remove();
});

it('every operation has a route, and every route is declared', () => {
  expect(Object.keys(operations).sort()).toEqual([...controlOperationNames].sort());
});

it('every operation has a verb, and every verb is declared', () => {
  // The pages that `open` opens use more than one operation.
  const asked = new Set(controlOperationNames.map((name) => controlOperationNamed(name).usedBy ?? name));
  expect([...verbs.keys()].sort()).toEqual([...asked, ...WITHOUT_OPERATION].sort());
});

describe.each(controlOperationNames.filter((name) => controlOperationNamed(name).usedBy === undefined))(
  '%s',
  (name) => {
    const { parameters, summary, destroys, example } = controlOperationNamed(name);
    const verb = verbs.get(name);

    // `event click` used to take a task for which the command line had no flag.
    it('has a flag or a positional for each parameter, and no others', () => {
      const declared = Object.entries(parameters).map(([key, { nameInCommand, given }]) => [
        nameInCommand ?? key,
        given,
      ]);
      const wanted = (how: string | undefined) =>
        declared.filter(([, given]) => given === how).map(([word]) => word);
      const flags = verb?.flags.map((flag: FlagShape) => flag.name).filter((flag) => flag !== 'data');
      expect(flags?.sort()).toEqual([...wanted(undefined), ...(OWN_FLAGS[name] ?? [])].sort());
      // The file name stands for the values that the command reads from the file.
      const places = name === 'subscriber import' ? ['file'] : wanted('place');
      expect(verb?.positionals?.map((place) => place.name) ?? []).toEqual(places);
    });

    it('has the declared text, with --yes in the example if it destroys something', () => {
      expect(verb?.summary).toBe(summary);
      expect(verb?.example).toBe(`sandbox ${example}${destroys === undefined ? '' : ' --yes'}`);
    });
  },
);

describe.each(controlOperationNames)('%s', (name) => {
  const { reads, destroys } = controlOperationNamed(name);

  it('only reads, or does not have the name of a read operation', () => {
    // A dry run performs every operation that is declared to read, so such an operation must not create or remove anything.
    const isReader =
      /(?:^| )(?:list|show|skipped|clicks|activity|history|done|key|eml|status|queue|requests)$/.test(name);
    expect(reads === true).toBe(isReader);
    if (destroys !== undefined) expect(reads).toBeUndefined();
  });
});

const REQUIRED = controlOperationNames.flatMap((name) => {
  const { parameters } = controlOperationNamed(name);
  const first = Object.keys(parameters).find((key) => parameters[key]?.required);
  return first === undefined ? [] : [[name, first] as const];
});

it.each(REQUIRED)('%s responds with 400 and names %s if it is missing', async (name, first) => {
  const { status, json } = await running.control(name, {});
  expect([status, json.error.message]).toEqual([400, `${first} is required`]);
});

it('an undeclared command is 404, also with the name of a property that every object has', async () => {
  expect((await running.control('list rename', {})).status).toBe(404);
  expect((await running.control('constructor', {})).status).toBe(404);
});

it('the help of `fault set` lists each kind of fault', () => {
  const words = verbs.get('fault set');
  for (const kind of INJECTABLE_FAULT_KINDS) expect(words?.about).toContain(kind);
  expect(words?.flags.find(({ name }) => name === 'kind')?.choices).toEqual(INJECTABLE_FAULT_KINDS);
});

function verbsOf({ commands }: Group, path: readonly string[]): [string, Verb][] {
  return commands.flatMap((command): [string, Verb][] =>
    isGroup(command)
      ? verbsOf(command, [...path, command.name])
      : [[[...path, command.name].join(' '), command]],
  );
}
