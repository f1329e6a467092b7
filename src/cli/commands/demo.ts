/** Declares `svc demo`, which shows a campaign from its message to its report, in a sandbox that runs only during the demo. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunningSandbox } from '../../sandbox/start.ts';
import { REACTION_SHARE_PRESETS } from '../../service/protocol/control/audience.ts';
import { DEFAULT_WIRE_NAMING } from '../../service/protocol/naming.ts';
import type { Verb } from '../command/command.ts';
import { switchFlag } from '../command/flag.ts';
import { CliError } from '../errors/errors.ts';
import { EXIT } from '../errors/exit-codes.ts';
import type { Context } from '../outside/context.ts';
import type { Commands, Invocation, Tell } from '../session/ports.ts';
import { openPageUntilInterrupted } from './sandbox/open.ts';
import { writeSandboxProfiles } from './sandbox/profiles.ts';

const HTML =
  '<!doctype html><html lang="en"><head><title>Spring offer</title></head><body><h1>Spring offer</h1>' +
  '<p>Hello, <a href="https://harbourcoffee.example/spring">our spring sale is today</a>.</p>' +
  '</body></html>';

const STEPS: readonly { readonly say: string; readonly argv: readonly string[] }[] = [
  {
    say: 'A small company has lists of subscribers, with reserved example addresses:',
    argv: ['sandbox', 'list', 'list'],
  },
  {
    say: 'Write a message. The service replaces its links with tracking links:',
    argv: [
      ...['email', 'create', '--name', 'Spring', '--subject', 'Spring sale starts today'],
      ...['--from', 'hello@harbourcoffee.example', '--from-name', 'Harbour Coffee'],
      ...['--reply-to', 'hello@harbourcoffee.example', '--html', HTML, '--text-from-html'],
    ],
  },
  {
    say: 'Check the message. Would the service accept it, and would it look right?',
    argv: ['email', 'lint', 'Spring'],
  },
  {
    say: 'Schedule the message. Before anything is sent, you see the time in each zone:',
    argv: [
      ...['task', 'create', '--name', 'Spring', '--channel', 'email', '--message', 'Spring', '--list', '1'],
      ...['--at', 'tomorrow 09:00'],
    ],
  },
  {
    say: 'Move the clock of the sandbox, so that you do not have to wait for tomorrow:',
    argv: ['sandbox', 'clock', 'advance', '4d'],
  },
  {
    say: 'List the messages that the sandbox has delivered:',
    argv: ['sandbox', 'outbox', 'list', '--limit', '5'],
  },
  {
    say: 'The simulated recipients of this sandbox open messages and click links (sandbox start --audience lively):',
    argv: ['task', 'report', 'Spring'],
  },
];

const openFlag = switchFlag('open', { describe: 'Open the delivered messages in the browser, until Ctrl-C' });

export const demo: Verb = {
  name: 'demo',
  summary: 'Watch a campaign go out in a temporary sandbox',
  about:
    'Needs no network and no profile, and sends to no real recipient. The sandbox and its data are deleted when the demo ends; with --open, it ends at Ctrl-C',
  work: 'local',
  example: 'demo',
  flags: [openFlag],
  live: true,
  run: async (session, input) => {
    session.beforeChange('send a campaign in a temporary sandbox, and delete the sandbox afterwards');
    const home = await mkdtemp(join(tmpdir(), 'svc-demo-'));
    let sandbox: RunningSandbox | undefined;
    try {
      sandbox = await startIn(home, session.context);
      await runSteps(session, await contextOf(session.context, home, sandbox));
      if (input.get(openFlag)) await showPages(session, sandbox);
      await session.context.stdout.write(
        '\nThe demo has deleted its sandbox. To start your own: svc sandbox start --detach\n',
      );
    } finally {
      await sandbox?.stop();
      await rm(home, { recursive: true, force: true });
    }
    return { result: { kind: 'nothing' } };
  },
};

async function showPages(session: Invocation & Tell, sandbox: RunningSandbox): Promise<void> {
  await session.context.stdout.write(
    '\nThe outbox opens in the browser. Open a message and act as its recipient. Ctrl-C ends the demo.\n',
  );
  await openPageUntilInterrupted(
    session,
    sandbox.openPage('outbox'),
    'run svc sandbox start, then svc sandbox open --print, and open the link',
  );
}

async function startIn(home: string, { clock, random }: Context): Promise<RunningSandbox> {
  const [{ startSandbox }, { dataDirAt }] = await Promise.all([
    import('../../sandbox/start.ts'),
    import('../../sandbox/data/data-dir.ts'),
  ]);
  return startSandbox({
    dataDir: dataDirAt(join(home, 'data')),
    port: 0,
    seed: 'demo',
    clock: 'manual',
    simulatedRecipients: { shares: REACTION_SHARE_PRESETS.lively, seed: 1 },
    naming: DEFAULT_WIRE_NAMING,
    machineNow: clock.now,
    random,
    report: () => undefined,
  });
}

async function contextOf(context: Context, home: string, { ready }: RunningSandbox): Promise<Context> {
  const configDir = join(home, 'config');
  const { openProfileStore } = await import('../../client/profiles/store.ts');
  const store = openProfileStore({ configDir, platform: context.platform });
  const names = { company: 'sandbox', partner: 'sandbox-partner' };
  await writeSandboxProfiles({ store: async () => store }, names, ready, undefined);
  const kept = Object.entries(context.env).filter(
    ([name]) => !name.startsWith('SVC_') || KEPT_VARIABLES.has(name),
  );
  return {
    ...context,
    // The user's own `.svc.json` has no effect here.
    cwd: home,
    // A pager would interrupt the steps.
    startPager: undefined,
    stdin: { ...context.stdin, isTTY: false },
    env: { ...Object.fromEntries(kept), SVC_CONFIG_DIR: configDir, SVC_STATE_DIR: home, NO_PROXY: '*' },
  };
}

/** The demo unsets all other variables of svc, because they select a profile, credentials or folders. */
const KEPT_VARIABLES: ReadonlySet<string> = new Set(['SVC_PLAIN']);

async function runSteps({ context, globals, run }: Invocation & Commands, inside: Context): Promise<void> {
  const { stdin, stdout, stderr } = context;
  const asks = stdin.isTTY && stdout.isTTY && stderr.isTTY && globals.input && !globals.yes && !globals.quiet;
  for (const [index, { say, argv }] of STEPS.entries()) {
    if (asks && index > 0)
      await context.prompter.input(`Press Enter for step ${index + 1} of ${STEPS.length}`);
    if (context.signal.aborted) throw new CliError('interrupted', 'interrupted', { exit: EXIT.interrupted });
    if (!globals.quiet) await context.stdout.write(`\n${await sceneText(say, argv, stdout.columns)}\n`);
    const exit = await run(argv, inside);
    if (exit !== 0)
      throw new CliError('demo', `a step of the demo failed: svc ${argv.join(' ')} exited with ${exit}`, {
        exit: EXIT.failed,
      });
  }
}

/** On a terminal, long lines are wrapped, and wrapped lines of a command end in a backslash. */
async function sceneText(say: string, argv: readonly string[], columns: number | undefined): Promise<string> {
  const words = argv.map(quoted);
  const command = ['$ svc', ...words].join(' ');
  if (columns === undefined) return `${say}\n${command}`;
  const { displayWidth, wrapLinesBreakingWords } = await import('../../kit/text/display-width.ts');
  // A flag stays on one line with its value.
  const parts = words.join(' ').split(/ (?=--)/);
  const lines = parts
    .slice(1)
    .reduce(
      ([line = '', ...earlier], part) =>
        displayWidth(`${line} ${part} \\`) <= columns
          ? [`${line} ${part}`, ...earlier]
          : [`    ${part}`, line, ...earlier],
      [`$ svc ${parts[0]}`],
    );
  const broken = displayWidth(command) <= columns ? command : lines.reverse().join(' \\\n');
  return `${wrapLinesBreakingWords(say, columns).join('\n')}\n${broken}`;
}

function quoted(word: string): string {
  if (/^[\w@.,:/+=-]+$/.test(word)) return word;
  const shown = word.length > 40 ? `${word.slice(0, 36)}…` : word;
  return `'${shown.replaceAll("'", "'\\''")}'`;
}
