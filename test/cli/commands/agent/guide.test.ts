/** Contract, "Assistants": the sizes of `agent guide` and `agent skill`, what they name, and how the skill is written. */
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Verb } from '../../../../src/cli/command/command.ts';
import { globalFlags } from '../../../../src/cli/command/globals.ts';
import { EXIT_CODE_MEANINGS } from '../../../../src/cli/command/topics/command-line.ts';
import { TOPIC_NAMES } from '../../../../src/cli/command/words.ts';
import { skillFiles } from '../../../../src/cli/commands/agent/skill.ts';
import { topLevelCommandEntries } from '../../../../src/cli/registry/entries.ts';
import { registry } from '../../../support/registry.ts';
import { NOBODY, runCli } from '../../../support/run-cli.ts';
import { makeSpecialFiles } from '../../../support/special-files.ts';
import { makeTemporaryFolder, removeFolder } from '../../../support/temporary-folder.ts';

const guide = async (): Promise<string> => (await runCli(['agent', 'guide'], { env: NOBODY })).stdout;
const skill = async (): Promise<string> =>
  (await skillFiles(topLevelCommandEntries)).find(([name]) => name === 'SKILL.md')?.[1] ?? '';

const verbs = await registry();

function verbNamed(words: readonly string[]): Verb | undefined {
  for (const length of [3, 2, 1]) {
    const path = words.slice(0, length).join(' ');
    const found = verbs.get(path) ?? verbs.get(`${path} make`);
    if (found) return found;
  }
  return undefined;
}

/** The commands in the text, as words, without `svc`. */
const commandsIn = (text: string): readonly (readonly string[])[] =>
  [...text.matchAll(/`svc ([^`]+)`/g)].map(([, line = '']) => line.split(' '));

describe('the guide', () => {
  it('has at most 4,000 bytes, ten commands with their summaries, and each exit code', async () => {
    const text = await guide();
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4000);
    expect(text).toContain(`\n- \`svc plan FILE --out PLAN\`: ${verbs.get('plan make')?.summary}\n`);
    const [, first = ''] = /## First commands\n\n([\s\S]*?)\n\n/.exec(text) ?? [];
    expect(first.split('\n')).toHaveLength(10);
    for (const [code, meaning] of Object.entries(EXIT_CODE_MEANINGS))
      expect(text).toContain(`\n- ${code}: ${meaning}\n`);
    expect(text).toContain('SVC_AGENT=1');
  });

  it('needs no profile, and reads no file that a repository has', async () => {
    const { exitCode, stderr } = await runCli(['agent', 'guide'], { env: NOBODY });
    expect([exitCode, stderr]).toEqual([0, '']);
  });
});

describe.each([
  ['guide', guide],
  ['skill', skill],
])('each command in the %s', (_, read) => {
  it('exists, with its flags, and does not write to the service', async () => {
    const lines = commandsIn(await read());
    expect(lines.length).toBeGreaterThan(15);
    for (const words of lines) {
      const [first = '', second = ''] = words;
      if (first === 'help') {
        const isKnown =
          second === '--json' || second === 'COMMAND' || TOPIC_NAMES.some((name) => name === second);
        expect([words, isKnown || verbNamed(words.slice(1)) !== undefined]).toEqual([words, true]);
        continue;
      }
      const verb = verbNamed(words);
      expect([words, verb === undefined]).toEqual([words, false]);
      if (first !== 'sandbox')
        expect([words, ['local', 'reads', 'finds'].includes(verb?.work ?? '')]).toEqual([words, true]);
      const flags = words.filter((word) => /^--?[a-z]/.test(word)).map((word) => word.replace(/^--?/, ''));
      const known = [...(verb?.flags ?? []), ...globalFlags].flatMap(({ name, short }) => [name, short]);
      expect([words, flags.filter((flag) => !known.includes(flag))]).toEqual([words, []]);
    }
  });

  it('is no way to send', async () => {
    expect(await read()).not.toMatch(/svc (apply|approve|api|sms send|task create|email proof)|--now\b/);
  });
});

describe('the skill', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await makeTemporaryFolder('skill');
  });
  afterEach(() => removeFolder(folder));
  const write = (...more: readonly string[]) =>
    runCli(['agent', 'skill', ...more], { cwd: folder, env: NOBODY });
  const read = (name: string): string => readFileSync(join(folder, 'svc', name), 'utf8');
  const REFERENCES = ['campaign-file.md', 'exit-codes.md', 'sandbox.md', 'sending.md'];

  it('has front matter, at most 6,000 bytes, and references with the texts of help', async () => {
    expect((await write()).exitCode).toBe(0);
    const [, head = '', body = ''] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(read('SKILL.md')) ?? [];
    expect(parse(head)).toEqual({ name: 'svc', description: expect.stringContaining('Only a person') });
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(6000);
    expect(body).toContain(await guide());
    const linked = [...body.matchAll(/\]\(references\/([^)]+)\)/g)].map(([, name = '']) => name);
    expect(linked.toSorted()).toEqual(REFERENCES);
    expect(readdirSync(join(folder, 'svc/references')).toSorted()).toEqual(REFERENCES);
    expect(read('references/exit-codes.md')).toContain(`- \`11\`: ${EXIT_CODE_MEANINGS[11]}`);
    const page = await runCli(['explain', 'campaign'], { env: NOBODY });
    expect(read('references/campaign-file.md')).toContain(page.stdout);
    for (const topic of ['campaigns', 'safety', 'sandbox', 'output']) {
      const { stdout } = await runCli(['help', topic], { env: NOBODY });
      const [title = ''] = stdout.split('\n');
      expect(REFERENCES.map((name) => read(`references/${name}`)).join('')).toContain(`# ${title}\n`);
    }
  });

  it('goes to the folder of --dir, and replaces files only with --force', async () => {
    expect((await write('--dir', 'a/skills')).exitCode).toBe(0);
    const path = join(folder, 'a/skills/svc/references/sandbox.md');
    const before = readFileSync(path, 'utf8');
    writeFileSync(path, 'mine');
    const again = await write('--dir', 'a/skills');
    expect([again.exitCode, again.stderr]).toEqual([2, expect.stringContaining('already exists')]);
    expect(readFileSync(path, 'utf8')).toBe('mine');
    expect((await write('--dir', 'a/skills', '--force')).exitCode).toBe(0);
    expect(readFileSync(path, 'utf8')).toBe(before);
  });

  it('is written whole or not at all', async () => {
    mkdirSync(join(folder, 'svc/SKILL.md.part'), { recursive: true });
    expect((await write()).exitCode).toBe(2);
    expect(readdirSync(join(folder, 'svc'))).toEqual(['SKILL.md.part']);
    writeFileSync(join(folder, 'file'), '');
    expect((await write('--dir', 'file')).exitCode).toBe(2);
    expect((await write('--dry-run', '--dir', 'new')).stderr).toContain('write new/svc/');
    expect(existsSync(join(folder, 'new'))).toBe(false);
  });

  it('is not written through a link, or in the place of a device, pipe or socket', async () => {
    mkdirSync(join(folder, 'elsewhere'));
    symlinkSync('elsewhere', join(folder, 'svc'));
    expect(await write('--force')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('svc is a link'),
    });
    expect(readdirSync(join(folder, 'elsewhere'))).toEqual([]);
    const special = await makeSpecialFiles(folder);
    mkdirSync(join(folder, 'other/svc'), { recursive: true });
    special.makeAt('socket', join(folder, 'other/svc/SKILL.md'));
    expect((await write('--dir', 'other', '--force')).exitCode).toBe(2);
    expect(readdirSync(join(folder, 'other/svc'))).toEqual(['SKILL.md']);
    special.close();
  });
});
