/** Contract, "Global flags": `--jq` is jq. */
import { readFileSync } from 'node:fs';
import { loadJq } from 'jq-wasm';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startJq } from '../../../src/cli/output/jq.ts';
import type { JqProgram } from '../../../src/cli/output/result.ts';
import { runCli, serviceOf, writesIn } from '../../support/run-cli.ts';
import { createTestSandbox, KEYS } from '../../support/sandbox.ts';

const open = async (
  program: string,
  { silence = 20_000, signal = new AbortController().signal } = {},
): Promise<JqProgram> => {
  const jq = await startJq(program, { silence, signal });
  onTestFinished(jq.close);
  return jq;
};

interface Printed {
  readonly out: string;
  readonly err: string;
}

async function printed(program: string, input: string, isTTY = false): Promise<Printed> {
  const jq = await open(program);
  let [out, err] = ['', ''];
  const stream = (add: (text: string) => void) => ({
    isTTY,
    columns: undefined,
    write: async (text: string) => add(text),
  });
  await jq.print(
    input,
    stream((text) => {
      out += text;
    }),
    stream((text) => {
      err += text;
    }),
  );
  return { out, err };
}

/** Program, input, and results as JSON, from a table with a line each. */
const manual = readFileSync(new URL('jq-manual.tsv', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line.includes('\t') && line !== '')
  .map((line) => line.split('\t') as [program: string, input: string, ...results: string[]]);

// A thread for each example would take half a minute.
describe('the examples of the manual of jq 1.7', async () => {
  const jq = await loadJq();

  it('are many', () => expect(manual.length).toBeGreaterThanOrEqual(150));

  it.each(manual)('%s', (program, input, ...results) => {
    const { stdout, stderr } = jq.raw(input, program, ['-c', '--']);
    expect({ results: stdout.split('\n'), stderr }).toEqual({ results, stderr: '' });
  });
});

describe('what is printed', () => {
  it.each([
    ['texts without quotes', '.[]', '["a","b c",""]', 'a\nb c\n\n'],
    [
      'other values as JSON, one a line',
      '.[]',
      '[null,true,1.5,[1,{"a":2}]]',
      'null\ntrue\n1.5\n[1,{"a":2}]\n',
    ],
    ['nothing for a program without a result', 'empty', '1', ''],
    ['a program that begins with a dash', '-1', 'null', '-1\n'],
    ['whole characters, wherever the output is cut', '"ä€😀" * 40000', 'null', `${'ä€😀'.repeat(40_000)}\n`],
  ])('%s', async (_, program, input, out) => expect(await printed(program, input)).toEqual({ out, err: '' }));

  it('has no environment, no files and one input', async () => {
    const { out } = await printed('$ENV, env, ([inputs] | length), (try input catch "no more")', '1');
    expect(out).toBe('{}\n{}\n0\nno more\n');
    await expect(open('include "a"; .')).rejects.toThrow('--jq: module not found: a');
  });

  it('escapes control characters on a terminal', async () => {
    expect((await printed('.', '"a\\u001b[31mb\\u202ec"', true)).out).toBe('a␛[31mb\\u{202e}c\n');
  });

  it('keeps every digit of an id that a double cannot hold', async () => {
    const ids = '[{"id":90071992547409931},{"id":90071992547409930},{"id":123456789012345678901234567890}]';
    const { out } = await printed(
      'sort_by(.id)[].id, max_by(.id).id, (.[] | select(.id == 90071992547409931) | "\\(.id)"), ([.[].id] | tojson)',
      ids,
    );
    expect(out.split('\n').slice(0, -1)).toEqual([
      ...['90071992547409930', '90071992547409931', '123456789012345678901234567890'],
      '123456789012345678901234567890',
      '90071992547409931',
      '[90071992547409931,90071992547409930,123456789012345678901234567890]',
    ]);
  });

  it('shows what debug and stderr say, also before an error', async () => {
    expect(await printed('debug | .+1', '1')).toEqual({ out: '2\n', err: '["DEBUG:",1]\n' });
    const jq = await open('debug("seen"), error("stop")');
    const said: string[] = [];
    const stream = { isTTY: false, columns: undefined, write: async (text: string) => void said.push(text) };
    await expect(jq.print('1', stream, stream)).rejects.toThrow('--jq: stop');
    expect(said).toEqual(['1\n', '["DEBUG:","seen"]\n']);
  });
});

describe('a program that fails', () => {
  it.each([
    ['.[', 'syntax error, unexpected end of file at <top-level>, line 1, column 2'],
    ['nosuch', 'nosuch/0 is not defined at <top-level>, line 1, column 1'],
    ['$x', '$x is not defined at <top-level>, line 1, column 1'],
    ['import "a" as a; .', 'module not found: a'],
    ['1) | (2', 'syntax error, unexpected INVALID_CHARACTER, expecting end of file at <top-level>'],
  ])('%s is refused before the command begins', async (program, words) => {
    await expect(open(program)).rejects.toThrow(`--jq: ${words}`);
    await expect(open(program)).rejects.toMatchObject({ kind: 'usage' });
  });

  it.each([
    ['.a', '[]', 'Cannot index array with string ("a")'],
    ['.[]', '1', 'Cannot iterate over number (1)'],
    ['error({a: 1})', '1', '(not a string): {"a":1}'],
    ['error(null)', '1', '(not a string): null'],
    ['"gone" | halt_error', '1', 'halt_error'],
    ['[range(1e9)]', '1', 'the data and the program need more than the 256 MB that jq gets'],
    ['def f: 1 + f; f', '1', 'the data and the program need more than the 256 MB that jq gets'],
  ])('%s fails with the words of jq', async (program, input, words) => {
    await expect(printed(program, input)).rejects.toMatchObject({
      kind: 'usage',
      message: `--jq: ${words}`,
    });
  });
});

describe('a program without an end', () => {
  const out = { isTTY: false, columns: undefined, write: async () => undefined };

  it('ends after a time without output', async () => {
    // A busy machine may take as long to start jq.
    const run = async () => (await open('def f: f; f', { silence: 300 })).print('null', out, out);
    await expect(run()).rejects.toThrow('--jq: the program printed nothing for 0.3 seconds');
  });

  it('ends with the signal', async () => {
    const stop = new AbortController();
    const jq = await open('last(repeat(1))', { signal: stop.signal });
    const run = jq.print('null', out, out);
    setTimeout(() => stop.abort(new Error('stopped')), 50);
    await expect(run).rejects.toThrow('stopped');
  });

  it('waits for a slow reader, and ends when the reader has gone', async () => {
    const jq = await open('repeat("0123456789")');
    let octets = 0;
    const reader = {
      ...out,
      write: async (text: string) => {
        octets += text.length;
        await new Promise((resolve) => setTimeout(resolve, 20));
        if (octets > 200_000) throw new Error('EPIPE');
      },
    };
    await expect(jq.print('null', reader, out)).rejects.toThrow('EPIPE');
    expect(octets).toBeLessThan(400_000);
  });
});

describe('svc with --jq', async () => {
  const { transport, sent } = serviceOf(await createTestSandbox());
  const svc = (...argv: readonly string[]) => runCli(argv, { transport });

  it('sends nothing if the program is invalid', async () => {
    const run = await svc('folder', 'create', '--name', 'News', '--jq', '.[');
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(writesIn(sent)).toEqual([]);
  });

  it('repeats no key of the program', async () => {
    const run = await svc('folder', 'list', '--jq', `error("${KEYS.company} is wrong")`);
    expect(run).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--jq: [redacted] is wrong') });
    const invalid = await svc('folder', 'list', '--jq', `"${KEYS.company}" | nosuch`, '-o', 'json');
    expect(JSON.parse(invalid.stderr)).toMatchObject({
      error: { kind: 'usage', exit: 2, message: expect.stringContaining('nosuch/0 is not defined') },
    });
    expect(invalid.stderr).not.toContain(KEYS.company);
  });

  it('runs on the record of a write, and on what --fields selects', async () => {
    expect((await svc('folder', 'create', '--name', 'News', '--jq', '{id, name}')).stdout).toBe(
      '{"id":1,"name":"News"}\n',
    );
    expect((await svc('folder', 'list', '--fields', 'name', '--jq', '.[] | keys[]')).stdout).toBe('name\n');
    expect((await svc('api', 'GET', '/v1/folder', '--jq', '.response.data | length')).stdout).toBe('1\n');
  });
});
