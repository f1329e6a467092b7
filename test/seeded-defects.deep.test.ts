/**
 * Q2: the tests find seeded defects. Each row changes one place of a copy of the code, and the tests of that promise must fail.
 * test/client/simulation.test.ts and test/sandbox/model/mutations.deep.test.ts have the defects of a client and of an engine.
 */
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tierOf } from '../.config/suites.ts';
import { INNER_RUN, tried } from './support/depth.ts';
import { hasStrace } from './support/strace.ts';
import { makeTemporaryFolder, removeFolder } from './support/temporary-folder.ts';

interface Defect {
  readonly file: string;
  /** This text occurs once in the file. */
  readonly from: string;
  readonly to: string;
  /** The tests that must find the defect: a file, and a part of their names if the file has many. */
  readonly test: string;
  readonly named?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly needsStrace?: true;
}

const DEFECTS: Readonly<Record<string, Defect>> = {
  'the Date is signed by another name': {
    file: 'src/service/auth/sign.ts',
    from: '\\r\\nDate: $',
    to: '\\r\\nSent: $',
    test: 'test/auth/signature.test.ts',
  },
  'the user id is sent, and not signed': {
    file: 'src/service/auth/sign.ts',
    from: 'if (userId !== undefined) text',
    to: 'if (userId === null) text',
    test: 'test/auth/signature.test.ts',
  },
  'a nonce is used again': {
    file: 'src/client/requests/call.ts',
    from: 'nonce: formatNonce(random(NONCE_OCTETS)),',
    to: 'nonce: formatNonce(random(NONCE_OCTETS).fill(7)),',
    test: 'test/client/call.test.ts',
  },
  'a redirect is taken for an answer': {
    file: 'src/client/requests/call.ts',
    from: 'response.status >= 300 && response.status < 400',
    to: 'response.status === 399',
    test: 'test/client/call.test.ts',
  },
  'a POST whose answer was lost is sent again blindly': {
    file: 'src/client/requests/retry.ts',
    from: "return method !== 'POST';",
    to: 'return true;',
    test: 'test/client/simulation.test.ts',
    named: 'sessions from seed',
    env: { SVC_SEEDS: '3000' },
  },
  'a lost POST is looked for at once': {
    file: 'src/client/requests/recovery/create-once.ts',
    from: "const settleMs = doubt.kind === 'unknown' ? context.settleMs : 0;",
    to: 'const settleMs = 0;',
    test: 'test/client/recovery/create-once.test.ts',
  },
  'the whole signature is shown': {
    file: 'src/client/requests/connection.ts',
    from: 'if (authorization === undefined) return headers;',
    to: 'if (headers !== undefined) return headers;',
    test: 'test/client/trace.test.ts',
  },
  'no Host is checked': {
    file: 'src/sandbox/http/guard.ts',
    from: "if (!isSandboxHost(seen.get('host'), origins))",
    to: "if (!isSandboxHost(seen.get('host'), origins) && request.url === '')",
    test: 'test/sandbox/server.test.ts',
  },
  'a link leads where its query says': {
    file: 'src/sandbox/http/tracking.ts',
    from: 'const location = await resolveLinkDestination(',
    to: "const location = context.req.query('url') ?? await resolveLinkDestination(",
    test: 'test/sandbox/http/forged.test.ts',
  },
  'a DELETE that names nothing is carried out': {
    file: 'src/sandbox/operations/write.ts',
    from: 'if (Object.keys(named).length === 0) throw createInvalidRequestError([missingFilterFinding(by)]);',
    to: '',
    test: 'test/sandbox/operations/write.test.ts',
  },
  'escape sequences reach the terminal': {
    file: 'src/kit/text/terminal.ts',
    from: 'if (PLAIN.test(text)) return text;',
    to: 'if (PLAIN !== null) return text;',
    test: 'test/cli/output/fuzz.test.ts',
  },
  'files are open to other users': {
    file: 'src/kit/files/private-file.ts',
    from: 'constants.O_NONBLOCK, 0o600);',
    to: 'constants.O_NONBLOCK, 0o644);',
    test: 'test/files/umask.e2e.test.ts',
    named: 'private-file',
  },
  'files are opened through links': {
    file: 'src/kit/files/private-file.ts',
    from: 'flags | constants.O_NOFOLLOW | constants.O_NONBLOCK',
    to: 'flags | constants.O_NONBLOCK',
    test: 'test/files/private-file.test.ts',
  },
  'a file is renamed before it is on the disk': {
    file: 'src/kit/files/atomic-file.ts',
    from: '    fsyncSync(file);\n',
    to: '',
    test: 'test/files/atomic-file.e2e.test.ts',
    needsStrace: true,
  },
  'the checkpoint of a bulk job is not synced': {
    file: 'src/client/bulk/checkpoint.ts',
    from: 'if (sync) await file.sync();',
    to: 'if (sync && lines.length < 0) await file.sync();',
    test: 'test/bulk/checkpoint.test.ts',
  },
  'the sandbox answers before its write is on the disk': {
    file: 'src/sandbox/store/driver/sqlite.ts',
    from: "database.pragma('synchronous = FULL');",
    to: "database.pragma('synchronous = NORMAL');",
    test: 'test/sandbox/durable.e2e.test.ts',
    named: 'X2',
    needsStrace: true,
  },
  'milliseconds are divided without a word': {
    file: 'src/kit/text/time-phrase.ts',
    from: 'const seconds = BigInt(phrase) / unit.perSecond;',
    to: "const seconds = BigInt(phrase) / unit.perSecond;\n  if (seconds > 0n) return wordsFor('nothing', () => moment(Number(seconds)));",
    test: 'test/cli/request/send-time.test.ts',
  },
  'a deletion needs no --yes': {
    file: 'src/cli/request/guards.ts',
    from: 'if (globals.yes || globals.dryRun) return;\n  requireYesFlagOrTerminal',
    to: 'if (globals.yes || globals.dryRun || !canAskUser(session)) return;\n  requireYesFlagOrTerminal',
    test: 'test/cli/request/guards.test.ts',
  },
  'a whole domain needs --yes alone': {
    file: 'src/cli/request/guards.ts',
    from: '(globals.yes && (requiredFlag?.given ?? true))',
    to: 'globals.yes',
    test: 'test/cli/request/guards.test.ts',
  },
};

/** The folders that a test may read. */
const COPIED = ['.config', 'bin', 'completions', 'docs', 'examples', 'src', 'test'];
const FILES = ['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json', 'package-lock.json', 'tsconfig.json'];

describe('seeded defects', { timeout: 600_000 }, () => {
  let copy: string;
  beforeAll(async () => {
    copy = await makeTemporaryFolder('defects');
    for (const name of [...COPIED, ...FILES]) {
      await mkdir(dirname(join(copy, name)), { recursive: true });
      await cp(name, join(copy, name), { recursive: true, verbatimSymlinks: true }).catch(ignoreMissing);
    }
    await symlink(resolve('node_modules'), join(copy, 'node_modules'));
  });
  afterAll(() => removeFolder(copy));

  it('are the only failures: without them the same tests pass', async () => {
    const seen = new Set<string>();
    for (const defect of Object.values(DEFECTS)) {
      const key = `${defect.test} ${defect.named}`;
      if (seen.has(key) || !canRun(defect)) continue;
      seen.add(key);
      expect([key, await outcomeOf(defect)]).toEqual([key, { failed: 0, hasPassed: true }]);
    }
  });

  it.each(Object.entries(DEFECTS))('%s', async (_, defect) => {
    if (!canRun(defect)) return;
    const path = join(copy, defect.file);
    const source = await readFile(path, 'utf8');
    expect(source.split(defect.from)).toHaveLength(2);
    await writeFile(
      path,
      source.replace(defect.from, () => defect.to),
    );
    try {
      expect((await outcomeOf(defect)).failed).toBeGreaterThan(0);
      tried('Q2', 1);
    } finally {
      await writeFile(path, source);
    }
  });

  async function outcomeOf({ test, named, env = {} }: Defect) {
    const config = tierOf(test) === 'e2e' ? 'vitest.e2e.config.ts' : 'vitest.config.ts';
    const words = ['run', '--config', `.config/${config}`, test, '--reporter=json'];
    const { stdout, stderr } = await execa(
      process.execPath,
      [resolve('node_modules/vitest/vitest.mjs'), ...words, ...(named === undefined ? [] : ['-t', named])],
      { cwd: copy, reject: false, env: { ...INNER_RUN, ...env } },
    );
    const line = stdout.split('\n').find((each) => each.startsWith('{"numTotalTestSuites"'));
    if (line === undefined)
      throw new Error(`no result of ${test}: ${stdout.slice(-500)} ${stderr.slice(-2_000)}`);
    const { numFailedTests, numPassedTests } = JSON.parse(line);
    return { failed: numFailedTests as number, hasPassed: numPassedTests > 0 };
  }
});

const canRun = ({ needsStrace }: Defect): boolean => !needsStrace || hasStrace;

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
}
