/**
 * Runs every block of the guides that a reader types from the first to the last, as it stands there, each in a terminal of its own. A person says yes
 * when svc asks.
 */
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { builtSvc } from '../support/built-package.ts';
import { installSvc } from '../support/bundle.ts';
import { ENTER, hasPseudoTerminals, inTerminal, type Typed } from '../support/pseudo-terminal.ts';
import { blocksOf } from '../support/readme.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary-folder.ts';

let script: string;
let home: string;
beforeAll(async () => {
  script = await builtSvc();
});
afterAll(() => removeFolder(dirname(script)));
beforeEach(async () => {
  home = await makeTemporaryFolder('guides');
  await mkdir(join(home, 'bin'));
  await mkdir(join(home, 'work'));
  await installSvc(join(home, 'bin'), script);
});
afterEach(async () => {
  await execa('svc', ['sandbox', 'stop'], { ...outside(), extendEnv: false, reject: false });
  await removeFolder(home);
});

const outside = () => ({
  cwd: join(home, 'work'),
  env: {
    PATH: `${join(home, 'bin')}:${process.env['PATH']}`,
    HOME: home,
    USER: 'ada',
    TZ: 'UTC',
    LC_ALL: 'C.UTF-8',
    SVC_PAGER: 'cat',
  },
});

const YES: Typed = { after: ['(y/N)'], type: `y${ENTER}` };

/** Runs the blocks, and returns what the terminal showed for each. @param asking matches a line that asks once */
async function typed(file: string, asking: RegExp): Promise<readonly string[]> {
  const shown: string[] = [];
  for (const block of await blocksOf(file)) {
    const person = block.split('\n').flatMap((line) => (asking.test(line) ? [YES] : []));
    const run = await inTerminal(['bash', '-e', '-c', block], { ...outside(), columns: 160 }, person);
    expect([block, run.exitCode, run.shown]).toEqual([block, 0, expect.anything()]);
    shown.push(run.shown);
  }
  return shown;
}

describe.skipIf(!hasPseudoTerminals)('each block, from the first to the last', () => {
  it('docs/tutorial.md leads from an empty account to an audit that finds the send without an approval', async () => {
    const shown = await typed('docs/tutorial.md', /^svc (approve|apply) .*(--identity|--approvals)/);
    const all = shown.join('\n');
    expect(all).toMatch(/made +3/);
    expect(all).toMatch(/No problems\.[\s\S]*Findings\s+- None\./);
    expect(all).toContain('Approved by ada@example.com');
    expect(all).toMatch(/clicked +2 +66\.7%/);
    expect(all).toContain('1 record, 0 not approved, 1 plan.');
    expect(all).toContain('2 records, 1 not approved, 1 plan.');
    expect(all).toContain('exit code 11: somebody sent without an approval');
    expect(all).toContain('refused: exit code 2');
    expect(all).not.toContain('PRIVATE KEY');
  });

  it('docs/from-curl.md leads from signed requests to a task that two runs create once', async () => {
    const shown = await typed('docs/from-curl.md', /^never/);
    const ids = shown.find((text) => /^\d+\r?\n\d+$/m.test(text)) ?? '';
    const [first, second] = [...ids.matchAll(/^(\d+)\r?$/gm)].map(([, id]) => id);
    expect([first, second]).toEqual([first, first]);
    expect(shown.join('\n')).toContain('it is there');
  });

  it('docs/troubleshooting.md looks further with commands that exist', async () => {
    await execa('svc', ['sandbox', 'start', '--detach', '--seed', 'demo', '--clock', 'manual'], {
      ...outside(),
      extendEnv: false,
    });
    const shown = await typed('docs/troubleshooting.md', /^never/);
    expect(shown.join('\n')).toContain('423');
  });
});

it('the campaign of docs/campaigns.md is part of examples/campaign/spring.yaml', async () => {
  const text = await readFile('docs/campaigns.md', 'utf8');
  const [, shown = ''] = /^```yaml\n([\s\S]*?)^```$/m.exec(text) ?? [];
  const example = (await readFile('examples/campaign/spring.yaml', 'utf8')).split('\n');
  expect(shown.split('\n').filter((line) => !example.includes(line))).toEqual([]);
  expect(shown.split('\n').length).toBeGreaterThan(15);
});
