/** Interface, "Automation rules": one table has the kinds of rule, and no other list of them can become outdated. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync, Visitor } from 'rolldown/utils';
import { describe, expect, it } from 'vitest';
import {
  RULE_DEFINITIONS,
  RULE_KINDS,
  readRuleReference,
  TIMED_RULE_KINDS,
} from '../../src/service/resources/rule-kinds.ts';

const SRC = new URL('../../src', import.meta.url).pathname;

/** Files that may list kinds: the table, and the reactions of recipients, which share two words. */
const MAY_LIST = ['service/protocol/control/audience.ts', 'service/resources/rule-kinds.ts'];

/** Returns the kinds that a text names: `click`, `clickAutomation` or `click_automation`. */
const kindsIn = (text: string): readonly string[] =>
  RULE_KINDS.filter((kind) => [kind, `${kind}Automation`, `${kind}_automation`].includes(text));

/** Returns the array literals that name two kinds or more, at any depth, each with its source. Arguments of a call do not count. */
function listsOfKinds(text: string): readonly string[] {
  const lists: string[] = [];
  /** The kinds that the enclosing arrays name, from the outside in. A call begins a new list. */
  let around: readonly Set<string>[] = [];
  const outside: (readonly Set<string>[])[] = [];
  const enter = (inside: readonly Set<string>[]): void => {
    outside.push(around);
    around = inside;
  };
  const leave = (): void => {
    around = outside.pop() ?? [];
  };
  const note = (kinds: readonly string[]): void => {
    for (const known of around) for (const kind of kinds) known.add(kind);
  };
  new Visitor({
    ArrayExpression: () => enter([...around, new Set()]),
    'ArrayExpression:exit': ({ start, end }) => {
      if ((around.at(-1)?.size ?? 0) > 1) lists.push(text.slice(start, end));
      leave();
    },
    CallExpression: () => enter([]),
    'CallExpression:exit': leave,
    Literal: ({ value }) => note(typeof value === 'string' ? kindsIn(value) : []),
    Identifier: ({ name }) => note(name.endsWith('Automation') ? kindsIn(name) : []),
  }).visit(parseSync('source.ts', text).program);
  return lists;
}

describe('the kinds of rule', () => {
  it.each([
    `const KINDS = ['click', 'open'] as const;`,
    `const TABLES = [['click', 'click_automation'], ['sms', 'sms_automation']];`,
    `const all = [clickAutomation, openAutomation];`,
    `const all = new Set(['date', 'subscription', 'other']);`,
    `const LISTED = [{ table: 'click_automation' }, { table: 'open_automation' }];`,
  ])('are listed in %s', (text) => {
    expect(listsOfKinds(text)).not.toEqual([]);
  });

  it.each([
    `const channels = ['email', 'sms'];`,
    `const once = ['click', 'other'];`,
    `const all = [f('click', 'open')];`,
  ])('are not listed in %s', (text) => {
    expect(listsOfKinds(text)).toEqual([]);
  });

  it('are listed only in their table', () => {
    // Parsing takes most of the time, so it leaves out files that do not even mention two kinds.
    const words = RULE_KINDS.map((kind) => new RegExp(`\\b${kind}(Automation|_automation)?\\b`));
    const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !MAY_LIST.includes(file))
      .map((file) => ({ file, text: readFileSync(join(SRC, file), 'utf8') }))
      .filter(({ text }) => words.filter((word) => word.test(text)).length > 1);
    expect(files.length).toBeGreaterThan(50);
    const lists = files.flatMap(({ file, text }) => listsOfKinds(text).map((list) => `${file}: ${list}`));
    expect(lists).toEqual([]);
  });

  // Interface, "Resources and their fields": the five resources.
  it('have the resources of the interface', () => {
    expect(RULE_KINDS.map((kind) => RULE_DEFINITIONS[kind].resource.name)).toEqual([
      'clickAutomation',
      'openAutomation',
      'subscriptionAutomation',
      'dateAutomation',
      'smsAutomation',
    ]);
    expect(RULE_KINDS.map((kind) => RULE_DEFINITIONS[kind].resource.variant)).toEqual(RULE_KINDS);
  });

  it('name attributes that their resources have', () => {
    for (const kind of RULE_KINDS)
      for (const attribute of RULE_DEFINITIONS[kind].definedBy)
        expect(RULE_DEFINITIONS[kind].resource.fields).toHaveProperty(attribute);
    for (const kind of TIMED_RULE_KINDS)
      for (const attribute of Object.keys(RULE_DEFINITIONS[kind].watches))
        expect(RULE_DEFINITIONS[kind].resource.fields).toHaveProperty(attribute);
  });

  it.each(RULE_KINDS)('are read in %s:12', (kind) => {
    expect(readRuleReference(`${kind}:012`)).toEqual({ kind, id: 12 });
  });

  it.each(['click', 'bounce:1', 'click:0', 'Click:1', 'click:1:2', ''])('are not read in %o', (text) => {
    expect(readRuleReference(text)).toBeUndefined();
  });
});
