/** Manual pages as roff: text that roff would read as a request or an escape is escaped. mandoc and groff find no fault. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { commandsOf } from '../.config/commands.ts';
import { manPages } from '../.config/man.ts';
import { entry, heading, marked, prose, roffText, verbatim } from '../.config/roff.ts';
import { TOPIC_NAMES } from '../src/cli/command/words.ts';
import { topLevelCommandEntries } from '../src/cli/registry/entries.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

const FOLDER = await makeTemporaryFolder('man');
const pages = await manPages(topLevelCommandEntries);
const files = [...pages.keys()].map((file) => join(FOLDER, file));
for (const [file, text] of pages) writeFileSync(join(FOLDER, file), text);
afterAll(() => rmSync(FOLDER, { recursive: true }));

describe('text as roff', () => {
  it.each([
    ['--dry-run', '\\-\\-dry\\-run'],
    ['C:\\svc', 'C:\\esvc'],
    ["the company's", 'the company\\(aqs'],
    ['`x` ^ ~', '\\(gax\\(ga \\(ha \\(ti'],
    ['more …', 'more ...'],
    ['Straße', 'Stra\\[u00DF]e'],
  ])('%s', (text, escaped) => expect(roffText(text)).toBe(escaped));

  it('escapes a dot or a quote at the beginning of a line', () => {
    expect(prose('.svc.json pins a profile')).toEqual(['\\&.svc.json pins a profile']);
    expect(verbatim(['.[0].id', ''])).toEqual(['.PP', '.RS 4', '.nf', '\\&.[0].id', '\\&', '.fi', '.RE']);
    expect(entry("'", 'A quote')[1]).toBe('\\fB\\(aq\\fR');
    // The text is long, so roff breaks it.
    const long = prose(`${'word '.repeat(15)}.[].name and more`);
    expect(long).toEqual([`${'word '.repeat(15).trim()}`, '\\&.[].name and more']);
  });

  it('makes a heading one argument, whatever its content', () => {
    expect(heading('Say "now"')).toBe('.SH "SAY \\(dqNOW\\(dq"');
  });

  it('makes words to type bold, and placeholders italic', () => {
    expect(marked('svc task get <id> [flags]')).toBe(
      '\\fBsvc task get \\fR\\fI<id>\\fR\\fB \\fR\\fI[flags]\\fR',
    );
  });
});

describe('every page', () => {
  const REQUEST = /^\.(\\"|TH "|SH "|SS "|TP$|PP$|IP$|RS 4$|RE$|nf$|fi$|nh$|ad l$)/;

  it('belongs to a command or a topic, and each of them has one', async () => {
    const commands = (await commandsOf(topLevelCommandEntries)).map(
      ({ path }) => `svc-${path.replaceAll(' ', '-')}.1`,
    );
    const topics = TOPIC_NAMES.map((topic) => `svc-${topic}.7`);
    expect([...pages.keys()].sort()).toEqual(['svc.1', ...commands, ...topics].sort());
  });

  it('has only requests of the generator, and only known escapes', () => {
    expect(files.length).toBeGreaterThan(150);
    for (const file of files) {
      const lines = readFileSync(file, 'utf8').split('\n');
      const requests = lines.filter((line) => /^[.']/.test(line) && !REQUEST.test(line));
      const escapes = lines
        .filter((line) => !line.startsWith('.\\"'))
        .flatMap((line) => line.match(/\\(?!f[BIR]|-|e|&|\((aq|ga|ha|ti|dq)|\[u[0-9A-F]{4,}\])/g) ?? []);
      expect([file, requests, escapes]).toEqual([file, [], []]);
      expect(lines.filter((line) => /[^\x20-\x7e]/.test(line))).toEqual([]);
    }
  });

  it('has a name, a synopsis and related pages', () => {
    for (const file of files) {
      const text = readFileSync(file, 'utf8');
      const name = file.replace(/^.*\/(.*)\.[17]$/, '$1');
      expect(text).toContain(`.SH "NAME"\n${roffText(name)} \\- `);
      expect(text).toContain('.SH "SYNOPSIS"');
      expect(text).toContain('.SH "SEE ALSO"');
    }
  });

  it('links to existing pages', () => {
    const there = new Set(files.map((file) => file.replace(/^.*\//, '')));
    for (const file of files) {
      const [, seeAlso = ''] = readFileSync(file, 'utf8').split('.SH "SEE ALSO"');
      const named = [...seeAlso.matchAll(/\\fB(.*?)\\fR\(([17])\)/g)].map(
        ([, name = '', section]) => `${name.replaceAll('\\-', '-')}.${section}`,
      );
      expect(named.length).toBeGreaterThan(0);
      expect([file, named.filter((name) => !there.has(name))]).toEqual([file, []]);
    }
  });

  const hasProgram = (name: string): boolean => spawnSync(name, ['-h']).error === undefined;

  it.runIf(hasProgram('mandoc'))('has no warning of mandoc, except for the missing date', () => {
    const { stdout } = spawnSync('mandoc', ['-T', 'lint', '-W', 'warning', ...files], { encoding: 'utf8' });
    expect(stdout.split('\n').filter((line) => line !== '' && !line.includes('missing date'))).toEqual([]);
  });

  it.runIf(hasProgram('groff'))('has no warning of groff', () => {
    const { stderr } = spawnSync('groff', ['-man', '-ww', '-z', '-Tutf8', ...files], { encoding: 'utf8' });
    expect(stderr).toBe('');
  });

  it.runIf(hasProgram('mandoc'))('is rendered as intended, and flags can be copied', () => {
    const text = execFileSync('mandoc', ['-T', 'utf8', '-O', 'width=78', `${FOLDER}/svc-task-create.1`], {
      encoding: 'utf8',
    }).replaceAll(/.\x08/g, '');
    for (const words of [
      '--at, --scheduledtime <time>',
      'svc task create [flags]',
      '@FILE',
      '10     svc sent a request, but cannot tell whether it succeeded.',
    ])
      expect(text).toContain(words);
    expect(text).not.toContain('\\');
  });
});
