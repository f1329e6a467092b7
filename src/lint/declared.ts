/**
 * Checks the attributes of a message against the declaration of its resource. Each finding is a value for which the service would answer
 * 400.
 */
import type { Resource } from '../schema/resource.ts';
import { checkPayload } from '../schema/validator.ts';
import type { FindingDraft } from './draft.ts';
import type { ContentOrigin, MessageContent } from './origin.ts';
import { asSentence } from './rule.ts';

/**
 * Returns the findings for values that the declaration of the resource does not allow. @param ruleOf returns the lint rule of a rejected
 * attribute
 * @param reported attributes that already have a more helpful finding
 */
export function disallowedValueFindings<R extends string>(
  resource: Resource,
  content: MessageContent,
  { words }: ContentOrigin,
  ruleOf: (attribute: string) => R,
  reported: ReadonlySet<string> = new Set(),
): readonly FindingDraft<R>[] {
  const { findings } = checkPayload(resource, 'PUT', 'company', { ...content }, words);
  return findings
    .filter(({ attribute }) => !reported.has(attribute))
    .map(({ attribute, reason, instead }) => ({
      rule: ruleOf(attribute),
      part: attribute,
      message: `The attribute ${attribute} ${reason}.`,
      instead: instead === undefined ? undefined : asSentence(instead),
    }));
}
