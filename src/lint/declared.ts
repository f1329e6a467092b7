/** What the declaration of a resource refuses, as findings: the service would answer 400. */
import type { Resource } from '../schema/resource.ts';
import { checkPayload } from '../schema/validator.ts';
import type { Draft } from './draft.ts';
import type { Content, Origin } from './origin.ts';
import { asSentence } from './rule.ts';

/**
 * @param ruleOf the rule that a refused attribute belongs to, unless a rule of the declaration was broken
 * @param told attributes of which something is said already, and better
 */
export function refusals<R extends string>(
  resource: Resource,
  content: Content,
  { words }: Origin,
  ruleOf: (attribute: string) => R,
  told: ReadonlySet<string> = new Set(),
): readonly Draft<R>[] {
  const { findings } = checkPayload(resource, 'PUT', 'company', { ...content }, words);
  return findings
    .filter(({ attribute }) => !told.has(attribute))
    .map(({ attribute, reason, instead }) => ({
      rule: ruleOf(attribute),
      part: attribute,
      message: `The attribute ${attribute} ${reason}.`,
      instead: instead === undefined ? undefined : asSentence(instead),
    }));
}
