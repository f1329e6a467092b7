/** Explains that the sandbox's clock is manual. */
import type { JsonObject } from '../../../protocol/json.ts';
import type { Input } from '../../command/command.ts';
import { standingClockWords } from '../../request/standing-clock.ts';
import type { Session } from '../../session/session.ts';
import { askSandbox } from './connection.ts';

/** Returns the note, or undefined if the clock runs. */
export async function standingClockNote(session: Session, input: Input): Promise<string | undefined> {
  const { data, zone } = await askSandbox(session, input, 'clock show');
  const { clock, time } = Object(data) as JsonObject;
  if (clock !== 'manual') return undefined;
  return standingClockWords(Number(time), zone).join(' ');
}
