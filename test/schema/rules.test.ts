/**
 * Rules that several resources share. Interface, task: exactly one of list_id and search_id; account: attributes that are only allowed
 * with another one.
 */
import { describe, expect, it } from 'vitest';
import {
  DEFAULT_CONTENT_MARKUP_NAMES,
  type ValidationRule,
  type Values,
} from '../../src/kit/schema/resource.ts';
import { allowedOnlyIfSet, allowedOnlyIfTrue, exactlyOne } from '../../src/kit/schema/rules.ts';
import { said } from '../support/said.ts';

const findings = (rules: readonly ValidationRule[], values: Values) =>
  rules.flatMap((rule) => {
    const finding = rule.check(values, DEFAULT_CONTENT_MARKUP_NAMES);
    return finding ? [said(finding)] : [];
  });

describe('exactly one of two', () => {
  const rule = exactlyOne('task POST', 'list_id', 'search_id');
  const both = { attribute: 'search_id', reason: 'give list_id or search_id, not both' };
  const none = { attribute: 'search_id', reason: 'give list_id or search_id' };

  it('applies to both', () => {
    expect(rule).toMatchObject({
      section: 'task POST',
      text: 'Exactly one of list_id and search_id must be non-null',
      attributes: ['list_id', 'search_id'],
    });
  });

  it.each<readonly [string, Values, object[]]>([
    ['the first', { list_id: 1, search_id: null }, []],
    ['the second', { search_id: 1 }, []],
    ['a value that is 0', { list_id: 0 }, []],
    ['both', { list_id: 1, search_id: 2 }, [both]],
    ['neither', {}, [none]],
    ['null and null', { list_id: null, search_id: null }, [none]],
  ])('%s', (_name, values, expected) => {
    expect(findings([rule], values)).toEqual(expected);
  });
});

describe('only with another', () => {
  const rules = allowedOnlyIfSet('account', 'street', ['city', 'state']);
  const finding = (attribute: string, value: unknown) => ({
    attribute,
    value,
    reason: 'can be set only if street is set',
    instead: `set street too, or set ${attribute} to null`,
  });

  it('applies to each', () => {
    expect(rules).toMatchObject([
      { section: 'account', text: 'city can be set only if street is set', attributes: ['city', 'street'] },
      { section: 'account', text: 'state can be set only if street is set', attributes: ['state', 'street'] },
    ]);
  });

  it.each<readonly [string, Values, object[]]>([
    ['all of them', { street: 'x', city: 'y', state: 'z' }, []],
    ['none of them', { street: null, city: null }, []],
    ['the other alone', { street: 'x' }, []],
    ['without it', { city: 'y', state: 'z' }, [finding('city', 'y'), finding('state', 'z')]],
    ['with null', { street: null, city: 'y' }, [finding('city', 'y')]],
  ])('%s', (_name, values, expected) => {
    expect(findings(rules, values)).toEqual(expected);
  });
});

describe('only while another is true', () => {
  const rules = allowedOnlyIfTrue('features', 'enablesms', ['sender']);

  it('applies to each', () => {
    expect(rules).toMatchObject([
      {
        section: 'features',
        text: 'sender can be set only if enablesms is true',
        attributes: ['sender', 'enablesms'],
      },
    ]);
  });

  it.each<readonly [string, Values, object[]]>([
    ['true', { enablesms: true, sender: 'x' }, []],
    ['not known', { sender: 'x' }, []],
    ['false, and null', { enablesms: false, sender: null }, []],
    ['false, and missing', { enablesms: false }, []],
    [
      'false',
      { enablesms: false, sender: 'x' },
      [
        {
          attribute: 'sender',
          value: 'x',
          reason: 'can be set only if enablesms is true',
          instead: 'set enablesms to true, or set sender to null',
        },
      ],
    ],
  ])('%s', (_name, values, expected) => {
    expect(findings(rules, values)).toEqual(expected);
  });
});
