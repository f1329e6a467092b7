import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { execa } from 'execa';
import fc from 'fast-check';
import { type RolldownOptions, rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../src/cli/errors/exit-codes.ts';
import {
  commandLines,
  crashIn,
  makeFolderForCommandLines,
  wordsOfProgram,
} from '../support/command-lines.ts';
import { depth, SEED, tried } from '../support/depth.ts';

// The hint "To see where it happened, add --debug" must be true for the installed program.

let folder: string;
/** F1. A process takes some 100 ms of a core, so the million runs are in one process (test/cli/command/program.test.ts). */
const LINES = depth('SVC_REAL_LINES', { few: 20, full: 200 });
const AT_A_TIME = 4;

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
  // A planted bug: a function that our code calls throws. svc reads this file at its start.
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
  it('names the function, and the file and line of our source, with --debug', async () => {
    const { stderr, exitCode } = await crash('--data', 'data', '--debug');
    expect(exitCode).toBe(1);
    const [, line] =
      /at endpointIn \(.*src\/cli\/session\/sandbox-control\.ts:([0-9]+):[0-9]+\)/.exec(stderr) ?? [];
    const source = readFileSync('src/cli/session/sandbox-control.ts', 'utf8').split('\n');
    expect([stderr, source[Number(line) - 1]]).toEqual([stderr, expect.stringContaining('isSafeInteger')]);
    expect(stderr).toMatch(/at \S*endpointIn \(.*src\/cli\/session\/sandbox-control\.ts:/);
    expect(stderr).toContain('internal error: planted');
  });

  it('names --debug without it, and shows no stack', async () => {
    const { stderr } = await crash('--data', 'data');
    expect(stderr).toContain('To see where it happened, add --debug');
    expect(stderr).not.toMatch(/\n +at /);
  });
});

it(`${LINES} random command lines end real processes with a message and a documented exit code (SVC_SEED=${SEED})`, async () => {
  const lines = fc
    .sample(commandLines(await wordsOfProgram()), { seed: SEED, numRuns: LINES })
    // A process cannot be given a zero octet.
    .map((line) => line.map((word) => word.replaceAll('\0', '')));
  const codes = new Set<number | undefined>(Object.values(EXIT));
  const { cwd: home, checkDevice } = makeFolderForCommandLines(join(folder, 'home'));
  const bad: unknown[] = [];
  let ended = 0;
  const work = async (): Promise<void> => {
    for (let line = lines.pop(); line !== undefined; line = lines.pop()) {
      const { exitCode, stderr, signal } = await execa(
        process.execPath,
        [join(folder, 'svc', 'bin', 'svc.js'), ...line],
        {
          cwd: home,
          env: { PATH: process.env['PATH'] ?? '', HOME: home, TMPDIR: home },
          extendEnv: false,
          reject: false,
          stdin: 'ignore',
        },
      );
      if (!codes.has(exitCode) || crashIn(line).test(stderr)) bad.push({ line, exitCode, signal, stderr });
      ended += 1;
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  expect(bad).toEqual([]);
  expect(checkDevice()).toBe(true);
  tried('F1', ended);
}, 3_600_000);
