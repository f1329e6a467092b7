/** `email create|update --text-from-html`: svc derives the text part from the given HTML. */
import { describe, expect, it } from 'vitest';
import { withEverything } from '../../../support/everything.ts';
import { runCli, serviceOf, writesIn } from '../../../support/run-cli.ts';

const CREATE = [
  ...[
    'email',
    'create',
    '--name',
    'New',
    '--subject',
    'New',
    '--from-name',
    'A',
    '--reply-to',
    'a@example.com',
  ],
];
const HTML =
  '<h1>Sale</h1><p>Now at <a href="https://a.example/x">our shop</a>, {{ field.Name | friend }}.</p>';
const TEXT = 'Sale\n====\n\nNow at our shop <https://a.example/x>, {{ field.Name | friend }}.\n';

const service = async () => serviceOf(await withEverything());
const bodyOf = async (line: readonly string[]) =>
  JSON.parse(
    (await runCli([...line, '--dry-run', '-o', 'json'], { transport: (await service()).transport })).stdout,
  ).body;

describe('svc email create and update --text-from-html', () => {
  it('send the text of the HTML', async () => {
    expect(await bodyOf([...CREATE, '--html', HTML, '--text-from-html'])).toMatchObject({
      html: HTML,
      text: TEXT,
    });
    expect(await bodyOf(['email', 'update', 'Free', '--html', HTML, '--text-from-html'])).toEqual({
      html: HTML,
      text: TEXT,
    });
  });

  // Interface, emailMessage, "Content rules".
  it('keep the rules of an opt-in message', async () => {
    const html = '<svc_link value="%svc_optin%" name="opt-in">Confirm</svc_link>';
    const { transport } = await service();
    const run = await runCli([...CREATE, '--html', html, '--text-from-html', '--customoptin', '-o', 'json'], {
      transport,
    });
    expect(run.exitCode).toBe(0);
    expect(JSON.parse(run.stdout)).toMatchObject({ text: 'Confirm: <svc_name value="optin" alt="">\n' });
  });

  it.each([
    [['--html', HTML, '--text', 'A'], 'text is given twice; leave out --text-from-html or the text'],
    [['--html', HTML, '--data', '{"text":"A"}'], 'text is given twice'],
    [[], 'needs HTML; add --html-file'],
    [['--html', '<img src="https://a.example/a.png">'], 'would be empty'],
    [['--html', '<p>Now &rarr; here</p>'], 'does not fit Windows-1252: → (U+2192) at 1:5'],
  ])('reject %j: exit 2, and nothing is sent', async (flags, message) => {
    for (const line of [CREATE, ['email', 'update', 'Free']]) {
      const { transport, sent } = await service();
      const run = await runCli([...line, ...flags, '--text-from-html'], { transport });
      expect(run).toMatchObject({ exitCode: 2, stdout: '' });
      expect(run.stderr).toContain(message);
      expect(writesIn(sent)).toEqual([]);
    }
  });
});
