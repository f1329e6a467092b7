/** "Cap octets held in all" (attack M8). */
import { setTimeout as pass } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createBodyMemoryLimit } from '../../../src/sandbox/http/wire.ts';

const KB = 1024;

it('accepts bodies while there is room, and the next ones wait their turn, in order', async () => {
  const held = createBodyMemoryLimit(100 * KB, 60_000);
  const first = await held.take(60 * KB);
  const order: string[] = [];
  const second = held.take(60 * KB).then((release) => {
    order.push('second');
    return release;
  });
  const third = held.take(20 * KB).then((release) => {
    order.push('third');
    return release;
  });
  await pass(5);
  expect(order).toEqual([]);
  first();
  await third;
  expect(order).toEqual(['second', 'third']);
  (await second)();
  await held.take(80 * KB);
});

it('small bodies never wait', async () => {
  const held = createBodyMemoryLimit(100 * KB, 60_000);
  await held.take(100 * KB);
  for (let times = 0; times < 50; times += 1) await held.take(16 * KB);
});

it('refuses a body that waited too long with 503 and Retry-After, and admits those behind it', async () => {
  const held = createBodyMemoryLimit(100 * KB, 20);
  const release = await held.take(60 * KB);
  const large = held.take(90 * KB);
  const small = held.take(30 * KB);
  await expect(large).rejects.toMatchObject({ status: 503, details: { headers: { 'retry-after': '1' } } });
  await small;
  release();
  await held.take(70 * KB);
});

it('releases room only once, however often it is called', async () => {
  const held = createBodyMemoryLimit(100 * KB, 5);
  const release = await held.take(50 * KB);
  await held.take(50 * KB);
  release();
  release();
  await held.take(50 * KB);
  await expect(held.take(50 * KB)).rejects.toMatchObject({ status: 503 });
});
