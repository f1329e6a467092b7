/**
 * The language of all texts that people read: doc comments, help, prompts, errors and pages. Each limit is the number that has been
 * reached, so it may only fall. Rewrite a text that fails: subject, verb, object, and at most 25 words a sentence.
 */
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { docComments, helpTexts, literals, readSources, type Text } from './support/texts.ts';

const sources = readSources(fileURLToPath(new URL('../src/', import.meta.url)));

/** Words that begin a fragment instead of a sentence. */
const FRAGMENT =
  /^(What|Of|Told|By|As|In|With|Such|Those|Nobody|Somebody|So many|Where|Nothing|Whoever|None|That|Which|How|Whether)\b/;

/** Phrases that no one would say aloud. */
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

const sentencesOf = (text: string): readonly string[] => text.split(/[.;:?!](?:\s|$)|\s@\w+/);
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
  const comments = docComments(sources);

  it('are found', () => expect(comments.length).toBeGreaterThan(3000));

  it('begin with a verb or a noun, never with a fragment', () => {
    expectAtMost(
      0,
      comments.filter(({ text }) => FRAGMENT.test(text)).map(({ where, text }) => `${where}: ${text}`),
    );
  });

  it('have no sentence of more than 30 words', () => expectAtMost(0, longIn(comments)));
  it('have no tell-tale phrase', () => expectAtMost(0, tellTalesIn(comments)));
});

describe('help', async () => {
  const help = await helpTexts();

  it('is found', () => expect(help.length).toBeGreaterThan(900));

  it('begins with no fragment', () => {
    expectAtMost(
      0,
      help.filter(({ text }) => FRAGMENT.test(text)).map(({ where, text }) => `${where}: ${text}`),
    );
  });

  it('has no sentence of more than 30 words', () => expectAtMost(0, longIn(help)));
  it('has no tell-tale phrase', () => expectAtMost(0, tellTalesIn(help)));
});

describe('strings in src', () => {
  const strings = literals(sources);

  it('are found', () => expect(strings.length).toBeGreaterThan(3000));
  it('have no sentence of more than 30 words', () => expectAtMost(0, longIn(strings)));
  it('have no tell-tale phrase', () => expectAtMost(0, tellTalesIn(strings)));
});
