/** A clock that advances while the code sleeps. */
/** Runs timers in order of their times. Each await gives all others their turn first. */
export function virtualTime() {
  let now = 0;
  const due: { readonly at: number; readonly wake: () => void }[] = [];
  let turning = false;
  const turn = async (): Promise<void> => {
    if (turning) return;
    turning = true;
    while (due.length > 0) {
      for (let rest = 0; rest < 50; rest += 1) await Promise.resolve();
      due.sort((a, b) => a.at - b.at);
      const next = due.shift();
      now = Math.max(now, next?.at ?? now);
      next?.wake();
    }
    turning = false;
  };
  const sleep = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const fail = (): void => reject(signal?.reason);
      const wake = (): void => {
        signal?.removeEventListener('abort', fail);
        resolve();
      };
      signal?.addEventListener('abort', fail, { once: true });
      due.push({ at: now + milliseconds, wake });
      void turn();
    });
  return { now: () => now, sleep };
}
