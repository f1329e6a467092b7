/**
 * An assistant that has never seen svc finds the tools, learns the format, drafts, plans, rehearses and asks for an approval within 120,000
 * bytes of the protocol, about 30,000 tokens: docs/contract.md, "Assistants".
 */
import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  type Assistant,
  type AssistantWorld,
  assistantWorld,
  type Result,
} from '../../../support/assistant.ts';
import { writesIn } from '../../../support/run-cli.ts';

let world: AssistantWorld;
let assistant: Assistant;
beforeEach(async () => {
  world = await assistantWorld();
  assistant = await world.open();
});
afterEach(async () => {
  await assistant.close();
  await world.remove();
});

const MOST_BYTES = 120_000;
const PAGE =
  '<html lang="en"><head><title>Sale</title></head><body><p>Sale</p><a href="#optout#">Leave</a></body></html>';

it('a campaign is planned, rehearsed and ready for approval', async () => {
  const asked: string[] = [];
  const next: string[] = [];
  const call = async (name: string, given: Record<string, unknown> = {}): Promise<Result> => {
    asked.push(JSON.stringify({ method: 'tools/call', params: { name, arguments: given } }));
    const result = await assistant.call(name, given);
    if (result.next) next.push(result.next);
    return result;
  };
  expect(assistant.client.getInstructions()).toMatch(
    /draft_campaign, plan with out, rehearse the plan, review_plan/,
  );
  const format = await call('explain', { what: ['campaign'] });
  expect(format.result.text).toContain('messages:');
  await call('list_records', { noun: 'task' });
  await call('list_records', { noun: 'email' });
  const { result: old } = await call('get_record', { noun: 'task', id: 'November news' });
  const yaml = (await readFile('examples/campaign/spring.yaml', 'utf8'))
    .replaceAll('content/spring.html', 'sale.html')
    .replaceAll('content/spring.txt', 'sale.txt');
  const write = [
    { path: 'sale.yaml', text: yaml },
    { path: 'sale.html', text: `${PAGE}<a href="https:///sale">Sale</a>` },
    { path: 'sale.txt', text: 'Sale\n' },
  ];
  expect(await call('draft_campaign', { file: ['sale.yaml'], write })).toMatchObject({ ok: false, exit: 11 });
  const mended = [{ path: 'sale.html', text: PAGE }];
  expect(await call('draft_campaign', { file: ['sale.yaml'], write: mended, replace: true })).toMatchObject({
    ok: true,
  });
  const planned = await call('plan', { file: ['sale.yaml'], out: 'sale.plan' });
  expect(planned).toMatchObject({
    ok: true,
    result: { passed: true },
    approve: { command: expect.any(String) },
  });
  const { result: rehearsed } = await call('rehearse', { file: ['sale.plan'] });
  expect(rehearsed.sends.map(({ size }: Result) => size)).toEqual([expect.any(Number), expect.any(Number)]);
  const review = await call('review_plan', { plan: 'sale.plan' });
  expect(review.result.untrusted.text).toMatch(
    /^### Plan of a campaign\n[\s\S]*#### To create\n[\s\S]*list 1/,
  );
  const refused = await call('apply', { file: 'sale.plan' });
  expect(refused).toMatchObject({ ok: false, kind: 'refused', approve: planned.approve });
  expect(old.id).toBe(2);
  expect(next.at(-1)).toContain('approve.command');
  expect(writesIn(world.sent)).toEqual([]);
  // All that the server wrote, so also the list of tools and the instructions, and all that the assistant asked.
  const bytes = [...assistant.wire, ...asked].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  expect(bytes).toBeLessThanOrEqual(MOST_BYTES);
  // About half of the bytes, so a test that counts nothing fails.
  expect(bytes).toBeGreaterThan(40_000);
});
