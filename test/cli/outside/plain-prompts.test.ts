/** Contract, "Environment": with SVC_PLAIN nothing is drawn over, not even a question. */
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { Prompter } from '../../../src/cli/outside/context.ts';
import { createPlainPrompter } from '../../../src/cli/outside/plain-prompts.ts';

/** Types a line after each question that ends in a blank. Returns the output of the terminal. */
async function asked<T>(lines: readonly string[], ask: (prompter: Prompter) => Promise<T>) {
  const input = new PassThrough();
  const output = new PassThrough();
  const left = [...lines];
  let shown = '';
  output.on('data', (chunk: Buffer) => {
    shown += chunk.toString();
    if (!shown.endsWith(' ')) return;
    const line = left.shift();
    if (line === undefined) input.end();
    else setImmediate(() => input.write(line));
  });
  const prompter = createPlainPrompter({ input, output, signal: new AbortController().signal });
  const answer = await ask(prompter).catch((error: Error) => error.name);
  return { answer, shown };
}

describe('plain questions', () => {
  it.each([
    ['y\n', true],
    ['Yes\n', true],
    ['no\n', false],
    ['\n', false],
  ])('read a confirmation: %j', async (line, answer) => {
    expect(await asked([line], (prompter) => prompter.confirm('Really delete?', false))).toEqual({
      answer,
      shown: 'Really delete? (yes or no; press Enter for no) ',
    });
  });

  it('repeat a confirmation after an invalid answer, and Enter takes the default', async () => {
    const run = await asked(['perhaps\n', '\n'], (prompter) => prompter.confirm('Go on?', true));
    expect(run).toEqual({
      answer: true,
      shown:
        'Go on? (yes or no; press Enter for yes) Type yes or no.\nGo on? (yes or no; press Enter for yes) ',
    });
  });

  it('repeat a question for text with the fault and the default', async () => {
    const check = (text: string) => (text === 'prod' ? undefined : 'It is taken.');
    const options = { default: 'sandbox', check };
    const run = await asked(['\n', 'prod\n'], (prompter) => prompter.input('Name', options));
    expect(run).toEqual({
      answer: 'prod',
      shown: 'Name (press Enter for sandbox) It is taken.\nName (press Enter for sandbox) ',
    });
  });

  it('never show a secret, and allow corrections', async () => {
    const run = await asked(['secrex\x7ft7\r'], (prompter) => prompter.password('Key (hidden)'));
    expect(run).toEqual({ answer: 'secret7', shown: 'Key (hidden) \n' });
  });

  it('take a choice by its number', async () => {
    const choices = [
      { name: 'the service', value: 'service' },
      { name: 'a sandbox', value: 'sandbox' },
    ];
    const run = await asked(['3\n', 'a\n', '2\n'], (prompter) => prompter.select('What is it for?', choices));
    expect(run.answer).toBe('sandbox');
    expect(run.shown).toBe(
      'What is it for?\n1. the service\n2. a sandbox\n' +
        'Number, 1 to 2: Type a number from 1 to 2.\n'.repeat(2) +
        'Number, 1 to 2: ',
    );
  });

  it.each(['confirm', 'password'] as const)(
    'treat an end of input without an answer as an interruption: %s',
    async (kind) => {
      const run = await asked([], async (prompter) =>
        kind === 'confirm' ? prompter.confirm('Really?', false) : prompter.password('Key (hidden)'),
      );
      expect(run.answer).toBe('ExitPromptError');
    },
  );

  it('end at Ctrl-C while a secret is typed', async () => {
    const run = await asked(['sec\x03'], (prompter) => prompter.password('Key (hidden)'));
    expect(run.answer).toBe('ExitPromptError');
  });

  it('move no cursor and print no colour', async () => {
    const run = await asked(['2\n'], (prompter) =>
      prompter.select('Which?', [
        { name: 'one', value: 1 },
        { name: 'two', value: 2 },
      ]),
    );
    expect(run.shown).not.toContain('\x1b');
    expect(run.shown).not.toContain('\r');
  });
});
