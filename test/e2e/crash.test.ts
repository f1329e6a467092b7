import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { execa } from 'execa';
import { type RolldownOptions, rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

// "This is a bug. The same command with To see where it happened, add --debug" has to be true of what people install.

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-crash-'));
  const { default: config } = (await import(pathToFileURL('.config/rolldown.config.js').href)) as {
    readonly default: RolldownOptions;
  };
  const { output, ...input } = config;
  const bundle = await rolldown({ ...input, logLevel: 'silent' });
  await bundle.write({ ...(Array.isArray(output) ? output[0] : output), dir: join(folder, 'svc', 'dist') });
  await bundle.close();
  cpSync('bin', join(folder, 'svc', 'bin'), { recursive: true });
  // A bug is planted: what a function of ours calls throws. It reads this file.
  writeFileSync(
    join(folder, 'plant.cjs'),
    'Number.isSafeInteger = () => { throw new TypeError("planted"); };',
  );
  mkdirSync(join(folder, 'data'), { mode: 0o700 });
  writeFileSync(join(folder, 'data', 'sandbox.json'), '{}', { mode: 0o600 });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const crash = (...flags: string[]) =>
  execa(
    process.execPath,
    [
      '--require',
      join(folder, 'plant.cjs'),
      join(folder, 'svc', 'bin', 'svc.js'),
      'sandbox',
      'status',
      ...flags,
    ],
    { cwd: folder, env: { PATH: process.env['PATH'] ?? '', HOME: folder }, extendEnv: false, reject: false },
  );

describe('a bug in the built program', () => {
  it('with --debug names the function, and the file and line of our source', async () => {
    const { stderr, exitCode } = await crash('--data', 'data', '--debug');
    expect(exitCode).toBe(1);
    const [, line] =
      /at endpointIn \(.*src\/cli\/session\/sandbox-control\.ts:([0-9]+):[0-9]+\)/.exec(stderr) ?? [];
    const source = readFileSync('src/cli/session/sandbox-control.ts', 'utf8').split('\n');
    expect([stderr, source[Number(line) - 1]]).toEqual([stderr, expect.stringContaining('isSafeInteger')]);
    expect(stderr).toMatch(/at \S*endpointOf \(.*src\/cli\/session\/sandbox-control\.ts:/);
    expect(stderr).toContain('internal error: planted');
  });

  it('without it says how to see that, and shows no stack', async () => {
    const { stderr } = await crash('--data', 'data');
    expect(stderr).toContain('To see where it happened, add --debug');
    expect(stderr).not.toMatch(/\n +at /);
  });
});
