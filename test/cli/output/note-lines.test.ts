/** Contract, "Output": on a terminal, notes, errors, hints and examples of help wrap between words. Elsewhere they do not wrap. */
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/cli/errors/errors.ts';
import { explainError } from '../../../src/cli/errors/explain-error.ts';
import { wrapNoteText } from '../../../src/cli/output/note-lines.ts';
import { printError } from '../../../src/cli/output/print-error.ts';
import { runCli } from '../../support/run-cli.ts';

const NOTE = 'The service adds a link to unsubscribe to every message.';

describe('a note', () => {
  it.each([
    ['fits', { isTTY: true, columns: 80 }, NOTE],
    [
      'is wide',
      { isTTY: true, columns: 30 },
      'The service adds a link to\n  unsubscribe to every\n  message.',
    ],
    ['is written to a pipe', { isTTY: false, columns: undefined }, NOTE],
    ['is written to a terminal without a size', { isTTY: true, columns: 0 }, NOTE],
  ])('that %s', async (_, stream, text) => {
    expect(await wrapNoteText(stream, NOTE)).toBe(text);
  });

  it('keeps its lines, their indentation, and words that are wider than the terminal', async () => {
    const text = '\n    two words and more\nhttps://shop.harbourcoffee.example/new\n';
    expect(await wrapNoteText({ isTTY: true, columns: 16 }, text)).toBe(
      '\n    two words\n  and more\nhttps://shop.harbourcoffee.example/new\n',
    );
  });

  it.each([
    [60, 'To start a new one:\n  svc sandbox start --detach --data /tmp/box --port 4730'],
    [40, 'To start a new one:\n  svc sandbox start --detach --data \\\n    /tmp/box --port 4730'],
    [100, 'To start a new one: svc sandbox start --detach --data /tmp/box --port 4730'],
  ])('puts a command at its end on lines that can be copied: %i columns', async (columns, text) => {
    const note = 'To start a new one: svc sandbox start --detach --data /tmp/box --port 4730';
    expect(await wrapNoteText({ isTTY: true, columns }, note)).toBe(text);
  });

  it.each([
    ['To see who was left out of this task, run svc sandbox task skipped 5.', 'svc sandbox task skipped 5.'],
    ['The sandbox makes no events by itself: see svc sandbox event --help', 'svc sandbox event --help'],
    ['Nothing is open (svc log shows what was done), or run svc undo 14 to go back', 'svc undo 14'],
    ["Run svc folder create --name 'Black Friday 2026' once more", "'Black Friday 2026'"],
  ])('never breaks a command: %s', async (note, command) => {
    for (let columns = 44; columns <= 90; columns += 1) {
      const text = await wrapNoteText({ isTTY: true, columns }, note);
      expect(text).toContain(command);
      for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(columns);
    }
  });

  it('breaks a sentence about svc, and a command that is wider than the terminal, at words', async () => {
    const about = 'After a crash, svc finds each record again, because svc writes a journal of all changes.';
    expect((await wrapNoteText({ isTTY: true, columns: 40 }, about)).split('\n')).toEqual([
      'After a crash, svc finds each record',
      '  again, because svc writes a journal of',
      '  all changes.',
    ]);
    const long = 'Run svc task create --name News --list 1 --message 2 --at +1d again.';
    for (const line of (await wrapNoteText({ isTTY: true, columns: 30 }, long)).split('\n'))
      expect(line.length).toBeLessThanOrEqual(30);
  });

  it('gives a path that is as wide as the terminal the whole line', async () => {
    const path = `/home/ada/${'x'.repeat(29)}`;
    expect(await wrapNoteText({ isTTY: true, columns: 40 }, `The list is in ${path} now`)).toBe(
      `The list is in\n${path}\n  now`,
    );
  });

  it('puts no backslash into a sentence that begins with a command', async () => {
    const hint = 'Hint: svc plan FILE shows what is different; with --check, it exits with 11 then';
    const wrapped = await wrapNoteText({ isTTY: true, columns: 60 }, hint);
    expect(wrapped).not.toContain('\\');
    expect(wrapped.split('\n')[0]).toContain('Hint: svc plan FILE shows');
  });

  it('measures wide characters', async () => {
    expect(await wrapNoteText({ isTTY: true, columns: 10 }, '日本語 日本語')).toBe('日本語\n  日本語');
  });
});

describe('an error', () => {
  const printed = async (colour: boolean) => {
    let text = '';
    const write = async (more: string) => {
      text += more;
    };
    const err = { isTTY: true, columns: 40, write };
    const error = new UsageError('the names of the fields are neither email nor msisdn', {
      hint: 'write the names of the columns in the first line',
    });
    await printError(explainError(error), { json: false, colour, debug: false }, err);
    return text;
  };

  it('breaks between words, and so does its hint', async () => {
    expect(await printed(false)).toBe(
      'svc: the names of the fields are neither\n  email nor msisdn\nHint: write the names of the columns in\n  the first line\n',
    );
  });

  it('keeps its colours', async () => {
    expect(await printed(true)).toMatch(/^\x1b\[31m.*svc:.* the names.*\n.*\n\x1b\[2mHint:\x1b\[22m write/);
  });
});

describe('an example of help', () => {
  const page = async (columns: number, tty: boolean) =>
    (await runCli(['email', 'create', '--help'], { tty, columns })).stdout;

  it('continues after a backslash, so that it can still be copied', async () => {
    const text = await page(60, true);
    const example = text.slice(text.indexOf('Example:')).split('\n\n')[0] ?? '';
    expect(example).toContain(' \\\n  ');
    const whole = (await page(400, true)).split('\n').find((line) => line.startsWith('Example:'));
    expect(example.replaceAll(' \\\n  ', ' ').split('\n')[0]).toBe(whole);
    for (const line of example.split('\n')) expect(line.length).toBeLessThanOrEqual(60);
  });
});
