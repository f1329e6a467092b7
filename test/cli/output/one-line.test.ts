/**
 * Contract, "Output": a name is one line on every stream. A name with a line feed would begin a line, and the log of a CI job obeys some
 * lines, such as `::error::`. A name with CR, ESC or a bidirectional override would hide or reorder what svc says.
 */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Transport, WireRequest } from '../../../src/service/protocol/wire.ts';
import { withEverything } from '../../support/everything.ts';
import { type Examples, nounVerbs, openExamples } from '../../support/examples.ts';
import { type Outside, type Run, runCli, serviceOf } from '../../support/run-cli.ts';
import type { TestSandbox } from '../../support/sandbox.ts';
import { errorText } from '../../support/stub-service.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

const HOSTILE = 'A\n::error::x\r::warning::y\u2028::debug::z\u001b[2J\u202eb';
/** Attributes with text that a person chose. */
const CHOSEN = ['name', 'companyname', 'summary', 'subject', 'fromname', 'destination'];

/** Replaces the chosen texts of each response of the service. */
const withHostileTexts =
  (transport: Transport): Transport =>
  async (request) => {
    const response = await transport(request);
    if (response.status !== 200 && response.status !== 201) return response;
    return { ...response, body: JSON.stringify(hostile(JSON.parse(response.body))) };
  };

function hostile(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(hostile);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      CHOSEN.includes(name) && typeof each === 'string' ? HOSTILE : hostile(each),
    ]),
  );
}

/** Returns the lines that begin with a command, and the raw characters that a terminal obeys. */
const unsafeIn = (text: string): readonly string[] => [
  ...text.split(/\n|\r|\u2028|\u0085/).filter((line) => /^\s*::/.test(line)),
  // Colors, and lines that svc itself redraws.
  ...(text.replaceAll(/\x1b\[[0-9;]*[mAKJ]|\r(?=\n|\x1b|$)/g, '').match(/[\r\x1b\u2028\u202e]/g) ?? []),
];
const unsafeInRun = ({ stdout, stderr, questions }: Run, isTTY: boolean): readonly string[] => [
  ...unsafeIn(stderr),
  ...questions.flatMap((question) => (question.includes('\n') ? [question] : unsafeIn(question))),
  // Data for other programs stays exact.
  ...(isTTY ? unsafeIn(stdout) : []),
];
/** Reports whether the name was shown, so that the run can find a fault. */
const isShown = ({ stdout, stderr, questions }: Run): boolean =>
  /::error::x/.test(`${stdout}${stderr}${questions.join()}`);

describe('a name of the service is one line', () => {
  let examples: Examples;
  beforeAll(async () => {
    examples = await openExamples('one-line');
    const made = nounVerbs.filter(({ path }) => ['task create', 'sms send'].includes(path));
    for (const { verb } of made) expect(await examples.run(verb.example, [])).toMatchObject({ exitCode: 0 });
  });
  afterAll(() => rm(examples.cwd, { recursive: true }));

  const isWrite = ({ method }: WireRequest): boolean => method !== 'GET' && method !== 'HEAD';
  /** Fails writes, so that each run of the verb meets the same records. */
  const failing =
    (status: number): Transport =>
    async (request) =>
      isWrite(request)
        ? {
            status,
            headers: { 'content-type': 'application/json' },
            body: errorText(status, HOSTILE),
          }
        : withHostileTexts(examples.demo.transport)(request);

  const KINDS: readonly (readonly [string, readonly string[], Outside])[] = [
    ['with --yes on a terminal', ['--yes'], { tty: true }],
    ['with --yes in a pipe', ['--yes'], {}],
    ['with --dry-run', ['--dry-run'], { tty: true }],
    ['after a question', [], { tty: true, answers: [true, true, true] }],
    ['with --debug', ['--yes', '--debug'], {}],
  ];
  const shown = new Set<string>();
  const endingVerbs = nounVerbs.filter(
    ({ path }) => !['task watch', 'task guard', 'task wait'].includes(path),
  );
  it.each(endingVerbs.map((each, at) => ({ ...each, at })))('$path', async ({ path, verb, at }) => {
    // Each verb meets both errors, and each error is met in all ways by some verbs.
    for (const [turn, [kind, more, outside]] of KINDS.entries()) {
      const run = await examples.run(verb.example, more, {
        ...outside,
        transport: failing((at + turn) % 2 === 0 ? 409 : 400),
        env: { SVC_STATE_DIR: undefined },
      });
      if (isShown(run)) shown.add(path);
      expect([kind, unsafeInRun(run, outside.tty === true)]).toEqual([kind, []]);
    }
    for (const [kind, more, outside] of KINDS) {
      const run = await examples.run(verb.example, more, {
        ...outside,
        transport: withHostileTexts(examples.demo.transport),
      });
      if (isShown(run)) shown.add(path);
      expect([kind, unsafeInRun(run, outside.tty === true)]).toEqual([kind, []]);
    }
  });

  it('is shown by most verbs, so the checks above mean something', () => {
    expect([...shown].length).toBeGreaterThan(40);
  });
});

// Pages of plans, the journal, notes of bulk jobs, and errors.
describe('a name in a campaign, in the journal or in a file is one line', () => {
  let folder: string;
  let sandbox: TestSandbox;
  beforeAll(async () => {
    folder = await makeTemporaryFolder('one-line-campaign');
    sandbox = await withEverything();
    for (const path of ['task/1', 'folder/1', 'emailMessage/1', 'clickAutomation/1', 'openAutomation/1'])
      await sandbox.send('admin', 'PUT', `/v1/${path}`, { name: NAME });
    await writeFile(join(folder, 'm.txt'), 'Hello');
    const name = JSON.stringify(NAME);
    await writeFile(
      join(folder, 'x.yaml'),
      `version: 1\ncampaign: ${name}\nmessages:\n  m: {channel: sms, name: ${name}, from: Me, message: m.txt}\n`,
    );
    await writeFile(join(folder, 'rows.csv'), `email\n"${NAME}"\n"b ${NAME}"\n`);
    await writeFile(join(folder, 'sms.csv'), `msisdn,message\n"${NAME}",Hello\n`);
  });
  afterAll(() => rm(folder, { recursive: true }));
  /** The service refuses the characters of HOSTILE that this name does not have. */
  const NAME = 'A\n::error::x\r::warning::y\u2028::debug::z\u202eb';

  it.each([
    ...['plan x.yaml', 'plan x.yaml --format markdown', 'apply x.yaml --yes', 'export out', 'rehearse'],
    ...[
      'folder create --name New',
      'folder delete 1 --yes',
      'undo --yes',
      'log list',
      'log show 1',
      'log tail',
      'doctor',
      'why email 1',
    ],
    ...['automation pause --all --yes', 'automation resume --all --yes', 'automation graph', 'task report 1'],
    ...['dnc import rows.csv --yes', 'dnc check --file rows.csv', 'sms send --file sms.csv --from Me --yes'],
    ...['task update 1 --name Y', 'undo 1 --yes', 'folder get x --debug', 'forecast', 'usage'],
  ])('svc %s', async (line) => {
    const isData = line.startsWith('log tail');
    for (const tty of [true, false]) {
      const run = await runCli(line.split(' '), {
        ...{ tty, cwd: folder, transport: withHostileTexts(serviceOf(sandbox).transport) },
        env: { SVC_STATE_DIR: join(folder, `state-${tty}`) },
      });
      expect(unsafeInRun(run, tty || !isData)).toEqual([]);
      expect(run.stdout + run.stderr).not.toBe('');
    }
  });
});
