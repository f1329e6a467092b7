/** Names that a profile gives to subscriber lists, because the service's HTTP API has no names of lists. */

import { readIdText } from '../../kit/schema/integer.ts';
import { isObject } from '../../kit/text/json-object.ts';
import { listNameProblem } from '../../kit/text/words.ts';
import type { AccountId } from '../../service/auth/credentials.ts';
import { isAccountId, ProfileError } from './errors.ts';

export type ListNames = Readonly<Record<string, AccountId>>;

/** Returns the names with one added, changed or, for an empty value, removed. Returns undefined without names. Throws ProfileError `usage`. */
export function withListName(names: ListNames = {}, name: string, value: string): ListNames | undefined {
  const problem = listNameProblem(name);
  if (problem !== undefined)
    throw new ProfileError('usage', `list.NAME: the name ${JSON.stringify(name)} ${problem}`);
  const others = Object.entries(names).filter(([each]) => each !== name);
  const id = readIdText(value);
  if (value !== '' && !isAccountId(id))
    throw new ProfileError('usage', `list.${name} must be the id of a list: a whole number of at least 1`);
  const entries = value === '' || id === undefined ? others : [...others, [name, id] as const];
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

export function listNamesProblem(names: unknown): string | undefined {
  if (!isObject(names)) return 'lists must be an object';
  for (const [name, id] of Object.entries(names)) {
    const problem = listNameProblem(name);
    if (problem !== undefined) return `lists: the name ${JSON.stringify(name)} ${problem}`;
    if (!isAccountId(id))
      return `lists: the id of ${JSON.stringify(name)} must be a whole number of at least 1`;
  }
  return undefined;
}
