/**
 * docs/assistants.md shows a client that plans and rehearses, but cannot send. This test produces the transcript. `--update` writes it
 * again.
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

it('a client plans and rehearses, but cannot send', async () => {
  const lines: string[] = [];
  const call = async (name: string, given: Record<string, unknown>): Promise<Result> => {
    const result = await assistant.call(name, given);
    lines.push(`> ${name} ${JSON.stringify(given)}`, shown(result), '');
    return result;
  };
  await call('lint', { noun: 'email', id: '1' });
  await call('plan', { file: ['spring.yaml'], out: 'spring.plan' });
  await call('rehearse', { file: ['spring.plan'], part: 'sends' });
  const refused = await call('apply', { file: 'spring.plan' });
  expect(refused).toMatchObject({ ok: false, exit: 2 });
  expect(writesIn(world.sent)).toEqual([]);
  const transcript = `${lines.join('\n').trimEnd()}\n`.replaceAll(world.folder, '/home/ada/campaigns');
  await expect(transcript).toMatchFileSnapshot('../../../golden/assistants.txt');
  expect(await readFile('docs/assistants.md', 'utf8')).toContain(transcript);
});

/** Writes each row of a list on its own line. */
function shown(result: Result): string {
  const lists = (value: Result): string => {
    if (Array.isArray(value) && value.length > 0)
      return `[\n${value.map((each) => `    ${JSON.stringify(each)}`).join(',\n')}\n  ]`;
    return JSON.stringify(value);
  };
  const members = Object.entries(result).flatMap(([key, value]) =>
    key === 'result'
      ? Object.entries(value as object).map(([name, each]) => [`result.${name}`, each])
      : [[key, value]],
  );
  return members.map(([key, value]) => `  ${key}: ${lists(value)}`).join('\n');
}
