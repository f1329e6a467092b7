/** Contract, "The everyday screen": text typed ahead of a hidden prompt is dropped. */
import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createInputDiscarder } from '../../../src/cli/outside/prompts.ts';

function terminal(isTTY = true) {
  const raw: boolean[] = [];
  const held: string[] = [];
  const input = Object.assign(new EventEmitter(), {
    isTTY,
    setRawMode: (isRaw: boolean) => raw.push(isRaw),
    resume: () => held.push('resume'),
    pause: () => held.push('pause'),
    ref: () => held.push('ref'),
    unref: () => held.push('unref'),
  });
  let interrupts = 0;
  const typedAhead = createInputDiscarder(
    () => input,
    () => {
      interrupts += 1;
    },
  );
  return { input, raw, held, typedAhead, interrupts: () => interrupts };
}

describe('text that is typed without an open question', () => {
  it('is read and dropped without an echo until the next question, and does not keep the process alive', async () => {
    const { input, raw, held, typedAhead } = terminal();
    typedAhead.start();
    // Raw mode: the terminal itself echoes nothing.
    expect([raw, input.listenerCount('data'), held]).toEqual([[true], 1, ['resume', 'unref']]);
    input.emit('data', Buffer.from('c0ffee'));
    await typedAhead.stop();
    expect([raw, input.listenerCount('data'), held.slice(2)]).toEqual([[true, false], 0, ['ref', 'pause']]);
  });

  it('is also dropped if it arrives just before the next question opens', async () => {
    const { input, typedAhead } = terminal();
    typedAhead.start();
    const stopped = typedAhead.stop();
    expect(input.listenerCount('data')).toBe(1);
    input.emit('data', 'late');
    await stopped;
  });

  it('interrupts at Ctrl-C', () => {
    const { input, typedAhead, interrupts } = terminal();
    typedAhead.start();
    input.emit('data', Buffer.from('abc\x03'));
    expect(interrupts()).toBe(1);
  });

  it('is kept in a pipe', async () => {
    const { input, raw, typedAhead } = terminal(false);
    typedAhead.start();
    await typedAhead.stop();
    expect([raw, input.listenerCount('data')]).toEqual([[], 0]);
  });
});
