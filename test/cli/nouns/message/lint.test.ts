/** Contract, "Insight": `email lint` and `sms-message lint` of a stored message or of files. */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OutputStream } from '../../../../src/cli/outside/context.ts';
import { withEverything } from '../../../support/everything.ts';
import { putEmail, setAccount } from '../../../support/messages.ts';
import { withPartnerProfile } from '../../../support/partner-profile.ts';
import { NOBODY, runCli, serviceOf } from '../../../support/run-cli.ts';
import { createTestSandbox } from '../../../support/sandbox.ts';
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts';

const GOOD =
  '<!doctype html><html lang="en"><head><title>Sale</title></head><body><p>Sale. <a href="https://a.example/u">Unsubscribe</a></p></body></html>\n';
const WITHOUT_ALT = GOOD.replace('Sale. ', 'Sale. <img src="https://a.example/a.png"> ');
const REFUSED = GOOD.replace('Sale. ', 'Sale → now. ');
// The columns at which the findings are.
const ALT = WITHOUT_ALT.indexOf('<img') + 1;
const ARROW = REFUSED.indexOf('→') + 1;

let cwd: string;
const alone = {
  env: NOBODY,
  get cwd() {
    return cwd;
  },
};
const rulesIn = (stdout: string): readonly string[] =>
  JSON.parse(stdout).map(({ rule }: { rule: string }) => rule);

beforeAll(async () => {
  cwd = await makeTemporaryFolder('lint');
  await writeFile(join(cwd, 'good.html'), GOOD);
  await writeFile(join(cwd, 'good.txt'), 'Sale. Unsubscribe: https://a.example/u\n');
  await writeFile(join(cwd, 'alt.html'), WITHOUT_ALT);
  await writeFile(join(cwd, 'refused.html'), REFUSED);
});
afterAll(() => rm(cwd, { recursive: true }));

describe('lint of files', () => {
  const files = (html: string): readonly string[] => [
    ...['email', 'lint', '--html-file', html, '--text-file', 'good.txt', '--subject', 'Sale today'],
  ];

  it('needs neither credentials nor a service, and names what it checked if it finds nothing', async () => {
    expect(await runCli(files('good.html'), alone)).toMatchObject({
      exitCode: 0,
      stdout: '',
      stderr:
        'No problems: subject of 10 characters, HTML of 142 bytes with 1 link and 0 images, text of 39 characters.\n',
    });
    const quiet = await runCli([...files('good.html'), '--quiet'], alone);
    expect(quiet).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
  });

  // Contract, "Naming files": SVC_NAMING gives a deployment's names if there is no profile.
  it.each([
    ['full', []],
    ['none', ['no-unsubscribe', 'no-unsubscribe']],
  ] as const)('with naming.footer %s in SVC_NAMING reports %j', async (footer, rules) => {
    await writeFile(join(cwd, `${footer}.json`), JSON.stringify({ footer }));
    const env = { ...NOBODY, SVC_NAMING: `${footer}.json` };
    const bare = ['--html', '<html lang="en"><title>A</title><p>Hi</p></html>', '--text', 'Hi', '-o', 'json'];
    const { stdout } = await runCli(['email', 'lint', ...bare], { cwd, env });
    expect(rulesIn(stdout)).toEqual(rules);
  });

  it('prints a line for each finding, and their number', async () => {
    const run = await runCli(files('alt.html'), alone);
    expect(run).toMatchObject({ exitCode: 0 });
    expect(run.stdout).toBe(
      `alt.html:1:${ALT}: warning: The image “https://a.example/a.png” has no alt text. [image-without-alt]\n` +
        '    Add alt="…" with a description, or alt="" for decoration.\n',
    );
    expect(run.stderr).toMatch(/^1 warning: subject of 10 characters, HTML of /);
  });

  it.each([
    ['good.html', [], 0],
    ['good.html', ['--strict'], 0],
    ['alt.html', [], 0],
    ['alt.html', ['--strict'], 11],
    ['alt.html', ['--strict', '--ignore', 'image-without-alt'], 0],
    ['refused.html', [], 11],
    ['refused.html', ['--ignore', 'no-title', '--ignore', 'not-windows-1252'], 0],
  ])('%s with %j exits with %i', async (html, flags, exit) => {
    for (const form of [
      [],
      ['-o', 'json'],
      ['--format', 'sarif'],
      ['--format', 'junit'],
      ['--format', 'github'],
    ])
      expect((await runCli([...files(html), ...flags, ...form], alone)).exitCode).toBe(exit);
  });

  it('-o json and --format json print an array of findings, each with all seven attributes', async () => {
    const run = await runCli([...files('refused.html'), '-o', 'json'], alone);
    expect(JSON.parse(run.stdout)).toEqual([
      {
        rule: 'not-windows-1252',
        severity: 'error',
        message: 'The HTML contains → (U+2192), which is not in Windows-1252.',
        file: 'refused.html',
        line: 1,
        column: ARROW,
        instead: 'Use &#8594;, or ->.',
      },
    ]);
    expect(run.stderr).toBe('');
    const other = await runCli([...files('refused.html'), '--format', 'json'], alone);
    expect(other.stdout).toBe(run.stdout);
    const none = await runCli([...files('good.html'), '-o', 'json'], alone);
    expect(none).toMatchObject({ exitCode: 0, stdout: '[]\n', stderr: '' });
  });

  it('prints rows with --fields, --query and the other formats', async () => {
    const csv = await runCli([...files('refused.html'), '-o', 'csv', '--fields', 'rule,line'], alone);
    expect(csv).toMatchObject({ exitCode: 11, stdout: 'rule,line\nnot-windows-1252,1\n' });
    const query = await runCli([...files('refused.html'), '--query', '[].rule'], alone);
    expect(query).toMatchObject({ exitCode: 11, stdout: 'not-windows-1252\n' });
  });

  it('reports wrong values as findings, and exits with 2 for wrong flags', async () => {
    const run = await runCli(
      [
        'email',
        'lint',
        '--from',
        'nobody',
        '--text',
        ' ',
        '--subject',
        '',
        '--html',
        '<p>Unsubscribe</p>',
        '-o',
        'json',
      ],
      alone,
    );
    expect(run.exitCode).toBe(11);
    expect(rulesIn(run.stdout).filter((rule) => !rule.startsWith('no-'))).toEqual([
      ...['sender', 'empty-part', 'empty-part'],
    ]);
    const opt = ['email', 'lint', '--customoptin', '--html-file', 'good.html', '--text-file', 'good.txt'];
    expect(rulesIn((await runCli([...opt, '-o', 'json'], alone)).stdout)).toEqual([
      ...['opt-in-element', 'opt-in-element'],
    ]);
  });

  it.each([
    [[], 'nothing to check'],
    [['--html-file', 'none.html'], 'cannot read none.html: file or folder not found'],
    [['--html-file', 'good.html', '--ignore', 'nosuch'], 'unknown rule nosuch'],
    [['--html-file', 'good.html', '--format', 'xml'], 'unknown format xml'],
    [['--html-file', 'good.html', '--format', 'sarif', '-o', 'json'], 'cannot combine --format with -o'],
    [['--html-file', 'good.html', '--format', 'text', '--fields', 'rule'], 'cannot combine --format with -o'],
    [['--data', '{"nosuch":1}'], 'nosuch is not an attribute of emailMessage'],
    [['--data', '{"editable":true}'], 'editable is read-only'],
    [['--html', 'x', '--html-file', 'good.html'], 'html is given twice'],
    [['--watch', '--html', 'x'], '--watch needs a file'],
    [['--watch', '--html-file', '-'], '--watch needs a file'],
    [['--watch', '--html-file', 'good.html', '-o', 'json'], '--watch prints only text'],
    [['--watch', '--html-file', 'none.html'], 'cannot read none.html'],
  ])('rejects %j: exit 2', async (flags, message) => {
    const run = await runCli(['email', 'lint', ...flags], { ...alone, cwd, stdin: 'x' });
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toContain(message);
  });

  it('--text-from-html checks the text that it would derive', async () => {
    const line = ['email', 'lint', '--html-file', 'good.html'];
    expect(rulesIn((await runCli([...line, '-o', 'json'], alone)).stdout)).toEqual(['no-text-part']);
    expect((await runCli([...line, '--text-from-html', '-o', 'json'], alone)).stdout).toBe('[]\n');
  });

  it('escapes control sequences of contents and file names on a terminal', async () => {
    const line = ['email', 'lint', '--html', '<img src="https://a.example/\u001b]0;x\u0007.png">'];
    const run = await runCli(line, { ...alone, cwd, tty: true });
    expect(run.stdout.replaceAll(/\u001b\[[0-9;]*m/g, '')).not.toContain('\u001b');
    for (const format of ['github', 'junit', 'json', 'sarif'])
      expect(
        (await runCli([...line, '--format', format], { ...alone, cwd, tty: true })).stdout,
      ).not.toContain('\u001b');
  });
});

describe('lint of a stored message', () => {
  it('requests the targets of its links, and the postal address of the account', async () => {
    const sandbox = await createTestSandbox();
    await setAccount(sandbox, { address: '1 Quay Street, Bristol' });
    const html = GOOD.replace('https://a.example/u', 'http://localhost/u');
    const text = 'Sale. Unsubscribe: https://a.example/u\nQuay Street 1, Bristol\n';
    const body = {
      fromemail: null,
      fromname: 'A',
      html,
      name: 'Sale',
      replyemail: 'a@example.com',
      subject: 'Sale',
      text,
    };
    await sandbox.send('admin', 'POST', '/v1/emailMessage', body);
    const { transport } = serviceOf(sandbox);
    await writeFile(join(cwd, 'link.json'), '{"footer": "link"}');
    const env = { SVC_NAMING: 'link.json' };
    const run = await runCli(['email', 'lint', 'Sale', '-o', 'json'], { transport, cwd, env });
    expect(run.exitCode).toBe(11);
    expect(JSON.parse(run.stdout)).toMatchObject([
      {
        rule: 'local-address',
        file: null,
        line: null,
        message: expect.stringContaining('“http://localhost/u”'),
      },
      { rule: 'no-postal-address', file: null, message: expect.stringContaining('“1 Quay Street, Bristol”') },
    ]);
    // Values of flags replace the stored parts.
    const other = ['email', 'lint', 'Sale', '--html-file', 'good.html', '-o', 'json'];
    expect(rulesIn((await runCli(other, { transport, cwd, env })).stdout)).toEqual(['no-postal-address']);
    // The service adds the address, unless the naming excludes it.
    expect(rulesIn((await runCli(other, { transport, cwd })).stdout)).toEqual([]);
  });

  it('exits with 4 if the message does not exist', async () => {
    const { transport } = serviceOf(await withEverything());
    expect((await runCli(['email', 'lint', '99'], { transport })).exitCode).toBe(4);
  });

  // Contract, "Partners and many companies": company_id and company come first in each row.
  it('prints rows for many companies, and exits with 11 if the message of one has errors', async () => {
    const agency = await withPartnerProfile();
    try {
      await agency.done(['company', 'import', '-'], { stdin: 'id,name\n1,Company\n2,Other\n' });
      await putEmail(agency.sandbox, { name: 'Old', html: GOOD, text: 'Unsubscribe' });
      await putEmail(agency.sandbox, { name: 'Old', html: REFUSED, text: 'Unsubscribe', account_id: 2 });
      const line = ['email', 'lint', 'Old', '--companies', 'all'];
      const run = await agency.svc([...line, '-o', 'json']);
      expect(run.exitCode).toBe(11);
      const rows: readonly object[] = JSON.parse(run.stdout);
      expect(rows.filter((row) => 'severity' in row && row.severity === 'error')).toEqual([
        expect.objectContaining({ company_id: 2, company: 'Other', rule: 'not-windows-1252' }),
      ]);
      const formatted = await agency.svc([...line, '--format', 'text']);
      expect(formatted).toMatchObject({ exitCode: 2, stdout: '' });
      expect(formatted.stderr).toContain('cannot combine --format with --companies');
    } finally {
      await agency.remove();
    }
  });
});

describe('svc sms-message lint', () => {
  it('reports a sender of symbols, and four parts, as errors', async () => {
    const line = ['sms-message', 'lint', '--text', 'x'.repeat(460), '--from', 'A & B'];
    const run = await runCli([...line, '-o', 'json'], alone);
    expect(run.exitCode).toBe(11);
    const found: readonly { severity: string; rule: string }[] = JSON.parse(run.stdout);
    const errors = found.filter(({ severity }) => severity === 'error');
    expect(errors.map(({ rule }) => rule)).toHaveLength(2);
  });

  it('prints size and cost, also of a stored message', async () => {
    const { transport } = serviceOf(await withEverything());
    const run = await runCli(['sms-message', 'lint', 'Free'], { transport });
    expect(run.exitCode).toBe(0);
    expect(run.stderr).toContain('GSM, 5 characters, 1 part, 1 credit for each recipient.');
  });
});

describe('--watch', () => {
  /** Performs one step at every third check of the files, then Ctrl-C. Returns the contents of the screen, in order. */
  async function watch(steps: readonly ((file: string) => void)[], flags: readonly string[] = []) {
    const folder = await makeTemporaryFolder('watch');
    const file = join(folder, 'sale.html');
    await writeFile(file, GOOD);
    const interrupt = new AbortController();
    const screen: string[] = [];
    const stream: OutputStream = {
      isTTY: false,
      columns: undefined,
      write: async (text) => {
        if (text !== '') screen.push(text);
      },
    };
    let looks = 0;
    const onSleep = (): void => {
      const step = steps[looks / 3];
      if (looks % 3 === 0 && step === undefined) interrupt.abort();
      if (looks % 3 === 0) step?.(file);
      looks += 1;
    };
    const line = ['email', 'lint', '--html-file', 'sale.html', '--text', 'Unsubscribe', '--watch', ...flags];
    const outside = { cwd: folder, signal: interrupt.signal, stdout: stream, stderr: stream, onSleep };
    const { exitCode } = await runCli(line, { ...outside, env: NOBODY });
    await rm(folder, { recursive: true });
    return { exitCode, screen: screen.map((text) => text.split(/[:\n]/, 4).join(':')) };
  }

  const CLEAN = 'No problems: HTML of 142 bytes with 1 link and 0 images, text of 11 characters.:';
  const save = (text: string) => (file: string) => writeFileSync(file, text);

  it('checks again when a file is saved, and ends at Ctrl-C with the exit code of the last check', async () => {
    const { exitCode, screen } = await watch([save(WITHOUT_ALT), save(REFUSED)]);
    expect(screen).toEqual([
      CLEAN,
      'Watching sale.html; Ctrl-C ends.:',
      `sale.html:1:${ALT}: warning`,
      expect.stringMatching(/^1 warning: /),
      `sale.html:1:${ARROW}: error`,
      expect.stringMatching(/^1 error: /),
    ]);
    expect(exitCode).toBe(11);
  });

  it('exits with 0 if the last check found no error', async () => {
    expect((await watch([save(REFUSED), save(GOOD)])).exitCode).toBe(0);
    expect((await watch([save(WITHOUT_ALT)], ['--strict'])).exitCode).toBe(11);
  });

  // As vim does, and every editor that writes a new file and moves it over the old one.
  it('notices a file that replaces the old one', async () => {
    const { screen, exitCode } = await watch([
      (file) => {
        writeFileSync(`${file}~`, REFUSED);
        renameSync(`${file}~`, file);
      },
    ]);
    expect(screen).toContain(`sale.html:1:${ARROW}: error`);
    expect(exitCode).toBe(11);
  });

  it('reports a deleted file, keeps its last content, and continues when the file is back', async () => {
    const steps = [save(REFUSED), (file: string) => rmSync(file)];
    const gone = await watch(steps);
    expect(gone.screen.at(-1)).toBe(
      'cannot read sale.html: file or folder not found; waiting for the next save.:',
    );
    expect(gone.exitCode).toBe(11);
    const back = await watch([...steps, save(GOOD)]);
    expect(back.screen.at(-1)).toBe(CLEAN);
    expect(back.exitCode).toBe(0);
  });

  it('checks several saves in a row once, and nothing without a save', async () => {
    const { screen } = await watch([
      (file) => {
        for (let each = 0; each < 20; each += 1) writeFileSync(file, `${REFUSED}${' '.repeat(each)}`);
      },
      () => undefined,
    ]);
    expect(screen.filter((text) => text.startsWith('1 error'))).toHaveLength(1);
  });
});

describe('lint --all', () => {
  const open = async () => {
    const sandbox = await createTestSandbox();
    await putEmail(sandbox, { name: 'Fine', html: GOOD, text: 'Sale. Unsubscribe: https://a.example/u\n' });
    await putEmail(sandbox, { name: 'Empty', html: '<p></p>', text: 'Sale' });
    const outside = { transport: serviceOf(sandbox).transport };
    return (...argv: readonly string[]) => runCli(['email', 'lint', '--all', ...argv], outside);
  };

  it('checks all messages, names the message in each finding, and exits with 11 for an error', async () => {
    const lint = await open();
    const run = await lint();
    expect(run.exitCode).toBe(11);
    expect(run.stdout).toContain(
      'error: email 2 (Empty): The HTML contains no text and no image. [empty-part]\n',
    );
    expect(run.stderr).toMatch(/^1 error.*: 2 messages\.$/m);
    const ignored = await lint('--ignore', 'empty-part');
    expect([ignored.exitCode, ignored.stdout.includes('empty-part')]).toEqual([0, false]);
  });

  it('adds the id of the message to each row for programs', async () => {
    const lint = await open();
    const rows = JSON.parse((await lint('-o', 'json')).stdout);
    expect(rows).toContainEqual({
      ...{ id: 2, rule: 'empty-part', severity: 'error', file: null, line: null, column: null },
      message: 'email 2 (Empty): The HTML contains no text and no image.',
      instead: 'Write the HTML.',
    });
    expect((await lint('-o', 'csv')).stdout).toMatch(/^id,rule,severity,message,file,line,column,instead\n/);
    expect(JSON.parse((await lint('--format', 'sarif')).stdout).runs[0].results.length).toBe(rows.length);
  });

  it('checks all SMS messages, and says so if there are none', async () => {
    const transport = serviceOf(await createTestSandbox()).transport;
    const run = await runCli(['sms-message', 'lint', '--all'], { transport });
    expect(run).toMatchObject({ exitCode: 0, stdout: '', stderr: 'No problems: 0 messages.\n' });
  });

  it.each([
    [['1'], 'a message'],
    [['--subject', 'x'], '--subject'],
    [['--text-from-html'], '--text-from-html'],
    [['--watch'], '--watch'],
  ])('refuses %j, because that is about one message', async (words, named) => {
    const lint = await open();
    const run = await lint(...words);
    expect([run.exitCode, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toContain(`cannot combine --all with ${named}`);
  });
});
