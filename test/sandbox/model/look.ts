/** The view of /v1 at the end of a run: the interface's own counters, compared with those of the model. */
import { expect } from 'vitest';
import type { Real } from './real.ts';
import type { Model } from './state.ts';

export async function look(model: Model, real: Real): Promise<void> {
  const get = async (target: string) => (await real.send('GET', target)).list;
  expect((await real.send('GET', '/v1/account/1')).data).toMatchObject({
    emailcreditbalance: model.credits.email,
    smscreditbalance: model.credits.sms,
    blacklist_count: model.blocked.size,
    emailsuspended_count: count(model.subscribers.values(), ({ suspended }) => suspended.email),
    smssuspended_count: count(model.subscribers.values(), ({ suspended }) => suspended.sms),
    subscriber_count: model.subscribers.size,
    folder_count: model.folders.size,
    list_count: model.lists.size,
  });
  expect(await get('/v1/folder')).toMatchObject(
    [...model.folders].map((id) => {
      const lists = [...model.lists].flatMap(([list, folder]) => (folder === id ? [list] : []));
      const subscriptions = lists.map((list) =>
        count(model.subscribers.values(), (subscriber) => subscriber.lists.has(list)),
      );
      return { id, list_count: lists.length, subscription_count: subscriptions.reduce((a, b) => a + b, 0) };
    }),
  );
  expect(await get('/v1/task')).toMatchObject(
    [...model.tasks.values()].map((task) => ({
      id: task.id,
      cancelled: task.cancelled,
      completed: task.completed,
      endtime: task.endtime,
      size: task.size,
      emailuniqueopens: task.message.channel === 'email' ? task.did.open.size : null,
      smsuniquebounces: task.message.channel === 'sms' ? task.did.bounce.size : null,
    })),
  );
  expectHolds(model);
}

const count = <T>(values: Iterable<T>, holds: (value: T) => boolean): number =>
  [...values].filter(holds).length;

/** Checks the invariants of the model itself, which could otherwise hide the faults that it should find. */
function expectHolds(model: Model): void {
  for (const task of model.tasks.values()) {
    expect(task.endtime !== null).toBe(task.completed || task.cancelled);
    expect(new Set(task.sent.values()).size).toBe(task.sent.size);
    expect(task.spent).toBe(task.sent.size * task.message.cost);
  }
}
