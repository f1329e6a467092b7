/** Acceptance: guide, index, help and tools suffice for an assistant that has never seen svc. The gym judges by the state of its sandboxes. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

interface Attempt {
  readonly task: string;
  readonly through: string;
  readonly faults: readonly string[];
  readonly calls: number;
  readonly bytes: number;
  readonly guesses: readonly string[];
}

const play = async (...flags: readonly string[]): Promise<readonly Attempt[]> => {
  const run = promisify(execFile)(process.execPath, ['.config/gym.js', '--json', ...flags]);
  const { stdout } = await run.catch((error: { readonly stdout: string }) => error);
  return JSON.parse(stdout) as readonly Attempt[];
};

it('the driver of the project solves 30 tasks through the shell and 20 through MCP, without a guess, in 30,000 tokens each', async () => {
  const attempts = await play();
  expect(attempts.filter(({ faults, guesses }) => faults.length + guesses.length > 0)).toEqual([]);
  const through = (way: string) => attempts.filter((each) => each.through === way).length;
  expect(through('shell')).toBeGreaterThanOrEqual(30);
  expect(through('mcp')).toBeGreaterThanOrEqual(20);
  // A token is about four characters.
  expect(Math.max(...attempts.map(({ bytes }) => bytes))).toBeLessThan(120_000);
}, 900_000);

it('a driver that does nothing solves no task, neither one with an answer nor one with a change', async () => {
  const idle = 'node -e "process.stdin.once(\'data\',()=>console.log(JSON.stringify({done:{}})))"';
  const names = ['next-sends', 'cancel-send', 'undo', 'draft-campaign', 'approved-plan', 'rule-paused'];
  const attempts = await play(
    '--driver',
    idle,
    '--through',
    'shell',
    ...names.flatMap((each) => ['--task', each]),
  );
  expect(attempts).toHaveLength(names.length);
  expect(attempts.filter(({ faults }) => faults.length === 0)).toEqual([]);
}, 900_000);
