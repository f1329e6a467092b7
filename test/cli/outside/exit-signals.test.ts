/** Contract, "Safety": the first signal requests an exit. The tests show the effect of the second signal, and its time. */
import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { findUncaughtErrorThatAborted } from '../../../src/cli/errors/errors.ts';
import { handleExitSignals, type SignalSource } from '../../../src/cli/outside/exit-signals.ts';

/** Makes a process that a signal without a listener kills. */
function processOf() {
  const events = new EventEmitter();
  const timers: (() => void)[] = [];
  const dead: string[] = [];
  const process: SignalSource = {
    on: (event, listener) => events.on(event, listener),
    off: (event, listener) => events.off(event, listener),
  };
  const ending = handleExitSignals(process, (_, fire) => {
    timers.push(fire);
    return () => undefined;
  });
  return {
    process,
    ending,
    dead,
    send: (...names: readonly string[]) => {
      for (const name of names) if (!events.emit(name, new Error('boom'))) dead.push(name);
    },
    aSecondLater: () => {
      for (const fire of timers.splice(0)) fire();
    },
    listening: () => events.eventNames().reduce((sum, name) => sum + events.listenerCount(name), 0),
  };
}

describe('without work that must be completed', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2', 'SIGALRM'])(
    '%s requests an exit, and its repetition within a second is the same event',
    (name) => {
      const { ending, send, dead, process } = processOf();
      send(name, name, 'SIGHUP', 'SIGTERM');
      expect([ending.signal.aborted, process.exitCode, dead]).toEqual([true, 130, []]);
      expect(findUncaughtErrorThatAborted(ending.signal)).toBeUndefined();
    },
  );

  // Contract, "The sandbox, for people and teams": SIGHUP reads the certificate again.
  it('SIGHUP calls its listener, and requests an exit again afterwards', () => {
    const { ending, send } = processOf();
    let told = 0;
    const stopListening = ending.onHangup(() => {
      told += 1;
    });
    send('SIGHUP', 'SIGHUP');
    expect([told, ending.signal.aborted]).toEqual([2, false]);
    stopListening();
    send('SIGHUP');
    expect([told, ending.signal.aborted]).toEqual([2, true]);
  });

  it('SIGINT or SIGTERM ends the process a second later, and SIGHUP never does', () => {
    const { send, aSecondLater, dead } = processOf();
    send('SIGINT');
    aSecondLater();
    send('SIGHUP', 'SIGHUP');
    expect(dead).toEqual([]);
    send('SIGTERM', 'SIGINT');
    expect(dead).toEqual(['SIGTERM', 'SIGINT']);
  });

  it('Ctrl-Z and an uncaught error keep their default handling', () => {
    const { send, dead } = processOf();
    send('SIGTSTP', 'uncaughtException');
    expect(dead).toEqual(['SIGTSTP', 'uncaughtException']);
  });
});

describe('during work that must be completed', () => {
  it('signals never end the process before the work is complete, however many arrive', () => {
    const { ending, send, aSecondLater, dead } = processOf();
    const first = ending.keepAlive();
    const second = ending.keepAlive();
    send('SIGINT');
    aSecondLater();
    second();
    send('SIGINT', 'SIGTERM', 'SIGHUP', 'SIGTSTP');
    expect(dead).toEqual([]);
    first();
    first();
    send('SIGINT');
    expect(dead).toEqual(['SIGINT']);
  });

  it('a second signal does not end work that begins after the first signal', () => {
    const { ending, send, aSecondLater, dead } = processOf();
    send('SIGINT');
    aSecondLater();
    const release = ending.keepAlive();
    send('SIGINT', 'SIGTERM');
    expect(dead).toEqual([]);
    release();
    send('SIGTERM');
    expect(dead).toEqual(['SIGTERM']);
  });

  // Contract, "Safety": "a second Ctrl-C after the warning ends it with 10".
  it('after the warning was shown, a second Ctrl-C reaches the work, and a third ends the process', () => {
    const { ending, send, aSecondLater, dead } = processOf();
    ending.keepAlive();
    send('SIGINT');
    const second = ending.allowForceQuit();
    send('SIGINT');
    expect([dead, second.aborted]).toEqual([[], false]);
    aSecondLater();
    send('SIGHUP');
    expect(second.aborted).toBe(false);
    send('SIGINT');
    expect([dead, second.aborted]).toEqual([[], true]);
    send('SIGINT');
    expect(dead).toEqual(['SIGINT']);
  });

  it('an uncaught error requests an exit, with itself as the reason', () => {
    const { ending, send, dead, process } = processOf();
    ending.keepAlive();
    send('uncaughtException', 'uncaughtException');
    expect([dead, process.exitCode]).toEqual([[], 1]);
    expect(findUncaughtErrorThatAborted(ending.signal)?.message).toBe('boom');
  });

  it('leaves no listener behind', () => {
    const { ending, listening } = processOf();
    const before = listening();
    ending.keepAlive()();
    expect(listening()).toBe(before);
  });
});
