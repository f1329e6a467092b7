/** Builds blocks of an `svc explain` page. A fact that several kinds of rule share is stated only once. */

import type { ReportBlock, TermWithText } from '../../kit/report/report.ts';
import { joinAnd } from '../../kit/text/words.ts';
import type { CatalogueResource } from '../../service/resources/catalogue.ts';

/** Returns each different value once, with the resources that have it, in the order in which the values first occur. */
export function groupResourcesByValue<T>(
  resources: readonly CatalogueResource[],
  valuesOf: (resource: CatalogueResource) => readonly T[],
): readonly { readonly value: T; readonly resources: readonly CatalogueResource[] }[] {
  const said = new Map<string, { readonly value: T; readonly resources: CatalogueResource[] }>();
  for (const resource of resources) {
    for (const value of valuesOf(resource)) {
      const key = JSON.stringify(value);
      const known = said.get(key);
      if (known) known.resources.push(resource);
      else said.set(key, { value, resources: [resource] });
    }
  }
  return [...said.values()];
}

/** Returns the texts as bullet points. A text that does not apply to all kinds of rule is listed under the kinds to which it applies. */
export function bulletPointsByRuleKind(
  resources: readonly CatalogueResource[],
  textsOf: (resource: CatalogueResource) => readonly string[],
): readonly ReportBlock[] {
  return groupsOf(resources, textsOf).flatMap(({ lead, texts }) => [
    ...paragraphBlocks(lead),
    ...bulletPointBlocks(texts),
  ]);
}

/** Returns the texts of `bulletPointsByRuleKind` as paragraphs. */
export function paragraphsByRuleKind(
  resources: readonly CatalogueResource[],
  textsOf: (resource: CatalogueResource) => readonly string[],
): readonly ReportBlock[] {
  return groupsOf(resources, textsOf).flatMap(({ lead, texts }) =>
    lead.length === 0 ? paragraphBlocks(texts) : texts.map((text) => paragraph(`${lead[0]} ${text}`)),
  );
}

/** Groups values by the kinds of rule that have them. */
export function groupByRuleKinds<T>(valued: ReturnType<typeof groupResourcesByValue<T>>) {
  const groups = new Map<string, { readonly having: readonly CatalogueResource[]; readonly values: T[] }>();
  for (const { value, resources: having } of valued) {
    const key = having.map(({ name }) => name).join();
    const group = groups.get(key) ?? { having, values: [] };
    group.values.push(value);
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** `lead` is `For click and open rules:`, or empty if the texts apply to all kinds. */
const groupsOf = (
  resources: readonly CatalogueResource[],
  textsOf: (resource: CatalogueResource) => readonly string[],
) =>
  groupByRuleKinds(groupResourcesByValue(resources, textsOf)).map(({ having, values: texts }) => ({
    lead: having.length === resources.length ? [] : [`For ${formatRuleKinds(having)}:`],
    texts,
  }));

/** Returns the kinds of the rules in words, such as `click, open and date rules`. */
export function formatRuleKinds(resources: readonly CatalogueResource[]): string {
  return `${joinAnd(resources.map(({ variant = '' }) => variant))} rules`;
}

const paragraph = (text: string): ReportBlock => ({ kind: 'paragraph', text });
export const paragraphBlocks = (texts: readonly string[]): readonly ReportBlock[] => texts.map(paragraph);
export const bulletPointBlocks = (texts: readonly string[]): readonly ReportBlock[] =>
  texts.length === 0 ? [] : [{ kind: 'points', texts }];
export const termBlocks = (list: readonly TermWithText[]): readonly ReportBlock[] =>
  list.length === 0 ? [] : [{ kind: 'terms', terms: list }];
