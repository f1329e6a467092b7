/**
 * X8: the records of all eighteen resources, in random sequences of POST, PUT, DELETE, time and restarts. The model keeps the records in
 * plain maps. After each step the test compares all pages of the resource.
 */
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Method } from '../../../src/kit/schema/resource.ts';
import { createService } from '../../../src/sandbox/service.ts';
import type { JsonObject } from '../../../src/service/protocol/json.ts';
import { catalogue } from '../../../src/service/resources/catalogue.ts';
import { depth, tried } from '../../support/depth.ts';
import { withEverything } from '../../support/everything.ts';
import { type Answer, NOW, readAnswer, signed, type TestSandbox } from '../../support/sandbox.ts';
import { type Draw, KINDS, type Kind } from './records.ts';

const RUNS = depth('SVC_RECORD_RUNS', { few: 8, full: 2_000 });
const SEED = Number(process.env['SVC_SEED'] ?? Date.now() % 1_000_000_000);
const NAMES = Object.keys(KINDS);
/** A page size below the number of records, so that there are several pages. */
const PAGE = 3;

const steps = fc.array(
  fc.record({
    what: fc.constantFrom('make', 'make', 'make', 'change', 'change', 'remove', 'pass', 'restart'),
    resource: fc.constantFrom(...NAMES),
    pick: fc.nat(50),
    draws: fc.array(fc.nat(1_000), { minLength: 16, maxLength: 16 }),
  }),
  { minLength: 1, maxLength: 24, size: 'max' },
);
type Step = (typeof steps extends fc.Arbitrary<infer Drawn extends readonly unknown[]>
  ? Drawn
  : never)[number];

const taken = new Map<string, number>();

it('has each resource of the interface', () => {
  expect([...NAMES].sort()).toEqual(catalogue.map(({ name }) => name).sort());
});

it(`keeps and shows records as the model does, in ${RUNS} runs (SVC_SEED=${SEED} SVC_RECORD_RUNS=${RUNS})`, async () => {
  let played = 0;
  const property = fc.asyncProperty(steps, async (sequence) => {
    const sandbox = await withEverything();
    const world = await World.begin(sandbox);
    for (const step of sequence) await world.take(step);
    for (const name of NAMES) await world.compare(name);
    // Each store in memory takes half a megabyte until it is closed.
    await sandbox.service.store.close();
    played += 1;
  });
  await fc.assert(property, { numRuns: RUNS, seed: SEED });
  expect(played).toBe(RUNS);
  const never = NAMES.flatMap((name) =>
    (['make', 'change'] as const).filter((what) => KINDS[name]?.[what] && !taken.has(`${what} ${name}`)),
  );
  if (RUNS >= 500) expect(never).toEqual([]);
  tried('X8', played);
  console.log(`SVC_SEED=${SEED}: ${played} runs, ${[...taken.values()].reduce((a, b) => a + b, 0)} steps`);
}, 3_600_000);

type Id = number | string;

class World {
  readonly #records = new Map<string, Map<Id, JsonObject>>();
  /**
   * Ids that steps may change, deleted ones included. They were created in this run, or belong to a resource whose first records may
   * change.
   */
  readonly #free = new Map<string, Id[]>();
  readonly #sandbox: TestSandbox;
  #send: (method: Method, name: string, rest: string, body?: JsonObject) => Promise<Answer>;
  #seconds = 0;

  constructor(sandbox: TestSandbox) {
    this.#sandbox = sandbox;
    this.#send = sendTo(sandbox.service.handle);
  }

  static async begin(sandbox: TestSandbox): Promise<World> {
    const world = new World(sandbox);
    for (const name of NAMES) {
      const shown = await world.#shown(name);
      world.#records.set(name, new Map(shown.map((record) => [idOf(record), record])));
      world.#free.set(name, kindOf(name).changesAll || kindOf(name).isSingle ? shown.map(idOf) : []);
    }
    return world;
  }

  get #now(): number {
    return NOW + this.#seconds;
  }

  async take(step: Step): Promise<void> {
    const { what, resource } = step;
    switch (what) {
      case 'pass':
        this.#seconds += 60 * (step.pick + 1);
        return this.#sandbox.at(this.#seconds);
      case 'restart':
        this.#send = sendTo(createService(this.#sandbox.service.store, PORTS).handle);
        return;
      default: {
        const isDone = await this.#write(step);
        if (!isDone) return;
        taken.set(`${what} ${resource}`, (taken.get(`${what} ${resource}`) ?? 0) + 1);
        await this.compare(resource);
      }
    }
  }

  /** Returns false if the interface has no such method, or no record exists for it. */
  #write({ what, resource, pick, draws }: Step): Promise<boolean> {
    if (what === 'make') return this.#make(resource, drawFrom(draws));
    return what === 'change' ? this.#change(resource, drawFrom(draws), pick) : this.#remove(resource, pick);
  }

  async #make(name: string, draw: Draw): Promise<boolean> {
    const { make, defaults = {}, hidden = [], unique } = kindOf(name);
    if (!make) return false;
    const body = make(draw, this.#now);
    const answer = await this.#send('POST', name, '', body);
    if (this.#clashes(name, unique?.(body))) {
      expect(answer.status, `POST ${name} ${JSON.stringify(body)}`).toBe(409);
      return true;
    }
    expect(answer.status, `POST ${name} ${JSON.stringify(body)}: ${answer.text}`).toBe(202);
    const record = answer.data;
    const nulls = Object.fromEntries(hidden.map((each) => [each, null]));
    expect(record).toMatchObject({ ...defaults, ...without(body, ['html']), ...nulls });
    for (const time of ['cdate', 'mdate']) if (time in record) expect(record[time]).toBe(this.#now);
    const id = idOf(record);
    const free = this.#freeOf(name);
    // Only an id that consists of two other ids may be used again.
    if (typeof id === 'number') expect(free).not.toContain(id);
    if (!free.includes(id)) free.push(id);
    this.#of(name).set(id, record);
    if (body['html'] !== undefined) await this.#link(record, String(body['html']));
    return true;
  }

  async #change(name: string, draw: Draw, pick: number): Promise<boolean> {
    const { change, hidden = [], unique, isFinal, follows } = kindOf(name);
    const free = this.#freeOf(name);
    const id = free[pick % Math.max(1, free.length)];
    if (!change || id === undefined) return false;
    const body = change(draw, this.#now);
    const answer = await this.#send('PUT', name, `/${id}`, body);
    const before = this.#of(name).get(id);
    const status = !before ? 404 : isFinal?.(before) || this.#clashes(name, unique?.(body), id) ? 409 : 200;
    expect(answer.status, `PUT ${name} ${JSON.stringify(body)}: ${answer.text}`).toBe(status);
    if (status !== 200 || !before) return true;
    const after: JsonObject = {
      ...before,
      ...without(body, [...hidden, 'html']),
      ...follows?.(body, this.#now),
      ...('mdate' in before ? { mdate: this.#now } : {}),
      ...(body['html'] === undefined ? {} : { html: answer.data['html'] ?? null }),
    };
    expect(answer.data).toEqual(after);
    this.#of(name).set(id, after);
    if (body['html'] !== undefined) await this.#link(after, String(body['html']));
    // Both resources show the same company.
    if (name === 'accountFeatures') {
      const account = this.#of('account').get(id) ?? {};
      const shared = Object.entries({ ...body, mdate: this.#now }).filter(([key]) => key in account);
      this.#of('account').set(id, { ...account, ...Object.fromEntries(shared) });
    }
    return true;
  }

  async #remove(name: string, pick: number): Promise<boolean> {
    const free = this.#freeOf(name);
    const id = free[pick % Math.max(1, free.length)];
    if (!kindOf(name).isRemovable || id === undefined) return false;
    const answer = await this.#send('DELETE', name, `/${id}`);
    expect([answer.status, name, id]).toEqual([this.#of(name).delete(id) ? 200 : 404, name, id]);
    expect((await this.#send('HEAD', name, `?id=${id}`)).status).toBe(404);
    return true;
  }

  /** Interface, emailMessage `html`: links become tracking URIs. Links with an unchanged target keep their id. */
  async #link(message: JsonObject, sent: string): Promise<void> {
    const links = this.#of('emailMessageLink');
    const own = (record: JsonObject): boolean => record['message_id'] === message['id'];
    const before = new Map([...links.values()].filter(own).map((link) => [link['target'], link]));
    const targets = new Set([...sent.matchAll(/href="([^"]*)"/g)].map(([, target]) => target));
    const shown = (await this.#shown('emailMessageLink')).filter(own);
    expect(new Set(shown.map(({ target }) => target))).toEqual(targets);
    for (const link of before.values()) links.delete(idOf(link));
    for (const link of shown) {
      const fresh = {
        ...{ message_id: message['id'], name: null, task_id: 0, type: 'html' },
        cdate: this.#now,
      };
      expect(link).toMatchObject(before.get(link['target'] ?? null) ?? fresh);
      links.set(idOf(link), link);
    }
    const idByTarget = new Map(shown.map(({ id, target }) => [target, id]));
    const wanted = sent.replace(
      /href="([^"]*)"/g,
      (_, target) => `href="http://127.0.0.1:4010/t/c/${idByTarget.get(target)}"`,
    );
    expect(message['html']).toBe(wanted);
  }

  async compare(name: string): Promise<void> {
    const wanted = [...this.#of(name).values()].sort(byKey(kindOf(name).page?.sort ?? 'id'));
    expect(await this.#shown(name)).toEqual(
      name === 'account' ? wanted.map((each) => this.#counted(each)) : wanted,
    );
  }

  #counted(account: JsonObject): JsonObject {
    return {
      ...account,
      folder_count: this.#of('folder').size,
      blacklist_count: this.#of('doNotContact').size,
      user_count: [...this.#of('user').values()].filter(({ isadmin }) => isadmin === false).length,
    };
  }

  /** Returns all records on the pages, in their order. */
  async #shown(name: string): Promise<readonly JsonObject[]> {
    const { isSingle, page = { query: '', sort: 'id' } } = kindOf(name);
    if (isSingle) return [(await this.#send('GET', name, '/1')).data];
    const found: JsonObject[] = [];
    for (let start: unknown; start !== null; ) {
      const from = start === undefined ? '' : `&start=${start}`;
      const { status, list, response } = await this.#send(
        'GET',
        name,
        `?${page.query}&sort=${page.sort}&count=${PAGE}${from}`,
      );
      if (status === 404) break;
      expect(status).toBe(200);
      found.push(...list);
      start = response['next'] ?? null;
    }
    return found;
  }

  #clashes(name: string, key: unknown, own?: Id): boolean {
    const { unique } = kindOf(name);
    if (key === undefined || key === null || !unique) return false;
    return [...this.#of(name)].some(([id, record]) => id !== own && unique(record) === key);
  }

  #of(name: string): Map<Id, JsonObject> {
    const found = this.#records.get(name) ?? new Map<Id, JsonObject>();
    this.#records.set(name, found);
    return found;
  }

  #freeOf(name: string): Id[] {
    const found = this.#free.get(name) ?? [];
    this.#free.set(name, found);
    return found;
  }
}

const PORTS = {
  machineNow: () => NOW * 1000,
  random: (octets: number) => randomBytes(octets),
  trackingBaseUrl: () => 'http://127.0.0.1:4010',
  report: (_: string, error: unknown) => {
    throw error;
  },
};

const sendTo =
  (handle: TestSandbox['service']['handle']) =>
  async (method: Method, name: string, rest: string, body?: JsonObject): Promise<Answer> =>
    readAnswer(await handle(signed(kindOf(name).as ?? 'admin', method, `/v1/${name}${rest}`, body)), method);

function kindOf(name: string): Kind {
  const kind = KINDS[name];
  if (!kind) throw new Error(`no resource ${name}`);
  return kind;
}

const without = (values: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)));

const idOf = ({ id }: JsonObject): Id => (typeof id === 'number' ? id : String(id));

const byKey =
  (key: string) =>
  (one: JsonObject, other: JsonObject): number =>
    Number(one[key]) - Number(other[key]);

/** Returns a function that chooses by the next number each time. */
function drawFrom(numbers: readonly number[]): Draw {
  let at = 0;
  return (...choices) => {
    const number = numbers[at % numbers.length] ?? 0;
    at += 1;
    const choice = choices[number % choices.length];
    if (choice === undefined) throw new Error('nothing to draw from');
    return choice;
  };
}
