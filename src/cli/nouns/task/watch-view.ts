/** Redraws a task each second, and reads it at its pace. */
import type { JsonObject } from '../../../protocol/envelope.ts';
import { glyphsFor } from '../../output/bar.ts';
import { colourWanted, painterFor } from '../../output/colour.ts';
import { drawingOn, widthOf } from '../../output/redraw.ts';
import { standingClockLines } from '../../request/standing-clock.ts';
import type { Session } from '../../session/session.ts';
import { taskFrame } from './watch-frame.ts';

/**
 * Draws on stderr until the task has ended.
 * @param poll returns the records, given the function that sleeps between two of them
 * @throws the error of a check, and that of the clock at Ctrl-C; the last frame stays
 */
export async function watchLive(
  session: Session,
  poll: (sleep: (milliseconds: number) => Promise<void>) => AsyncIterable<JsonObject>,
): Promise<void> {
  const { stderr, env, platform, clock, signal } = session.context;
  const paint = await painterFor(colourWanted(env, stderr, !session.globals.color));
  const glyphs = glyphsFor(env, platform);
  const drawing = drawingOn(stderr);
  let record: JsonObject = {};
  const draw = async (): Promise<void> => {
    const now = await session.serviceNow();
    const standing = hasEnded(record) ? undefined : await standingClockLines(session);
    await drawing.draw(taskFrame(record, { now, width: widthOf(stderr), paint, glyphs, standing }));
  };
  const sleepDrawing = async (milliseconds: number): Promise<void> => {
    for (let left = milliseconds; left > 0; left -= SECOND) {
      await clock.sleep(Math.min(SECOND, left), signal);
      await draw();
    }
  };
  try {
    for await (const found of poll(sleepDrawing)) {
      record = found;
      await draw();
      if (hasEnded(record)) return;
    }
  } finally {
    await drawing.end();
  }
}

const hasEnded = (record: JsonObject): boolean =>
  record['completed'] === true || record['cancelled'] === true;

const SECOND = 1000;
