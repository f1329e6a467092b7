/** Errors use the words that the user typed; contract, "Safety": all faults at once, each with the attribute, the value and the rule. */
import { describe, expect, it } from 'vitest';
import { runCli, serviceOf } from '../../support/run-cli.ts';
import { createTestSandbox } from '../../support/sandbox.ts';

const refusal = async (...argv: readonly string[]) => {
  const { transport, sent } = serviceOf(await createTestSandbox());
  const [text, json] = [
    await runCli(argv, { transport }),
    await runCli([...argv, '-o', 'json'], { transport }),
  ];
  expect([text.exitCode, json.exitCode, text.stdout, json.stdout, sent]).toEqual([2, 2, '', '', []]);
  return { text: text.stderr, error: JSON.parse(json.stderr).error };
};

const TASK = ['task', 'create', '--channel', 'email', '--message', '1', '--name', 'X', '--at', '+1d'];

describe('an e-mail message without --from', () => {
  it('is created, and svc names its sender address', async () => {
    const { transport } = serviceOf(await createTestSandbox());
    const line =
      'email create --name X --subject X --from-name X --reply-to a@example.com --html <p> --text X';
    const run = await runCli(line.split(' '), { transport });
    expect(run.exitCode, run.stderr).toBe(0);
    expect(run.stderr).toContain(
      'the sender is the reply address, a@example.com; to set another, use --from\n',
    );
    const named = await runCli([...line.split(' '), '--from', 'news@example.com'], { transport });
    expect(named.stderr).not.toContain('the sender is');
  });
});

describe('a message about a wrong command', () => {
  it('names the flag as it was typed, and the attribute if its name differs', async () => {
    for (const flag of ['--list', '--list-id']) {
      const { text, error } = await refusal(...TASK, flag, 'a');
      expect(text).toBe(
        `svc: ${flag === '--list' ? '--list (list_id)' : '--list-id'} must be the id of a list (given: "a"); to name a list, run svc profile set PROFILE list.NAME ID; nothing was sent\n`,
      );
      expect(error.details).toEqual([
        {
          ...{ attribute: 'list_id', flag, reason: 'must be the id of a list', value: 'a' },
          instead: 'to name a list, run svc profile set PROFILE list.NAME ID',
        },
      ]);
    }
  });

  it('names a missing flag as help does, and not as null', async () => {
    const { text } = await refusal(...TASK);
    expect(text).toBe('svc: give --list or --search; nothing was sent\n');
  });

  it('names only the attribute for values in --data, and for null', async () => {
    const { text } = await refusal('folder', 'create', '--data', '{"name":7}');
    expect(text).toBe('svc: name must be text (given: 7); nothing was sent\n');
    const nulled = await refusal('task', 'update', '1', '--null', 'name');
    expect(nulled.text).toBe('svc: name must be text (given: null); nothing was sent\n');
  });

  it('names both flags if the value may come from a file', async () => {
    const { text } = await refusal('email', 'create');
    expect(text).toContain('  --html is required; add --html or --html-file\n');
    expect(text).toContain('  --text is required; add --text or --text-file\n');
  });

  it('names the operand that was typed, not its attribute', async () => {
    const { text } = await refusal('dnc', 'add', 'foo@', '--yes');
    expect(text).toContain('svc: <address> must be an e-mail address');
    expect(text).not.toContain('contactdata');
  });

  it('has the first of several faults in the message of the JSON, and all in its details', async () => {
    const { text, error } = await refusal('task', 'create', '--name', 'X', '--at', '+1d', '--list', '1');
    expect(text).toBe(
      'svc: 2 problems; nothing was sent\n  --channel is required\n  --message (message_id) is required\n',
    );
    expect(error.message).toBe('--channel is required, and 1 more; nothing was sent');
    expect(error.details).toHaveLength(2);
  });

  it('never shows a password', async () => {
    const { text, error } = await refusal(...createUser('x', 'canary'));
    expect(text).toBe(
      'svc: --password must have at least seven characters, with both letters and numbers; nothing was sent\n',
    );
    expect(error.details).toEqual([expect.not.objectContaining({ value: expect.anything() })]);
    expect(text + JSON.stringify(error)).not.toContain('canary');
  });
});

it('names the command that shows the existing record of a conflict', async () => {
  const { transport } = serviceOf(await createTestSandbox());
  const run = await runCli(createUser('sub', 'canary77'), { transport });
  expect(run).toMatchObject({ exitCode: 5, stdout: '' });
  expect(run.stderr).toMatch(/^svc: .*\nHint: To see the existing record, run svc user get 2\.\n$/);
});

function createUser(username: string, password: string): readonly string[] {
  const name = ['--username', username, '--firstname', 'a', '--lastname', 'b'];
  return ['user', 'create', ...name, '--email', 'a@b.co', '--password', password];
}
