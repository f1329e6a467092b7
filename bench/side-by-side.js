// Runs both sides of a benchmark of bulk work in turn, so that noise affects both. Measures each process from start to end, and signs
// requests.
import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startService } from './answering-service.js';
import { signed } from './signed.js';

export const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);

/**
 * Runs each side in turn, against a service of its own. Returns the fastest run of each, because other work can only make a run slower.
 * @param sides by name: `args` returns the arguments of node, and `check` throws if the output file is wrong
 * @returns by name `{ ms, cpu, peak }`: milliseconds from start to end, milliseconds of processor time, and the peak memory in MB
 */
export async function sideBySide(rows, sides) {
  const best = {};
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [name, { args, check }] of Object.entries(sides)) {
      const home = mkdtempSync(join(tmpdir(), 'svc-bench-'));
      const service = await startService(rows);
      try {
        const out = join(home, 'out');
        const run = await timed(args(home), environment(home, service), out);
        check(out);
        best[name] = run.ms < (best[name]?.ms ?? Number.POSITIVE_INFINITY) ? run : best[name];
      } finally {
        await service.stop();
        rmSync(home, { recursive: true, force: true });
      }
    }
  return best;
}

/** Returns the environment of both sides. */
function environment(home, { baseUrl, company }) {
  return {
    PATH: process.env.PATH,
    HOME: home,
    SVC_CONFIG_DIR: join(home, 'config'),
    SVC_STATE_DIR: join(home, 'state'),
    SVC_BASE_URL: baseUrl,
    SVC_COMPANY_ID: String(company.id),
    SVC_USER_ID: String(company.adminUserId),
    SVC_API_KEY: company.apiKey,
  };
}

function timed(args, env, out) {
  const file = openSync(out, 'w');
  const begun = process.hrtime.bigint();
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', file, 'inherit'] });
  let usage = { peak: 0, cpu: 0 };
  const look = setInterval(() => {
    const { peak = 0, cpu = 0 } = usageOf(child.pid) ?? {};
    usage = { peak: Math.max(peak, usage.peak), cpu: Math.max(cpu, usage.cpu) };
  }, 20);
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => {
      clearInterval(look);
      closeSync(file);
      const ms = Number(process.hrtime.bigint() - begun) / 1e6;
      if (code === 0) resolve({ ms, ...usage });
      else reject(new Error(`${args.join(' ')} exited with ${code}`));
    });
  });
}

/** Returns the peak memory in MB and the processor time in ms so far, or undefined on systems other than Linux. */
function usageOf(pid) {
  try {
    const [, kb] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    const [, , , , , , , , , , , , user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, ') ')
      .split(' ');
    return { peak: Math.round(Number(kb ?? 0) / 1024), cpu: 10 * (Number(user) + Number(system)) };
  } catch {
    return undefined;
  }
}

/** Returns the headers of a request of the bare loop, signed with the key in the environment. */
export function signedHere(method, path) {
  const { SVC_COMPANY_ID: company, SVC_USER_ID: user, SVC_API_KEY: key } = process.env;
  return signed(method, path, { key, company, user });
}
