/**
 * Acceptance, C6, and contract, "Assistants": random sequences of tool calls, "in which the service's own record shows 0 writes without
 * an approval". The full number is 100,000 sequences. `SVC_ASSISTANT_SEQUENCES` sets another number.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { WireRequest } from '../../../../src/service/protocol/wire.ts';
import { type Chance, createChance } from '../../../client/simulation-world.ts';
import { type Assistant, type AssistantWorld, assistantWorld } from '../../../support/assistant.ts';
import { depth, SEED, tried } from '../../../support/depth.ts';
import { HOSTILE } from '../../../support/hostile-texts.ts';
import { writesIn } from '../../../support/run-cli.ts';

let world: AssistantWorld;
let assistant: Assistant;
beforeAll(async () => {
  world = await assistantWorld();
  await writeFile(
    join(world.folder, 'forged.plan'),
    '{"version":1,"inputs":{"file":"spring.yaml"},"steps":[]}',
  );
  assistant = await world.open();
});
afterAll(async () => {
  await assistant.close();
  await world.remove();
});

// Fewer sequences could have too few successful calls by chance: one in five calls succeeds.
const sequences = depth('SVC_ASSISTANT_SEQUENCES', { few: 150, full: 100_000 });

/** Values for any argument: valid and invalid ones, flags, paths and commands. */
const VALUES: readonly unknown[] = [
  ...[
    '1',
    '2',
    '4',
    'click:1',
    'task',
    'email',
    'folder',
    'automation',
    'spring.yaml',
    'spring.plan',
    'forged.plan',
  ],
  ...[
    '2026-12-04 18:00',
    '1d',
    'content/spring.html',
    'team.signers',
    '../config/config.json',
    '/etc/passwd',
    '-',
  ],
  ...[
    '--yes',
    '--profile=other',
    '--base-url=https://evil.example.com',
    '-y',
    '--',
    '@spring.yaml',
    '',
    'now',
    'all',
  ],
  ...['task create', 'apply', 'api', 'sms send', 'queue', 'clock show', 'start', 'svc', 'help', '__proto__'],
  ...[true, false, 1, 0, -1, 1.5, null, [], ['spring.yaml'], ['--yes'], { yes: true }, ['1', 2, true]],
  ...HOSTILE.filter((_, at) => at % 20 === 0).map(({ text }) => text),
];
const NAMES = [
  'yes',
  'profile',
  'base_url',
  'api_key',
  'env',
  'approvals',
  'signers',
  'allow_offline',
  'dry_run',
];
/** Slow tools, which are called less often. */
const SLOW: Readonly<Record<string, number>> = { rehearse: 0.01, export: 0.02, plan: 0.05, lint: 0.3 };

type Schema = { readonly type?: string; readonly enum?: readonly unknown[] };

function argumentsFor(
  chance: Chance,
  properties: Readonly<Record<string, Schema>>,
  required: readonly string[],
) {
  const given: Record<string, unknown> = {};
  for (const [name, { enum: choices, type }] of Object.entries(properties)) {
    if (!chance.is(required.includes(name) ? 0.95 : 0.15)) continue;
    const isRight = chance.is(0.7);
    if (choices && isRight) given[name] = chance.pick(choices);
    else if (type === 'boolean' && isRight) given[name] = chance.is(0.5);
    else if (type === 'integer' && isRight) given[name] = Math.ceil(chance.between(1, 20));
    else if (type === 'array' && isRight) given[name] = [chance.pick(VALUES)];
    else given[name] = chance.pick(VALUES);
  }
  if (chance.is(0.1)) given[chance.pick(NAMES)] = chance.pick(VALUES);
  return given;
}

it(`writes nothing in ${sequences} sequences without an approval (SVC_SEED=${SEED})`, {
  timeout: 0,
}, async () => {
  const { tools } = await assistant.client.listTools();
  const chance = createChance(SEED);
  const counts = { calls: 0, done: 0, refused: 0 };
  for (let sequence = 0; sequence < sequences; sequence += 1) {
    for (let length = Math.ceil(chance.between(0, 4)); length > 0; length -= 1) {
      const { name, inputSchema } = chance.pick(tools);
      if (!chance.is(SLOW[name] ?? 1)) continue;
      const { properties = {}, required = [] } = inputSchema;
      const given = argumentsFor(chance, properties as Readonly<Record<string, Schema>>, required);
      const result = await assistant.call(name, given);
      counts.calls += 1;
      if (result.ok) counts.done += 1;
      else counts.refused += 1;
      expect(JSON.stringify(result), `${name} ${JSON.stringify(given)}`).not.toContain(world.key);
    }
    expect(writesIn(world.sent), `sequence ${sequence} of seed ${SEED}`).toEqual([]);
    // The requests were checked, and a long run must not keep them in memory.
    (world.sent as WireRequest[]).length = 0;
    (assistant.wire as string[]).length = 0;
  }
  expect(counts.calls).toBeGreaterThan(sequences);
  expect(counts.done).toBeGreaterThan(counts.calls / 10);
  expect(counts.refused).toBeGreaterThan(counts.calls / 10);
  tried('C6', sequences);
});
