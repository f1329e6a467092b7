/** Acts as a person with another client, while runners work or between them. */
import type { Chance } from '../../client/simulation-world.ts';
import { type Hand, pathOf, type Thing, thingsOf } from './judge.ts';
import type { World } from './world.ts';

/** Acts once as a person with another client. Returns false if there is nothing to act on. */
export async function actByHand(
  world: World,
  chance: Chance,
  hands: Hand[],
  count: (what: string) => void,
  log: (line: string) => void,
): Promise<boolean> {
  const things = (await thingsOf(world)).filter(({ identity, isLive }) => identity !== undefined && isLive);
  if (things.length === 0) return false;
  const thing = chance.pick(things);
  const what = chance.pick(['end', 'end', 'copy', 'plain'] as const);
  const body = bodyOf(thing);
  if (what === 'end') {
    const isTask = thing.kind === 'task';
    const status = await world.byHand('PUT', pathOf(thing), isTask ? { cancelled: true } : { paused: true });
    log(`  a person ends ${pathOf(thing)}: ${status}`);
    if (status !== 200) return true;
    count(isTask ? 'cancelled by hand' : 'paused by hand');
    const hasTwin = things.some((each) => each !== thing && each.identity === thing.identity);
    hands.push({ what: isTask ? 'cancel' : 'pause', thing, hasTwin, at: world.now() });
    return true;
  }
  const path = pathOf(thing).replace(/\/\d+$/, '');
  const name = what === 'copy' ? thing.name : 'By hand';
  const status = await world.byHand('POST', path, { ...body, name });
  log(`  a person makes a ${what} of ${pathOf(thing)}: ${status}`);
  if (status < 300) count(what === 'copy' ? 'copied by hand' : 'made by hand');
  return true;
}

function bodyOf({ kind, row }: Thing): Readonly<Record<string, unknown>> {
  const { channel, message_id, list_id, scheduledtime } = row;
  if (kind === 'task') return { channel, message_id, list_id, search_id: null, scheduledtime };
  const { actiontype, actiontarget, actiontimediff } = row;
  return { list_id, actiontype, actiontarget, actiontimediff, actiononweekend: true, summary: null };
}
