import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createClient } from '../../../src/client/requests/client.ts';
import type { Transport } from '../../../src/service/protocol/wire.ts';
import { catalogue, resourceNamed } from '../../../src/service/resources/catalogue.ts';
import { withEverything } from '../../support/everything.ts';
import { REPEATABLE, UNIQUE } from '../../support/post-bodies.ts';
import { IDS, KEYS, NOW, type TestSandbox } from '../../support/sandbox.ts';
import { lost, virtualClock } from '../fakes.ts';

function clientOn(transport: Transport) {
  const credentials = {
    kind: 'company',
    companyId: IDS.company,
    userId: IDS.admin,
    apiKey: KEYS.company,
  } as const;
  return createClient({ credentials, transport, random: randomBytes, clock: virtualClock(NOW * 1000) });
}

/** Loses the next response to a POST, or the POST itself. */
function losing(sandbox: TestSandbox, what: 'answer' | 'request') {
  let left = 1;
  let posts = 0;
  const transport: Transport = async (request) => {
    if (request.method !== 'POST') return sandbox.service.handle(request);
    posts += 1;
    left -= 1;
    if (left < 0) return sandbox.service.handle(request);
    if (what === 'answer') await sandbox.service.handle(request);
    throw lost;
  };
  return { transport, posts: () => posts };
}

function named(name: string) {
  const resource = resourceNamed(name);
  if (!resource) throw new Error(`no ${name}`);
  return resource;
}

async function countOf(sandbox: TestSandbox, name: string): Promise<number> {
  const client = clientOn((request) => sandbox.service.handle(request));
  const filters = name === 'subscriberProfileData' ? { subscriber_id: 1 } : {};
  return (await client.find(named(name), filters)).length;
}

// Contract, "Safety", compared with the sandbox's own record.
describe('a POST whose response was lost', () => {
  it.each([...REPEATABLE, ...UNIQUE])('%s %j is found, and created once', async (name, body) => {
    const sandbox = await withEverything();
    const plain = clientOn((request) => sandbox.service.handle(request));
    if (REPEATABLE.some(([each]) => each === name)) await plain.create(named(name), body);
    const before = await countOf(sandbox, name);
    const { transport, posts } = losing(sandbox, 'answer');
    const resource = named(name);
    const { record, recovered } = await clientOn(transport).send({ method: 'POST', resource, body });
    expect([recovered, posts(), await countOf(sandbox, name)]).toEqual([true, 1, before + 1]);
    const newest = await plain.find(named(name), name === 'subscriberProfileData' ? { id: '2_1' } : {});
    expect(record).toEqual(newest.at(-1));
  });
});

describe('a POST that never arrived', () => {
  it.each(REPEATABLE)('%s %j does not match its twin, and nothing is sent again', async (name, body) => {
    const sandbox = await withEverything();
    const plain = clientOn((request) => sandbox.service.handle(request));
    await plain.create(named(name), body);
    const before = await countOf(sandbox, name);
    const { transport, posts } = losing(sandbox, 'request');
    await expect(clientOn(transport).create(named(name), body)).rejects.toMatchObject({
      kind: 'unknown',
    });
    expect([posts(), await countOf(sandbox, name)]).toEqual([1, before]);
  });

  it.each(UNIQUE)('%s %j', async (name, body) => {
    const sandbox = await withEverything();
    const before = await countOf(sandbox, name);
    const { transport, posts } = losing(sandbox, 'request');
    const made = clientOn(transport).create(named(name), body);
    const again = named(name).inDoubt === 'send-again';
    if (again) await made;
    else await expect(made).rejects.toMatchObject({ kind: 'unknown' });
    expect([posts(), await countOf(sandbox, name)]).toEqual(again ? [2, before + 1] : [1, before]);
  });
});

it('the cases include every resource with a POST, except account, which cannot be looked up', () => {
  const covered = new Set([...REPEATABLE, ...UNIQUE].map(([name]) => name));
  const makeable = catalogue.filter(({ methods }) => methods.post).map(({ name }) => name);
  expect(makeable.filter((name) => !covered.has(name))).toEqual(['account']);
  expect(makeable.filter((name) => named(name).identifiedBy.length === 0)).toEqual(['account']);
});
