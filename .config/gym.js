/**
 * `npm run gym` gives tasks in fresh sandboxes to a driver, and judges what the service holds afterwards (docs/assistants.md, "The gym").
 *
 *   npm run gym -- [--driver COMMAND] [--through shell|mcp] [--task NAME…] [--jobs N] [--json]
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runTypescript } from './run-typescript.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({
  options: {
    driver: { type: 'string' },
    through: { type: 'string', multiple: true },
    task: { type: 'string', multiple: true, default: [] },
    jobs: { type: 'string', default: '2' },
    json: { type: 'boolean', default: false },
  },
});
const { playAll, tableOf } = await runTypescript(fileURLToPath(new URL('gym/play.ts', import.meta.url)));
const own = fileURLToPath(new URL('gym/driver.js', import.meta.url));
/** The driver runs in no folder of ours, so that it cannot look at the project. */
const start = () =>
  values.driver === undefined
    ? spawn(process.execPath, [own], { stdio: ['pipe', 'pipe', 'inherit'] })
    : spawn(values.driver, { shell: true, stdio: ['pipe', 'pipe', 'inherit'] });
const fault = (text) => {
  process.stderr.write(`${text}\n`);
  process.exitCode = 2;
};
const through = values.through ?? ['shell', 'mcp'];
if (through.some((each) => !['shell', 'mcp'].includes(each))) fault('--through takes shell or mcp');
else if (!/^[1-9]\d*$/.test(values.jobs)) fault('--jobs takes a number of at least 1');
else {
  const attempts = await playAll(ROOT, { through, names: values.task, jobs: Number(values.jobs), start });
  process.stdout.write(values.json ? `${JSON.stringify(attempts)}\n` : `${tableOf(attempts)}\n`);
  // A driver of ours must not guess. Another one may, and its guesses are counted.
  const isOurs = values.driver === undefined;
  if (attempts.length === 0) fault('no such task');
  else if (attempts.some(({ faults, guesses }) => faults.length > 0 || (isOurs && guesses.length > 0)))
    process.exitCode = 1;
}
