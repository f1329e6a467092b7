/** Contract, "Insight": `sms estimate`, with characters, septets, credits, costly and exit 11. */
import { describe, expect, it } from 'vitest';
import { NOBODY, runCli } from '../../../support/run-cli.ts';

const estimate = (...argv: readonly string[]) => runCli(['sms', 'estimate', ...argv], { env: NOBODY });
const LONG = `It’s on – it’s ${'x'.repeat(140)}`;

// Contract, "Output": a terminal breaks lines within words, so svc breaks them at words.
it.each([80, 40])('svc sms estimate fits a terminal of %i columns', async (columns) => {
  const text = 'Grüße “quoted” … – it’s ready';
  const { stdout } = await runCli(['sms', 'estimate', '--message', text, '--recipients', '12430'], {
    env: NOBODY,
    tty: true,
    columns,
  });
  expect(stdout.split('\n').filter((line) => line.length > columns)).toEqual([]);
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain('svc account get shows how many SMS credits you have.');
});

describe('svc sms estimate -o json', () => {
  it.each([
    ['Hi', { alphabet: 'GSM', characters: 2, septets: 2, parts: 1, credits: 1, costly: [] }],
    [
      '€'.repeat(81),
      {
        ...{ alphabet: 'GSM', characters: 81, septets: 162, parts: 2, credits: 2 },
        costly: [{ character: '€', count: 81, instead: null }],
      },
    ],
    [
      '😀'.repeat(36),
      {
        ...{ alphabet: 'UCS-2', characters: 36, septets: 72, parts: 2, credits: 2 },
        costly: [{ character: '😀', count: 36, instead: null }],
      },
    ],
    [
      LONG,
      {
        ...{ alphabet: 'UCS-2', characters: 155, septets: 155, parts: 3, credits: 3 },
        costly: [
          { character: '’', count: 2, instead: "'" },
          { character: '–', count: 1, instead: '-' },
        ],
      },
    ],
    // The service may or may not compose characters. So svc counts the text as it is, and suggests the composed letter.
    [
      'Cafe\u0301',
      {
        ...{ alphabet: 'UCS-2', characters: 5, septets: 5, parts: 1, credits: 1 },
        costly: [{ character: 'e\u0301', count: 1, instead: 'é' }],
      },
    ],
  ])('%j', async (text, measure) => {
    const run = await estimate('--message', text, '-o', 'json');
    expect(run).toMatchObject({ exitCode: 0, stderr: '' });
    expect(JSON.parse(run.stdout)).toEqual(measure);
  });

  it('--recipients adds the total', async () => {
    const run = await estimate('--message', LONG, '--recipients', '12430', '-o', 'json');
    expect(JSON.parse(run.stdout)).toMatchObject({ credits: 3, totalCredits: 37_290 });
  });

  it('exits with 11 for more than 3 parts, with the estimate', async () => {
    const run = await estimate('--message', 'x'.repeat(460), '-o', 'json');
    expect(run).toMatchObject({ exitCode: 11, stderr: '' });
    expect(JSON.parse(run.stdout)).toMatchObject({ parts: 4, credits: 4 });
    expect((await estimate('--message', 'x'.repeat(459))).exitCode).toBe(0);
  });

  it('prints the object for --fields and --query too', async () => {
    expect((await estimate('--message', LONG, '--query', 'costly[].character', '-o', 'json')).stdout).toBe(
      '[\n  "’",\n  "–"\n]\n',
    );
    expect((await estimate('--message', LONG, '--jq', '.parts')).stdout).toBe('3\n');
    expect((await estimate('--message', 'Hi', '--fields', 'parts,credits', '-o', 'csv')).stdout).toBe(
      'parts,credits\n1,1\n',
    );
  });

  it('reads a file or standard input', async () => {
    const argv = ['sms', 'estimate', '--text-file', '-', '-o', 'tsv'];
    const run = await runCli(argv, { env: NOBODY, stdin: 'Hi' });
    expect(run.stdout).toBe('alphabet\tcharacters\tseptets\tparts\tcredits\tcostly\nGSM\t2\t2\t1\t1\t[]\n');
  });

  it.each([
    [['--message', 'Hi', '--recipients', '0'], '--recipients: 0 is not a number from 1 to 1000000000'],
    [['--message', 'Hi', '--recipients', '1.5'], '--recipients: 1.5 is not a number'],
    [[], 'no text was given'],
  ])('%j exits with 2', async (argv, words) => {
    const run = await estimate(...argv);
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toContain(words);
  });
});

describe('svc sms estimate as text', () => {
  it('shows which characters increase the cost, their replacements, and the savings', async () => {
    const run = await estimate('--message', LONG, '--recipients', '12430');
    expect(run).toMatchObject({ exitCode: 0, stderr: '' });
    expect(run.stdout).toBe(
      [
        'UCS-2: 155 characters, in 3 parts: 3 credits × 12,430 recipients = 37,290 credits',
        '',
        'These characters are outside the GSM alphabet, so a part holds 70 characters instead of 160:',
        "  ’  U+2019  2 times  write '",
        '  –  U+2013  once     write -',
        '',
        'With these replacements, the text is GSM, 1 part, which saves 2 credits × 12,430 recipients = 24,860 credits.',
        'svc account get shows how many SMS credits you have.',
        '',
      ].join('\n'),
    );
  });

  it.each([
    ['Hello', ['GSM: 5 characters, in 1 part: 1 credit for each recipient']],
    ['', ['The text is empty. No SMS would be sent.']],
    [
      'It’s 😀',
      [
        "  ’   U+2019   once  write '",
        'With these replacements, the text costs as much as the original text.',
      ],
    ],
    ['Hi 😀', ['These characters have no cheaper equivalent.']],
    // These credits are saved only if the emoji is removed, too.
    [
      `It’s 😀 ${'x'.repeat(80)}`,
      [
        'With these replacements, the text costs as much as the original text.',
        'Without 😀 as well, the text is GSM, 1 part, which saves 1 credit for each recipient.',
      ],
    ],
    [
      `[${'x'.repeat(158)}]`,
      ['GSM: 160 characters, which count as 162, in 2 parts', 'These characters count twice:'],
    ],
    [`[${'x'.repeat(158)}]`, ['With these replacements, the text is GSM, 1 part, which saves 1 credit']],
    ['x'.repeat(460), ['The service rejects this text: the maximum is 3 parts.']],
    ['Cafe\u0301', ['U+0065 U+0301  once  write é as one character (U+00E9)']],
    ['a\u00a0b\u200b', ['U+00A0  once  write a plain space', 'U+200B  once  write nothing']],
  ])('%j', async (text, lines) => {
    const { stdout } = await estimate('--message', text);
    for (const line of lines) expect(stdout).toContain(line);
  });

  it('names at most twenty characters, and escapes control characters', async () => {
    const cyrillic = Array.from({ length: 32 }, (_, index) => String.fromCharCode(0x430 + index)).join('');
    const { stdout } = await estimate('--message', `${cyrillic}\u001b[31m\u202e`);
    expect(stdout).toContain('  and 14 more; -o json shows all');
    expect(stdout).not.toMatch(/[\u001b\u202e]/);
  });
});
