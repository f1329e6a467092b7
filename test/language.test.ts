/**
 * The language of everything that people read: doc comments, help, prompts, errors and pages. Each limit is what has been reached, so it
 * may only fall. A text that fails is rewritten: subject, verb, object, and at most 25 words a sentence.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { parseAst } from 'rolldown/parseAst';
import { describe, expect, it } from 'vitest';
import { isGroup, type Verb } from '../src/cli/command/command.ts';
import { entries } from '../src/cli/registry/entries.ts';

const ROOT = new URL('../src/', import.meta.url);
const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => ({ file, source: readFileSync(new URL(file, ROOT), 'utf8') }));

/** Words that begin a fragment instead of a sentence. */
const FRAGMENT =
  /^(What|Of|Told|By|As|In|With|Such|Those|Nobody|Somebody|So many|Where|Nothing|Whoever|None|That|Which|How|Whether)\b/;

/** Phrases that give away a text that nobody would say aloud. */
const TELL_TALE = [
  /\bso many\b/i,
  /\b(is|are) (there )?already\b/i,
  /\bnobody\b/i,
  /\bwhosever\b/i,
  /\banew\b/i,
  /\bgone on with\b/i,
  /\bgo(es)? on with\b/i,
  /\bis none\b/i,
  /\bis told\b|\bare told\b/i,
  /\bwhat (is there|came|stands|goes)\b/i,
  /\bexclude each other\b/i,
  /\bthere is nothing to\b/i,
  /\bis nothing that\b/i,
  /\bstands? (in|for|beside|here|there)\b/i,
  /\bset(s)? off\b/i,
  /\bat most;/i,
  /\bmake it so\b/i,
  /\boff a terminal\b/i,
  /\bin place of\b/i,
];

const MOST_WORDS = 30;

interface Text {
  readonly where: string;
  readonly text: string;
}

/** Returns the string and template literals of the sources that read as text: two words or more, and no SQL, HTML or code. */
function literals(): readonly Text[] {
  return files.flatMap(({ file, source }) => {
    const found: Text[] = [];
    const visit = (node: unknown): void => {
      if (Array.isArray(node)) for (const each of node) visit(each);
      if (typeof node !== 'object' || node === null || Array.isArray(node)) return;
      const { type, start, end, ...members } = node as Record<string, unknown>;
      if (typeof type !== 'string' || /^(Import|ExportAll|TSLiteralType)/.test(type)) return;
      const isText =
        type === 'TemplateLiteral' || (type === 'Literal' && typeof members['value'] === 'string');
      if (!isText) {
        for (const each of Object.values(members)) visit(each);
        return;
      }
      const raw = source.slice(Number(start) + 1, Number(end) - 1).replace(/\$\{[^}]*\}/g, 'X');
      const line = source.slice(0, Number(start)).split('\n').length;
      if (
        /[a-z]{2,} +\w/i.test(raw) &&
        !/^(SELECT|INSERT|DELETE|UPDATE|CREATE|WITH|FROM|WHERE)\b|[<{]\w|=>/i.test(raw)
      )
        found.push({ where: `${file}:${line}`, text: raw });
    };
    visit(parseAst(source, { lang: 'ts' }, file).body);
    return found;
  });
}

/** Returns the doc comments with their first sentence's text, without stars. */
const docComments = (): readonly Text[] =>
  files.flatMap(({ file, source }) =>
    [...source.matchAll(/\/\*\*([\s\S]*?)\*\//g)].map(({ 1: body = '', index }) => ({
      where: `${file}:${source.slice(0, index).split('\n').length}`,
      text: body
        .replace(/^\s*\*? ?/gm, '')
        .replaceAll('\n', ' ')
        .trim(),
    })),
  );

/** Returns every summary, description and flag text of every command. */
async function helpTexts(): Promise<readonly Text[]> {
  const texts: Text[] = [];
  const add = (where: string, text: string | undefined): void => {
    if (text !== undefined && text !== '') texts.push({ where, text });
  };
  const verb = (path: string, each: Verb): void => {
    add(path, each.summary);
    add(path, each.about);
    for (const { name, describe: text } of each.flags) add(`${path} --${name}`, text);
    for (const { name, describe: text } of each.positionals ?? []) add(`${path} <${name}>`, text);
  };
  for (const entry of entries) {
    add(entry.name, entry.summary);
    const tree = await entry.load();
    const walk = (path: string, node: typeof tree): void => {
      if (!isGroup(node)) verb(path, node);
      else for (const each of node.commands) walk(`${path} ${each.name}`, each);
    };
    walk(entry.name, tree);
  }
  return texts;
}

const sentencesOf = (text: string): readonly string[] => text.split(/[.;:?!](?:\s|$)/);
const isLong = (sentence: string): boolean =>
  sentence.split(/\s+/).filter((word) => /\w/.test(word)).length > MOST_WORDS;
const longIn = (texts: readonly Text[]): readonly string[] =>
  texts.flatMap(({ where, text }) =>
    sentencesOf(text).some(isLong) ? [`${where}: ${text.slice(0, 160)}`] : [],
  );
const tellTalesIn = (texts: readonly Text[]): readonly string[] =>
  texts.flatMap(({ where, text }) =>
    TELL_TALE.some((phrase) => phrase.test(text)) ? [`${where}: ${text.slice(0, 160)}`] : [],
  );

/** Reports the texts beyond the limit, so that the message names what to rewrite. */
function expectAtMost(limit: number, found: readonly string[]): void {
  expect(found.length, found.slice(0, 40).join('\n')).toBeLessThanOrEqual(limit);
}

describe('doc comments', () => {
  const comments = docComments();

  it('are found', () => expect(comments.length).toBeGreaterThan(3000));

  it('begin with a verb or a noun, never with a fragment', () => {
    expectAtMost(
      0,
      comments.filter(({ text }) => FRAGMENT.test(text)).map(({ where, text }) => `${where}: ${text}`),
    );
  });

  it('have no sentence of more than 30 words', () => expectAtMost(11, longIn(comments)));
  it('have no tell-tale phrase', () => expectAtMost(77, tellTalesIn(comments)));
});

describe('help', async () => {
  const help = await helpTexts();

  it('is found', () => expect(help.length).toBeGreaterThan(900));

  it('begins with no fragment', () => {
    expectAtMost(
      29,
      help.filter(({ text }) => FRAGMENT.test(text)).map(({ where, text }) => `${where}: ${text}`),
    );
  });

  it('has no sentence of more than 30 words', () => expectAtMost(0, longIn(help)));
  it('has no tell-tale phrase', () => expectAtMost(3, tellTalesIn(help)));
});

describe('strings in src', () => {
  const strings = literals();

  it('are found', () => expect(strings.length).toBeGreaterThan(3000));
  it('have no sentence of more than 30 words', () => expectAtMost(15, longIn(strings)));
  it('have no tell-tale phrase', () => expectAtMost(107, tellTalesIn(strings)));
});
