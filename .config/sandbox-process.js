// A sandbox in a process of its own, for benches and for the build of the single executable.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/**
 * @param svc the program, as bin/svc.js
 * @param node what runs it
 * @param more words after those for a free port, the data folder and JSON
 * @returns `{ ready, pid, stop }`: its first line, once it accepts requests, and what ends it
 */
export async function startSandbox(svc, { node = process.execPath, data, env, more = [], before = [] }) {
  const words = ['sandbox', 'start', '--port', '0', '--data', data, ...more, '-o', 'json'];
  const child = spawn(node, [...before, svc, ...words], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line = await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    child.once('exit', (code) => reject(new Error(`the sandbox ended with ${code}`)));
  });
  return {
    ready: JSON.parse(line),
    pid: child.pid,
    stop: async () => {
      child.kill('SIGTERM');
      await new Promise((resolve) => child.once('exit', resolve));
    },
  };
}
