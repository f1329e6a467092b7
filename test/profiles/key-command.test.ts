import { describe, expect, it } from 'vitest';
import { ProfileError } from '../../src/client/profiles/errors.ts';
import { runKeyCommand } from '../../src/client/profiles/key-command.ts';

const ENV = { PATH: process.env['PATH'], SECRET: 'canary-in-output' };

it.each([
  ['a line', 'echo "$SECRET"', 'canary-in-output'],
  ['without a line end', 'printf %s "$SECRET"', 'canary-in-output'],
  ['a Windows line end', String.raw`printf '%s\r\n' "$SECRET"`, 'canary-in-output'],
  ['quotes and a pipe', `echo 'a b' "$SECRET" | cut -d' ' -f3`, 'canary-in-output'],
  ['spaces, which the key check judges', 'echo " x "', ' x '],
  ['stderr, which is discarded', 'echo noise >&2; echo key', 'key'],
  ['4 KiB', `head -c 4096 /dev/zero | tr '\\0' a`, 'a'.repeat(4096)],
  ['stdin, which is empty', 'cat; echo key', 'key'],
])('accepts %s', async (_, command, expected) => {
  expect(await runKeyCommand(command, ENV)).toBe(expected);
});

it('passes only the given environment', async () => {
  expect(await runKeyCommand('echo "home=$HOME"', ENV)).toBe('home=');
});

describe('an invalid output is rejected and never shown', () => {
  it.each([
    ['a failure', 'echo "$SECRET"; echo "$SECRET" >&2; exit 3', 'ended with exit code 3'],
    ['a missing program', 'no-such-program-of-svc "$SECRET"', 'ended with exit code 127'],
    ['an end by a signal', 'echo "$SECRET"; kill -9 $$', 'was ended by SIGKILL'],
    ['more than one line', 'echo "$SECRET"; echo "$SECRET"', 'printed more than one line'],
    ['an empty second line', 'echo "$SECRET"; echo', 'printed more than one line'],
    ['nothing', 'true', 'printed nothing'],
    ['an empty line', 'echo', 'printed nothing'],
    ['more than 4 KiB', 'yes "$SECRET" | head -c 4097', 'printed more than 4 KiB'],
    ['no end of output', 'yes "$SECRET"', 'printed more than 4 KiB'],
  ])('%s', async (_, command, message) => {
    const error = await runKeyCommand(command, ENV).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ProfileError);
    expect(error).toMatchObject({ kind: 'no-credentials', message: `the key command ${message}` });
    const { stack, hints, cause } = error as ProfileError;
    expect(JSON.stringify([stack, hints, cause])).not.toContain('canary-in-output');
  });

  it.each([
    ['the program', 'sleep 30'],
    ['a program behind a pipe, which holds stdout open', 'sleep 30 | cat'],
  ])('stops %s at the time-out', async (_, command) => {
    await expect(runKeyCommand(command, ENV, 100)).rejects.toThrow('the key command took longer than 0.1 s');
  });
});
