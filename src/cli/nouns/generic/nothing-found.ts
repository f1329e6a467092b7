/** Advises what to do next if a list has no rows, in one line. */
import type { Resource } from '../../../schema/resource.ts';

/** Returns the line. @param isFiltered whether the request left some records out */
export function nothingFound(resource: Resource, isFiltered: boolean): string {
  const { noun, methods, announced = [], comesFrom, verbs } = resource;
  if (isFiltered)
    return methods.get?.oneOf
      ? `No ${noun} matches.`
      : `No ${noun} matches. Without filters: svc ${noun} list`;
  const none = `No ${resource.plural.replace(/^the /, '')} yet.`;
  if (comesFrom !== undefined) return `${none} ${comesFrom}`;
  if (methods.post === undefined || announced.includes('POST')) return none;
  return `${none} Create one with: svc ${noun} ${verbs?.post ?? 'create'} (see --help)`;
}
