import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Group, isGroup, type Verb } from '../../src/cli/command/command.ts';
import { topLevelCommandEntries } from '../../src/cli/registry/entries.ts';
import { TransportError } from '../../src/client/requests/errors.ts';
import type { Transport } from '../../src/service/protocol/wire.ts';
import { depth, tried } from '../support/depth.ts';
import { withEverything } from '../support/everything.ts';
import { runCli, serviceOf } from '../support/run-cli.ts';
import { KEYS } from '../support/sandbox.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

// Acceptance, S1: a canary key, every command × outcome × verbosity, 0 hits in any output or file.

const answer =
  (status: number, body: string): Transport =>
  async () => ({ status, headers: {}, body });

// `svc api` prints the service's text unchanged (contract, "Forms"), including a key that the service itself reveals.
const SAYS_IT_ITSELF = /^api /;

const OUTCOMES: Readonly<Record<string, () => Promise<Transport>>> = {
  'the service answers': async () => serviceOf(await withEverything()).transport,
  'a 401': async () => answer(401, refusal(401)),
  'a 500 that repeats the request': async () => async (request) => ({
    status: 500,
    headers: {},
    body: JSON.stringify({ request, key: KEYS.company }),
  }),
  'no answer': async () => () => Promise.reject(new TransportError('unknown', 'the connection was reset')),
  'an exception that holds the key': async () => () => {
    throw new Error(`signing failed for ${KEYS.company}`);
  },
};

const refusal = (code: number): string =>
  JSON.stringify({
    status: 'error',
    response: { code, subcode: null, message: `no ${KEYS.company}` },
  });

/** Commands that serve, ask, or start processes. test/e2e/secret-leaks.test.ts covers them. */
const APART = ['sandbox', 'demo', 'init'];
/** Commands that continue until an event ends them. */
const ENDLESS = /^(task (wait|watch|guard)|log tail)\b|--hold/;

let folder: string;
beforeAll(async () => {
  folder = await makeTemporaryFolder('canary');
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/**
 * The percentage of examples that run with each combination of outcome and flags. The selections differ, so each example runs with some
 * combination.
 */
const SHARE = depth('SVC_LEAK_SHARE', { few: 10, full: 100 });
let combination = 0;

describe.each(Object.entries(OUTCOMES))('when there is %s, the key is nowhere', (_, service) => {
  it.each([[[]], [['-o', 'json']], [['--debug', '--explain-signature']]])('with %j', async (flags) => {
    const leaks: string[] = [];
    let signed = 0;
    combination += 1;
    const examples = (await allExamples()).filter((_, at) => ((at + combination) * SHARE) % 100 < SHARE);
    const reached = await service();
    const transport: Transport = (request, signal) => {
      signed += 1;
      return reached(request, signal);
    };
    for (const example of examples) {
      const run = await runCli([...words(example), '--yes', '--no-input', '--settle', '1s', ...flags], {
        transport,
        cwd: folder,
        homeDir: folder,
        env: { SVC_CONFIG_DIR: join(folder, 'config'), SVC_STATE_DIR: join(folder, 'state') },
      });
      const printed = SAYS_IT_ITSELF.test(example) ? run.stderr : run.stdout + run.stderr;
      if (holdsKey(printed)) leaks.push(`${example}: ${run.stdout}${run.stderr}`);
    }
    for (const file of await filesIn(folder))
      if (holdsKey(await readFile(file, 'latin1'))) leaks.push(`the file ${file}`);
    expect(examples.length).toBeGreaterThan((60 * SHARE) / 100);
    // Most examples contact the service. A flag that all of them refuse would prove nothing.
    expect(signed).toBeGreaterThan((60 * SHARE) / 100);
    expect(leaks).toEqual([]);
    tried('S1', examples.length);
  });
});

/** Returns whether the text contains the key, unchanged or in an encoding in which it might be sent. */
function holdsKey(text: string): boolean {
  const forms = [KEYS.company, Buffer.from(KEYS.company).toString('base64').replace(/=+$/, '')];
  return forms.some((form) => text.includes(form));
}

async function allExamples(): Promise<readonly string[]> {
  const trees = topLevelCommandEntries
    .filter(({ name }) => !APART.includes(name))
    .map((entry) => entry.load());
  return (await Promise.all(trees)).flatMap(examplesOf).filter((example) => !ENDLESS.test(example));
}

function examplesOf(command: Verb | Group): readonly string[] {
  return isGroup(command) ? command.commands.flatMap(examplesOf) : [command.example];
}

/** Splits an example as a shell does: quotes keep words together. */
function words(line: string): readonly string[] {
  return [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, one, two, bare]) => one ?? two ?? bare ?? '',
  );
}

async function filesIn(path: string): Promise<readonly string[]> {
  const found = await readdir(path, { recursive: true, withFileTypes: true });
  return found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
