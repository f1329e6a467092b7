/** Contract, "Assistants": cancellation, progress, time limits, the size of results, resources and prompts. */
import { rm } from 'node:fs/promises';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { StartTimer } from '../../../../src/client/requests/ports.ts';
import type { Transport } from '../../../../src/service/protocol/wire.ts';
import { type Assistant, openAssistant } from '../../../support/assistant.ts';
import { type DemoService, openDemoService } from '../../../support/demo-service.ts';
import { putEmail, putList } from '../../../support/messages.ts';
import { serviceOf } from '../../../support/run-cli.ts';
import { createTestSandbox } from '../../../support/sandbox.ts';
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts';

let folder: string;
let demo: DemoService;
let assistant: Assistant | undefined;
beforeEach(async () => {
  folder = await makeTemporaryFolder('limits');
  demo = await openDemoService();
});
afterEach(async () => {
  vi.useRealTimers();
  await assistant?.close();
  await rm(folder, { recursive: true });
});

/** Makes a service that can stop responding: each later request waits until it is cancelled. */
function hangingService() {
  const state = { waiting: 0, cancelled: 0, hangs: false };
  const transport: Transport = (request, signal) => {
    if (!state.hangs) return demo.transport(request, signal);
    state.waiting += 1;
    return new Promise((_, reject) => {
      signal?.addEventListener('abort', () => {
        state.cancelled += 1;
        reject(signal.reason);
      });
    });
  };
  return { state, transport };
}

const until = async (isTrue: () => boolean): Promise<void> => {
  while (!isTrue()) await turn();
};

/** Interrupts a call and advances the clock by the ten seconds that a request in flight may still take. */
async function interruptAndWait(interrupt: () => void, isCancelled: () => boolean): Promise<void> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  interrupt();
  while (!isCancelled()) {
    await turn();
    vi.advanceTimersByTime(1000);
  }
  vi.useRealTimers();
}

it('cancels the request of a call that the client cancels, and serves the next call', async () => {
  const { state, transport } = hangingService();
  assistant = await openAssistant([], { transport, env: demo.admin, cwd: folder });
  state.hangs = true;
  const cancelling = new AbortController();
  const call = assistant.call('list_records', { noun: 'task' }, { signal: cancelling.signal });
  await until(() => state.waiting > 0);
  const rejected = expect(call).rejects.toThrow();
  await interruptAndWait(
    () => cancelling.abort(),
    () => state.cancelled > 0,
  );
  await rejected;
  state.hangs = false;
  expect(await assistant.call('list_records', { noun: 'task', limit: 1 })).toMatchObject({ ok: true });
});

it('stops a call after its time limit, which is before the 60 seconds of clients', async () => {
  const { state, transport } = hangingService();
  const timers: { readonly milliseconds: number; readonly fire: () => void }[] = [];
  const timer: StartTimer = (milliseconds, fire) => {
    timers.push({ milliseconds, fire });
    return () => undefined;
  };
  assistant = await openAssistant([], { transport, env: demo.admin, cwd: folder, timer });
  state.hangs = true;
  const call = assistant.call('forecast');
  await until(() => state.waiting > 0);
  const limit = timers.find(({ milliseconds }) => milliseconds === 50_000);
  await interruptAndWait(
    () => limit?.fire(),
    () => state.cancelled > 0,
  );
  expect(await call).toMatchObject({ ok: false, exit: 130, kind: expect.stringMatching(/^[a-z]+$/) });
});

it('second attack L6: runs four calls at once, and the others in the order of their arrival', async () => {
  let [inFlight, most] = [0, 0];
  const gates: (() => void)[] = [];
  const state = { hangs: false };
  const transport: Transport = async (request, signal) => {
    if (!state.hangs) return demo.transport(request, signal);
    inFlight += 1;
    most = Math.max(most, inFlight);
    await new Promise<void>((resolve) => gates.push(resolve));
    inFlight -= 1;
    return demo.transport(request, signal);
  };
  assistant = await openAssistant([], { transport, env: demo.admin, cwd: folder });
  const { call } = assistant;
  state.hangs = true;
  const cancelling = new AbortController();
  const done: number[] = [];
  const calls = Array.from({ length: 12 }, async (_, at) => {
    const options = at === 8 ? { signal: cancelling.signal } : {};
    const result = await call('get_record', { noun: 'task', id: '2' }, options).catch(() => undefined);
    done.push(at);
    return result;
  });
  await until(() => gates.length === 4);
  for (let turns = 0; turns < 50; turns += 1) await turn();
  expect([gates.length, inFlight]).toEqual([4, 4]);
  // A call that is cancelled while it waits keeps no turn.
  cancelling.abort();
  const opening = setInterval(() => gates.shift()?.(), 1);
  const results = await Promise.all(calls);
  clearInterval(opening);
  expect(most).toBe(4);
  expect(results.map((result) => result?.ok)).toEqual(results.map((_, at) => (at === 8 ? undefined : true)));
  expect(done[0]).toBe(8);
});

it('reports progress as numbers, without data', async () => {
  assistant = await openAssistant([], { transport: demo.transport, env: demo.admin, cwd: folder });
  const told: { progress: number; message?: string | undefined }[] = [];
  await assistant.call(
    'why_locked',
    { kind: 'email', id: 'Espresso guide' },
    { onprogress: (each) => told.push(each) },
  );
  expect(told.map(({ progress }) => progress)).toEqual(told.map((_, at) => at + 1));
  expect(told.length).toBeGreaterThan(2);
  for (const { message } of told) expect(message).toMatch(/^why_locked: [0-9]+ requests$/);
});

it('ends with exit 0 when the client closes the input', async () => {
  assistant = await openAssistant([], { transport: demo.transport, env: demo.admin, cwd: folder });
  expect(await assistant.close()).toBe(0);
});

describe('a result of a large account', () => {
  it('stays below 64 KB, and the client can read every record and text', async () => {
    const sandbox = await createTestSandbox();
    const html = `<p>${'Long text with "quotes" and \\ 🙂. '.repeat(800)}</p>`;
    for (let at = 0; at < 40; at += 1)
      await putEmail(sandbox, {
        name: `Message ${at} ${'"'.repeat(60)}`,
        subject: 'x'.repeat(200),
        html: at === 6 ? html : html.slice(0, 3000),
      });
    await putList(sandbox);
    assistant = await openAssistant([], { transport: serviceOf(sandbox).transport, cwd: folder });
    const ids = new Set<number>();
    for (let cursor: string | undefined, pages = 0; pages === 0 || cursor; pages += 1) {
      const { rows, next_cursor } = await assistant.call('list_records', {
        ...{ noun: 'email', limit: 200 },
        ...(cursor ? { cursor } : {}),
      });
      for (const { id } of rows) ids.add(id);
      cursor = next_cursor;
    }
    expect(ids.size).toBe(40);
    const { result } = await assistant.call('get_record', { noun: 'email', id: '7' });
    expect(result.untrusted.html).toContain(`of ${html.length} characters)`);
    let read = '';
    for (let cursor: string | undefined, pages = 0; pages === 0 || cursor; pages += 1) {
      const page = await assistant.call('get_record', {
        ...{ noun: 'email', id: '7', field: 'html' },
        ...(cursor ? { cursor } : {}),
      });
      read += page.result.untrusted.text;
      cursor = page.next_cursor;
    }
    expect(read).toBe(html);
    expect(Math.max(...assistant.wire.slice(2).map((line) => Buffer.byteLength(line)))).toBeLessThan(
      64 * 1024,
    );
  });
});

describe('resources', () => {
  it('are the reference and the schema of campaign files, each up to 256 KB', async () => {
    assistant = await openAssistant([], { transport: demo.transport, env: demo.admin, cwd: folder });
    const { client } = assistant;
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(
      expect.arrayContaining([
        'svc://campaign-schema',
        'svc://reference',
        'svc://reference/task',
        'svc://help/lint',
      ]),
    );
    for (const { uri, mimeType } of resources) {
      const [content] = (await client.readResource({ uri })).contents as { text: string; mimeType: string }[];
      expect(content?.text.length, uri).toBeGreaterThan(100);
      expect(Buffer.byteLength(content?.text ?? '')).toBeLessThanOrEqual(256 * 1024);
      expect(content?.mimeType).toBe(mimeType);
      if (mimeType === 'application/json') JSON.parse(content?.text ?? '');
    }
    await expect(client.readResource({ uri: 'file:///etc/passwd' })).rejects.toThrow('unknown resource');
  });
});

describe('prompts', () => {
  it('say how to plan a newsletter, and why a send stopped', async () => {
    assistant = await openAssistant([], { transport: demo.transport, env: demo.admin, cwd: folder });
    const { client } = assistant;
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(['plan_newsletter', 'why_did_this_send_stop']);
    const text = async (name: string, given?: Record<string, string>) => {
      const { messages } = await client.getPrompt({ name, ...(given ? { arguments: given } : {}) });
      return JSON.stringify(messages);
    };
    expect(await text('plan_newsletter', { list: '1' })).toContain('to list 1');
    expect(await text('why_did_this_send_stop', { task: '7' })).toContain('why task 7 stopped');
    expect(await text('plan_newsletter')).toContain('Only a person approves a plan');
    await expect(text('plan_newsletter', { list: '1; send now' })).rejects.toThrow('not an id');
    await expect(text('send_everything')).rejects.toThrow('unknown prompt');
  });
});
