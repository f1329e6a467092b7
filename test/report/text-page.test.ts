import { describe, expect, it } from 'vitest';
import type { ReportBlock } from '../../src/kit/report/report.ts';
import { formatTextPageLines } from '../../src/kit/report/text-page.ts';

const shown = (blocks: readonly ReportBlock[], width: number): string =>
  formatTextPageLines({ title: 'Title', sections: [{ title: 'PART', blocks }] }, width)
    .map(({ text }) => text)
    .slice(3)
    .join('\n');

it('prints titles as headings, separates sections by an empty line, and omits sections without blocks', () => {
  const page = {
    title: 'Title',
    sections: [
      { title: 'NOTHING', blocks: [] },
      { title: 'PART', blocks: [{ kind: 'paragraph', text: 'Text' } as const] },
    ],
  };
  expect(formatTextPageLines(page, 80)).toEqual([
    { text: 'Title', isHeading: true },
    { text: '', isHeading: false },
    { text: 'PART', isHeading: true },
    { text: '  Text', isHeading: false },
  ]);
});

describe('blocks', () => {
  it('include paragraphs and points', () => {
    expect(shown([{ kind: 'paragraph', text: 'one two three' }], 9)).toBe('  one two\n  three');
    expect(shown([{ kind: 'points', texts: ['one two', 'three'] }], 9)).toBe('  - one\n    two\n  - three');
  });

  it('have terms in two columns if there is room, or else above their text', () => {
    const block: ReportBlock = {
      kind: 'terms',
      terms: [
        { term: 'a', text: 'first thing' },
        { term: 'long', text: 'second' },
      ],
    };
    expect(shown([block], 18)).toBe('  a     first\n        thing\n  long  second');
    expect(shown([block], 15)).toBe('  a\n      first\n      thing\n  long\n      second');
  });

  it('count two columns for East Asian characters, which may break without a blank', () => {
    expect(shown([{ kind: 'paragraph', text: '日本語日本語' }], 9)).toBe('  日本語\n  日本語');
    expect(shown([{ kind: 'paragraph', text: 'ab 日本語' }], 8)).toBe('  ab\n  日本語');
  });

  it('keep lines of a file unchanged, and break only lines that do not fit', () => {
    const block: ReportBlock = { kind: 'verbatim', lines: ['a:', '  b: one two', '', 'c'] };
    expect(shown([block], 20)).toBe('  a:\n    b: one two\n\n  c');
    expect(shown([block], 10)).toBe('  a:\n  b: one\n  two\n\n  c');
  });

  it('have the text of an entry under it', () => {
    expect(shown([{ kind: 'entry', head: 'name  (int)', text: 'What it is' }], 30)).toBe(
      '  name  (int)\n      What it is',
    );
  });

  it('continue a command after a backslash, keep a flag with its value, and never break within quotes', () => {
    const block: ReportBlock = { kind: 'command', line: 'svc x --name "Spring sale" --list 7' };
    expect(shown([block], 80)).toBe('  $ svc x --name "Spring sale" --list 7');
    expect(shown([block], 32)).toBe('  $ svc x --name "Spring sale" \\\n    --list 7');
    expect(shown([block], 27)).toBe('  $ svc x \\\n    --name "Spring sale" \\\n    --list 7');
    expect(shown([block], 24)).toBe('  $ svc x --name \\\n    "Spring sale" \\\n    --list 7');
  });
});
