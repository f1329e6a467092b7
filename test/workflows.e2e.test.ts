/** Runs the steps of .github that call gh, with a replacement of gh that notes what it is asked. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

interface Step {
  readonly name?: string;
  readonly run?: string;
}

let folder: string;
beforeEach(async () => {
  folder = await makeTemporaryFolder('workflows');
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs a step as GitHub does, and returns the calls of gh. The replacement prints `answer` for each list of issues. */
function callsOf(
  file: string,
  job: string,
  name: string,
  env: Readonly<Record<string, string>>,
  answer = '',
) {
  const workflow = parse(readFileSync(new URL(`../.github/workflows/${file}`, import.meta.url), 'utf8'));
  const step = workflow.jobs[job].steps.find((each: Step) => each.name === name);
  const gh = join(folder, 'gh');
  writeFileSync(
    gh,
    `#!/bin/sh\nfor word; do printf '%s\\n' "$word"; done >>"$CALLS"\necho -- >>"$CALLS"\n[ "$2" != list ] || printf '%s\\n' "$ANSWER"\n`,
  );
  chmodSync(gh, 0o755);
  const calls = join(folder, 'calls');
  const { status, stderr } = spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run], {
    cwd: folder,
    env: { PATH: `${folder}:${process.env['PATH']}`, CALLS: calls, ANSWER: answer, ...env },
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([0, '']);
  return readFileSync(calls, 'utf8')
    .split('--\n')
    .filter((call) => call !== '')
    .map((call) => call.trimEnd().split('\n'));
}

describe('a nightly run that fails', () => {
  const env = { TITLE: 'The nightly run fails', TEXT: 'https://github.com/run $(touch made)' };
  const report = (answer: string) =>
    callsOf('nightly.yml', 'report', 'Open an issue, or add a comment to the open one', env, answer);

  it('opens an issue', () => {
    const [list, create, ...rest] = report('');
    expect(list?.slice(0, 4)).toEqual(['issue', 'list', '--state', 'open']);
    expect(list?.at(-1)).toBe('[.[] | select(.title == env.TITLE) | .number][0] // ""');
    expect(create).toEqual(['issue', 'create', '--title', env.TITLE, '--body', env.TEXT]);
    expect(rest).toEqual([]);
  });

  it('adds a comment to the issue that is still open', () => {
    expect(report('12').slice(1)).toEqual([['issue', 'comment', '12', '--body', env.TEXT]]);
  });
});

describe('a release', () => {
  it.each([
    ['v1.2.3', '--latest'],
    ['v1.2.3-rc.1', '--prerelease'],
  ])('of %s has its files, its notes and %s', (tag, kind) => {
    mkdirSync(join(folder, 'release'));
    writeFileSync(join(folder, 'release', 'SHA256SUMS'), '');
    const [create = []] = callsOf('release.yml', 'attach', 'Publish the release', { GITHUB_REF_NAME: tag });
    expect(create.slice(0, 4)).toEqual(['release', 'create', tag, 'release/SHA256SUMS']);
    expect(create.slice(-3)).toEqual(['--notes-file', 'notes.md', kind]);
    expect(create).toContain('--verify-tag');
  });
});
