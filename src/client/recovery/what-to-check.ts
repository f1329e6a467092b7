/** Tells the user what to check if a write that names no id may have been carried out. */
import type { Naming } from '../../protocol/naming.ts';
import { formatQuery } from '../../protocol/query.ts';
import { pathOf } from '../../protocol/wire.ts';
import type { Resource, Values } from '../../schema/resource.ts';
import { lookUpFilters } from './find-created.ts';

/** Returns the request that shows whether such a write was carried out. It filters by the identifying attributes that are marked F. */
export function whatToCheck(resource: Resource, body: Values, basePath: string, naming: Naming): string {
  if (!canLookUp(resource)) return NO_LOOK;
  const query = formatQuery({ filters: lookUpFilters(resource, body) }, naming);
  return `GET ${basePath}${pathOf(resource.name)}${query === '' ? '' : `?${query}`}`;
}

/**
 * Reports whether the interface can look up a record of the resource. It can't for account, because a partner can't ask for an account by
 * its name.
 */
export const canLookUp = (resource: Resource): boolean => resource.identifiedBy.length > 0;
const NO_LOOK = 'with those who run the service: the interface has no look that would tell';
