/** Profiles and a sandbox on this machine have names of lists. The service's HTTP API has no such names. */

import { type Id, isId, readIdText } from '../../kit/schema/integer.ts';
import { listNameProblem } from '../../kit/text/words.ts';
import { UsageError } from '../errors/errors.ts';
import type { Invocation, Profiles, Tell } from '../session/ports.ts';

/** Id, or the text of a finding. */
type ListLookup = { readonly value: Id } | { readonly reason: string; readonly instead: string };

export const mayBeListName = (text: string): boolean => listNameProblem(text) === undefined;

export async function findListNamed(
  session: Invocation & Tell & Profiles,
  name: string,
): Promise<ListLookup> {
  const saved = await listsOfProfile(session);
  const own = saved.find((each) => each.name === name);
  if (own !== undefined) return { value: own.id };
  const { profile } = await session.resolved();
  return chooseList(name, [...saved, ...(await listsOfSandbox(session))], profile?.name);
}

/** Returns the names of lists by id. The names of the profile win. */
export async function readListNames(
  session: Invocation & Tell & Profiles,
): Promise<ReadonlyMap<string, string>> {
  const lists = [...(await listsOfSandbox(session)), ...(await listsOfProfile(session))];
  return new Map(lists.map(({ id, name }) => [String(id), name]));
}

async function listsOfProfile(session: Profiles) {
  const { profile, credentials } = await session.resolved();
  const isOwnCompany = String(profile?.companyId) === String(credentials.companyId);
  return Object.entries((isOwnCompany ? profile?.lists : undefined) ?? {}).map(([name, id]) => ({
    name,
    id,
  }));
}

/** The advice names the `profile`. */
export function chooseList(
  name: string,
  lists: readonly { readonly name: string; readonly id: Id }[],
  profile = 'PROFILE',
): ListLookup {
  const ids = lists.filter((each) => each.name === name).map(({ id }) => id);
  if (ids.length > 1)
    return { reason: `is the name of ${ids.length} lists`, instead: `give one of the ids ${ids.join(', ')}` };
  if (ids[0] !== undefined) return { value: ids[0] };
  if (lists.length === 0)
    return {
      reason: 'must be the id of a list',
      instead: `to name a list, run svc profile set ${profile} list.NAME ID`,
    };
  const known = lists.map((each) => `${each.name} (${each.id})`);
  const more = known.length > SHOWN ? ` and ${known.length - SHOWN} more` : '';
  return {
    reason: 'is not the name of a list',
    instead: `give an id, or one of: ${known.slice(0, SHOWN).join(', ')}${more}`,
  };
}

const SHOWN = 20;

/** Accepts an id, or the name of a list. @throws UsageError for any other text */
export async function resolveListFlag(session: Invocation & Tell & Profiles, text: string): Promise<Id> {
  const id = readIdText(text);
  if (id !== undefined && isId(id)) return id;
  if (!mayBeListName(text)) throw new UsageError(`--list: ${text} is not a whole number of at least 1`);
  const found = await findListNamed(session, text);
  if ('value' in found) return found.value;
  throw new UsageError(`--list: ${JSON.stringify(text)} ${found.reason}`, { hint: found.instead });
}

async function listsOfSandbox(session: Invocation & Tell & Profiles) {
  const { readFromSandbox } = await import('../session/sandbox-control.ts');
  return (await readFromSandbox(session, 'list list')) ?? [];
}
