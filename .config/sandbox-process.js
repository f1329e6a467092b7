// Starts a sandbox in a separate process, for benchmarks and for the build of the single executable.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/**
 * Starts a sandbox, and resolves when it accepts requests.
 * @param svc the path of the program, such as bin/svc.js
 * @param node the path of the Node that runs it
 * @param data the data folder
 * @param more arguments after those for a free port, the data folder and JSON
 * @param before arguments of Node
 * @returns `{ ready, pid, stop }`: the first line of output as an object, the process id, and a function that ends the process
 */
export async function startSandbox(svc, { node = process.execPath, data, env, more = [], before = [] }) {
  const args = ['sandbox', 'start', '--port', '0', '--data', data, ...more, '-o', 'json'];
  const child = spawn(node, [...before, svc, ...args], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line = await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    child.once('exit', (code) => reject(new Error(`the sandbox exited with ${code}`)));
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
