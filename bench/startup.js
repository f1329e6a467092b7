// Measures how long a start takes, as a ratio to `node -e 0`: `svc --version`, a page of help, and one signed call of a service on this
// machine. If they are installed, also measures `gh --version`, and curl with the same signed request. All run in turn, so that other work
// of the machine affects all of them.
// Usage: node bench/startup.js [rounds] [--json] [executable to measure too]
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startSandbox } from '../.config/sandbox-process.js';
import { record } from './report.js';
import { signed } from './signed.js';

const words = process.argv.slice(2).filter((word) => word !== '--json');
const isJson = process.argv.includes('--json');
const ROUNDS = Number(words[0] ?? 30);
const binary = words[1];
/** Number of warm-up rounds. The cache of compiled code grows during the first runs (bin/compiled-code.js). */
const UNCOUNTED = 8;

const svc = fileURLToPath(new URL('../bin/svc.js', import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'svc-bench-'));
// Leaves out other variables, such as NODE_EXTRA_CA_CERTS, whose file Node takes 35 ms to read.
const env = {
  PATH: process.env.PATH,
  HOME: home,
  SVC_CONFIG_DIR: join(home, 'config'),
  SVC_STATE_DIR: join(home, 'state'),
};

/** Commands to measure, and the ratio that each should have at most. */
const STARTS = [
  { args: ['--version'], aim: 1.4, executableAim: 1.5 },
  { args: ['task', 'create', '--help'], aim: 1.6 },
  { args: ['folder', 'list', '-o', 'json'], aim: 2.4 },
];
const node = { title: 'node -e 0', command: () => [process.execPath, '-e', '0'] };
const starts = STARTS.flatMap(({ args, aim, executableAim }) => [
  { title: `svc ${args.join(' ')}`, command: () => [process.execPath, svc, ...args], aim },
  ...(binary === undefined
    ? []
    : [
        {
          title: `executable: svc ${args.join(' ')}`,
          command: () => [binary, ...args],
          aim: executableAim,
        },
      ]),
]);

const sandbox = await startSandbox(svc, { data: join(home, 'data'), env, more: ['--seed', 'demo'] });
/** Other programs, each compared with the start of svc that does as much. */
const others = [
  { title: 'gh --version', command: () => ['gh', '--version'], beside: 'svc --version' },
  { title: 'curl, the same request', command: curl, beside: 'svc folder list -o json' },
].filter(({ command }) => spawnSync(command()[0], ['--version']).status === 0);
try {
  const times = measure([node, ...starts, ...others]);
  const floor = summary(times.get(node));
  const rows = [...starts, ...others].map((each) => {
    const { median, least } = summary(times.get(each));
    const { title, aim } = each;
    return { title, median, ratio: median / floor.median, least, leastRatio: least / floor.least, aim };
  });
  if (binary !== undefined && !isJson)
    console.log(`${binary}: ${(statSync(binary).size / 1e6).toFixed(1)} MB`);
  for (const { title, least, leastRatio, aim } of rows.slice(0, starts.length))
    keep(title, 'node -e 0', { ours: least, theirs: floor.least, ratio: leastRatio, atMost: aim });
  for (const { title, beside } of others) {
    const [ours, theirs] = [beside, title].map((name) => rows.find((row) => row.title === name).least);
    keep(beside, title, { ours, theirs, ratio: ours / theirs });
  }
  if (isJson) console.log(JSON.stringify({ node: process.version, rounds: ROUNDS, floor, rows }));
  else print(floor, rows);
} finally {
  await sandbox.stop();
  rmSync(home, { recursive: true, force: true });
}

function keep(what, peer, figures) {
  record({ what, peer, unit: 'ms, least', ...figures });
}

/** Returns a curl command with a new signature, because the service accepts each nonce once. The time does not include signing. */
function curl() {
  const { baseUrl, company } = sandbox.ready;
  const who = { key: company.apiKey, company: company.id, user: company.adminUserId };
  const headers = Object.entries(signed('GET', '/v1/folder', who));
  const flags = headers.flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  return [
    'curl',
    '--silent',
    '--show-error',
    '--fail',
    '--output',
    '/dev/null',
    ...flags,
    `${baseUrl}/v1/folder`,
  ];
}

function measure(commands) {
  const times = new Map(commands.map((each) => [each, []]));
  for (let round = -UNCOUNTED; round < ROUNDS; round += 1)
    for (const each of commands) {
      const took = time(each.command());
      if (round >= 0) times.get(each).push(took);
    }
  return times;
}

function time([command, ...args]) {
  const begun = process.hrtime.bigint();
  const { status, stderr } = spawnSync(command, args, { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${args.join(' ')} exited with ${status}: ${stderr}`);
  return Number(process.hrtime.bigint() - begun) / 1e6;
}

/** Returns the median and the least of times in milliseconds. The least shows the time without other work on the machine. */
function summary(times) {
  const sorted = [...times].sort((a, b) => a - b);
  return { median: sorted[Math.floor(sorted.length / 2)], least: sorted[0] };
}

function print(floor, rows) {
  console.log(
    `Node ${process.version}, ${ROUNDS} alternating rounds, milliseconds, and the ratio to node -e 0`,
  );
  console.log('| start | median | ratio | least | ratio | aim |\n| --- | --- | --- | --- | --- | --- |');
  console.log(`| node -e 0 | ${floor.median.toFixed(1)} | 1 | ${floor.least.toFixed(1)} | 1 | |`);
  for (const { title, median, ratio, least, leastRatio, aim } of rows)
    console.log(
      `| ${title} | ${median.toFixed(1)} | ${ratio.toFixed(2)} | ${least.toFixed(1)} | ${leastRatio.toFixed(2)} | ${aim ?? ''} |`,
    );
}
