/** A task drawn over again each second, and looked at when its pace says so. */
import type { JsonObject } from '../../../protocol/envelope.ts';
import { phaseOf } from '../../../resources/task-status.ts';
import { glyphsFor } from '../../output/bar.ts';
import { colourWanted, painterFor } from '../../output/colour.ts';
import { drawingOn, widthOf } from '../../output/redraw.ts';
import type { Session } from '../../session/session.ts';
import { taskFrame } from './watch-frame.ts';

/**
 * Draws on stderr until the task has ended.
 * @param poll the records, given what to sleep with between two of them
 * @throws what a look throws, and the clock at Ctrl-C; the last frame stays
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
    await drawing.draw(taskFrame(record, { now, width: widthOf(stderr), paint, glyphs }));
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
      const phase = phaseOf(record, await session.serviceNow());
      if (phase === 'completed' || phase === 'cancelled') return;
    }
  } finally {
    await drawing.end();
  }
}

const SECOND = 1000;
