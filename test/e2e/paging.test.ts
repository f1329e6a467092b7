/**
 * M3: a service whose `next` goes back, repeats the start, is not a value, or comes with an empty page. Real processes end with an error.
 * They never return part of the rows with exit 0, and never send requests forever.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtSvc } from '../support/built-package.ts';
import { readJsonError } from '../support/json-error.ts';
import { type Answer, type Asked, okText, runSvc, seeded, startStub } from '../support/stub-service.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary-folder.ts';

/** Before a release: `SVC_WIRE_RUNS=100`. */
const RUNS = Number(process.env['SVC_WIRE_RUNS'] ?? 1);
const SEED = Number(process.env['SVC_SEED'] ?? 20_261_121);
/** A limit above the requests of each walk here. A process that continues gets an empty socket, and the count reveals it. */
const MOST_REQUESTS = 40;

let svc: string;
let home: string;
beforeAll(async () => {
  svc = await builtSvc();
  home = await makeTemporaryFolder('paging');
});
afterAll(async () => {
  await removeFolder(home);
  await removeFolder(dirname(svc));
});

interface Row {
  readonly id: number;
  readonly contactdata: string;
  readonly cdate: number;
}
type Spoil = (
  page: { rows: Row[]; next: string },
  start: number | undefined,
  all: readonly Row[],
) => { rows: Row[]; next: string };

/** The faults of the page that begins at or after the middle one. */
const FAULTS: Readonly<Record<string, Spoil>> = {
  'goes back': (page, _, all) => ({ ...page, next: String(all[0]?.id) }),
  'goes back by one': (page) => ({ ...page, next: String((page.rows.at(-1)?.id ?? 2) - 1) }),
  'stands still': (page, start) => ({ ...page, next: String(start ?? page.rows[0]?.id) }),
  'is an object': (page) => ({ ...page, next: '{"start":5}' }),
  'is an array': (page) => ({ ...page, next: `[${page.next}]` }),
  'comes with no rows': (page) => ({ rows: [], next: page.next === 'null' ? '999999' : page.next }),
  'leads to rows before the start': (page, _, all) => ({ ...page, rows: all.slice(0, 2) }),
};

/** Serves pages of `size` rows in order of their ids, which are correct except for the fault from page `at` on. */
function service(all: readonly Row[], size: number, at: number, spoil: Spoil | undefined) {
  let served = 0;
  return ({ method, query }: Asked): Answer => {
    const start = query.get('start') === null ? undefined : Number(query.get('start'));
    const contact = query.get('contactdata');
    const matching = all.filter(
      (row) => (start === undefined || row.id >= start) && (contact === null || row.contactdata === contact),
    );
    const rows = matching.slice(0, size);
    const right = { rows, next: String(matching[size]?.id ?? 'null') };
    served += 1;
    const { rows: given, next } = spoil && served > at && method === 'GET' ? spoil(right, start, all) : right;
    return { body: okText(JSON.stringify(given), next, given.length) };
  };
}

const FORMATS = ['json', 'ndjson', 'csv', 'table', 'id'] as const;

describe(`incorrect paging, ${RUNS} times, seed ${SEED}`, () => {
  it.each(Object.entries(FAULTS))('is detected for next %s', { timeout: 3_600_000 }, async (name, spoil) => {
    const random = seeded(SEED);
    for (let run = 0; run < RUNS; run += 1) {
      const size = 2 + Math.floor(random() * 5);
      const pages = 3 + Math.floor(random() * 4);
      // The first page has no start, so a next cannot go back before it.
      const at = 1 + Math.floor(random() * (pages - 2));
      let id = 0;
      const all = Array.from({ length: size * pages }, (_, n) => {
        id += 1 + Math.floor(random() * 3);
        return { id, contactdata: `person${n}@example.com`, cdate: 1_796_000_000 + n };
      });
      await using stub = await startStub(service(all, size, at, spoil));
      const outside = { port: stub.port, home };
      const format = FORMATS[(run + Object.keys(FAULTS).indexOf(name)) % FORMATS.length] ?? 'json';
      const list = await runSvc(svc, ['dnc', 'list', '-o', format], outside);
      expect([name, list.code, list.stderr.includes('not complete')]).toEqual([name, 1, true]);
      expect(list.stderr).toContain('/v1/doNotContact');
      expect(stub.asked.length).toBeLessThan(MOST_REQUESTS);
      const printed = [...list.stdout.matchAll(/person([0-9]+)@/g)].map(([, n]) => n);
      expect(new Set(printed).size).toBe(printed.length);
      expect(printed.length).toBeLessThan(all.length);

      // Neither the file nor the result lists an existing address as missing.
      const out = join(home, `export-${run}-${Object.keys(FAULTS).indexOf(name)}.csv`);
      const exported = await runSvc(svc, ['dnc', 'export', '--out', out], outside);
      expect(exported.code).toBe(1);
      await expect(readFile(out)).rejects.toThrow('ENOENT');
      const file = join(home, 'contacts.csv');
      await writeFile(file, `email\n${all.map(({ contactdata }) => contactdata).join('\n')}\n`);
      const diff = await runSvc(svc, ['dnc', 'diff', file, '-o', 'ndjson'], outside);
      expect([diff.code, diff.stdout.includes('"only_in":"file"')]).toEqual([1, false]);
      const raw = await runSvc(svc, ['api', 'GET', '/v1/doNotContact', '--paginate'], outside);
      // `svc api` skips rows that a later page repeats.
      if (raw.code === 0) expect(JSON.parse(raw.stdout).response.data).toHaveLength(all.length);
      else expect([raw.code, raw.stdout]).toEqual([1, '']);
      expect(stub.asked.length).toBeLessThan(4 * MOST_REQUESTS);
    }
  });

  it('does not report an address as missing because of an empty page with a next, or an invalid next', async () => {
    for (const next of ['5', '{}', '[]', 'false']) {
      await using stub = await startStub(() => ({ body: okText('[]', next, 0) }));
      const check = await runSvc(svc, ['dnc', 'check', 'someone@example.com'], { port: stub.port, home });
      expect([next, check.code, check.stdout]).toEqual([next, 1, '']);
      const exists = await runSvc(svc, ['dnc', 'get', 'someone@example.com', '-o', 'json'], {
        port: stub.port,
        home,
      });
      expect([next, exists.code]).toEqual([next, 1]);
      expect(readJsonError(exists.stderr)).toMatchObject({ kind: 'not-ours', exit: 1 });
    }
  });

  it('is distinguished from correct paging, which is read to the end', async () => {
    const all = Array.from({ length: 23 }, (_, n) => ({
      id: n + 1,
      contactdata: `person${n}@example.com`,
      cdate: 1,
    }));
    await using stub = await startStub(service(all, 5, 0, undefined));
    const list = await runSvc(svc, ['dnc', 'list', '-o', 'id'], { port: stub.port, home });
    expect(list).toEqual({ stdout: all.map(({ id }) => `${id}\n`).join(''), stderr: '', code: 0 });
    expect(stub.asked).toHaveLength(5);
  });
});
