/** Checks the target of a DELETE. */
import type { Resource, Values } from '../schema/resource.ts';

/**
 * Checks that a DELETE says which records to delete. Returns the names of the attributes that select them. @throws RangeError without an id and without an attribute that selects records (contract, "Safety")
 */
export function checkDeleteTarget(resource: Resource, by: Values): readonly string[] {
  const method = resource.methods.delete;
  if (!method) throw new RangeError(`${resource.name} has no DELETE`);
  const given = Object.keys(by);
  if (given.length === 0) throw new RangeError(`a DELETE of ${resource.name} must identify the record`);
  for (const attribute of given) {
    if (!method.by.includes(attribute))
      throw new RangeError(
        `${attribute} can't name a ${resource.name} to delete (${method.by.join(', ')} can)`,
      );
    const value = by[attribute];
    if (value === null || value === undefined || value === '')
      throw new RangeError(`${attribute} is empty: a DELETE of ${resource.name} must identify the record`);
  }
  if (given.length > 1 && (method.exclusive || given.includes('id')))
    throw new RangeError(`a DELETE of ${resource.name} takes one of ${given.join(', ')}`);
  return given;
}
