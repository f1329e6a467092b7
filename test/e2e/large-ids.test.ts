/**
 * M1 and contract, "Numbers, ids and names, once more": ids beyond 2^53 are kept digit for digit. Real processes use a service whose
 * neighboring ids have the same double.
 */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtSvc } from '../support/built-package.ts';
import {
  type Answer,
  type Asked,
  errorText,
  okText,
  runSvc,
  seeded,
  startStub,
} from '../support/stub-service.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary-folder.ts';

/** Before a release: `SVC_WIRE_RUNS=100`. */
const RUNS = Number(process.env['SVC_WIRE_RUNS'] ?? 1);
const SEED = Number(process.env['SVC_SEED'] ?? 20_261_121);

let svc: string;
let home: string;
beforeAll(async () => {
  svc = await builtSvc();
  home = await makeTemporaryFolder('large-ids');
});
afterAll(async () => {
  await removeFolder(home);
  await removeFolder(dirname(svc));
});

/** Stores folders by their ids as text, as a service with 64-bit ids does. */
function folderService(folders: Map<string, string>) {
  const json = (id: string): string => `{"id":${id},"name":"${folders.get(id)}","list_count":0}`;
  const byId = (a: string, b: string): number => (BigInt(a) < BigInt(b) ? -1 : 1);
  const page = (query: URLSearchParams): Answer => {
    const start = query.get('start');
    const name = query.get('name');
    const id = query.get('id');
    const down = query.get('reverse') === 'true' ? -1 : 1;
    const all = [...folders.keys()]
      .sort((a, b) => down * byId(a, b))
      .filter((each) => name === null || folders.get(each) === name)
      .filter((each) => id === null || each === id)
      .filter((each) => start === null || each === start || down * byId(each, start) > 0);
    if (all.length === 0) return { status: 404, body: errorText(404, 'nothing') };
    const count = Number(query.get('count') ?? 200);
    const rows = all.slice(0, Math.min(count, 2));
    return { body: okText(`[${rows.map(json).join(',')}]`, all[rows.length] ?? 'null', rows.length) };
  };
  return ({ method, path, query, body }: Asked): Answer => {
    const [, , resource, id] = path.split('/');
    if (resource !== 'folder') return { status: 404, body: errorText(404, 'no such resource') };
    if (method === 'POST') {
      const made = '36893488147419103233';
      folders.set(made, 'made');
      return { status: 202, body: okText(json(made)) };
    }
    if (id === undefined) return page(query);
    if (!folders.has(id)) return { status: 404, body: errorText(404, 'no such folder') };
    if (method === 'PUT') {
      const name = /"name":"([^"]*)"/.exec(body)?.[1];
      if (name !== undefined) folders.set(id, name);
    }
    const shown = json(id);
    if (method === 'DELETE') {
      folders.delete(id);
      return { body: okText(`{"id":${id}}`) };
    }
    return { body: okText(shown) };
  };
}

describe(`ids beyond 2^53, ${RUNS} times, seed ${SEED}`, () => {
  it('find the named object by name and by id, and are printed unchanged', {
    timeout: 3_600_000,
  }, async () => {
    const random = seeded(SEED);
    for (let run = 0; run < RUNS; run += 1) {
      // Neighbors whose doubles are the same. The first round repeats the original attack.
      const base =
        run === 0
          ? 9007199254740992n
          : 2n ** BigInt(53 + Math.floor(random() * 12)) + BigInt(Math.floor(random() * 1e9)) * 2n;
      const [a, b, c, d] = [base + 1n, base, base + 2n, 18446744073709551615n].map(String) as [
        string,
        string,
        string,
        string,
      ];
      const folders = new Map([
        [a, 'a'],
        [b, 'b'],
        [c, 'c'],
        [d, 'd'],
        ['5', 'small'],
      ]);
      const sorted = [...folders.keys()].sort((x, y) => (BigInt(x) < BigInt(y) ? -1 : 1));
      await using stub = await startStub(folderService(folders));
      const state = join(home, `run-${run}`);
      const svcRun = (...args: string[]) => runSvc(svc, args, { port: stub.port, home: state });
      const writes = () =>
        stub.asked.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path}`);

      const ids = await svcRun('folder', 'list', '-o', 'id');
      expect(ids).toEqual({ stdout: `${sorted.join('\n')}\n`, stderr: '', code: 0 });
      const down = await svcRun('folder', 'list', '--reverse', '-o', 'id');
      expect(down).toEqual({ stdout: `${[...sorted].reverse().join('\n')}\n`, stderr: '', code: 0 });

      const byName = await svcRun('folder', 'update', 'a', '--name', 'a2', '-o', 'id');
      expect(byName).toMatchObject({ stdout: `${a}\n`, code: 0 });
      const byId = await svcRun('folder', 'update', c, '--name', 'c2', '-o', 'id');
      expect(byId).toMatchObject({ stdout: `${c}\n`, code: 0 });
      expect(writes()).toEqual([`PUT /v1/folder/${a}`, `PUT /v1/folder/${c}`]);
      const undone = await svcRun('undo', '--yes', '-o', 'id');
      expect(undone).toMatchObject({ stdout: `${c}\n`, code: 0 });
      expect(folders.get(c)).toBe('c');

      const deleted = await svcRun('folder', 'delete', 'a2', '--yes');
      expect(deleted.code).toBe(0);
      expect(deleted.stderr).toContain(`deleted folder ${a} (a2)`);
      const second = await svcRun('folder', 'delete', d, '--yes');
      expect(second.code).toBe(0);
      expect(writes().slice(-2)).toEqual([`DELETE /v1/folder/${a}`, `DELETE /v1/folder/${d}`]);
      expect([...folders.keys()].sort()).toEqual([b, c, '5'].sort());
      const journal = await readFile(join(state, 'state', 'journal', 'journal.ndjson'), 'utf8');
      expect(journal).toContain(`"id":${a},`);
      expect(journal).toContain(`"id":${d},`);

      const gone = await svcRun('folder', 'get', a, '-o', 'json');
      expect(gone).toMatchObject({ stdout: '', code: 4 });
      expect(gone.stderr).toContain(`folder ${a} not found`);
      expect(stub.asked.at(-1)).toMatchObject({ method: 'GET', path: `/v1/folder/${a}` });
    }
  });

  it.each([
    ['json', '[\n  {\n    "id": 9007199254740993,\n    "name": "a",\n    "list_count": 0\n  }\n]\n'],
    ['ndjson', '{"id":9007199254740993,"name":"a","list_count":0}\n'],
    ['csv', 'id,name\n9007199254740993,a\n'],
    ['tsv', 'id\tname\n9007199254740993\ta\n'],
    ['yaml', '- id: 9007199254740993\n  name: a\n  list_count: 0\n'],
    ['table', /^\s*ID +NAME.*\n-*\n?\s*9007199254740993 +a/],
  ])('are printed with all digits as %s', async (format, shown) => {
    await using stub = await startStub(folderService(new Map([['9007199254740993', 'a']])));
    const fields = ['csv', 'tsv', 'table'].includes(format) ? ['--fields', 'id,name'] : [];
    const run = await runSvc(svc, ['folder', 'list', '-o', format, ...fields], { port: stub.port, home });
    expect([run.code, run.stderr]).toEqual([0, '']);
    if (typeof shown === 'string') expect(run.stdout).toBe(shown);
    else expect(run.stdout).toMatch(/9007199254740993\s+a/);
  });

  it('keep their digits in filters, bodies and references, however they are given', async () => {
    await using stub = await startStub(({ method, path, body }) =>
      method === 'GET'
        ? { status: 404, body: errorText(404, 'nothing') }
        : {
            status: 202,
            body: okText(
              `{"id":${method === 'PUT' ? path.split('/').at(-1) : '18446744073709551615'},"name":"x","path":"${path}","got":${body}}`,
            ),
          },
    );
    const outside = { port: stub.port, home };
    await runSvc(
      svc,
      ['task', 'list', '--list-id', '9007199254740993', '--id', '18446744073709551615'],
      outside,
    );
    expect(stub.asked.at(-1)?.query.get('list_id')).toBe('9007199254740993');
    expect(stub.asked.at(-1)?.query.get('id')).toBe('18446744073709551615');
    await runSvc(
      svc,
      ['task', 'update', '9007199254740995', '--data', '{"list_id":9007199254740993}', '--yes'],
      outside,
    );
    expect(stub.asked.at(-1)).toMatchObject({
      method: 'PUT',
      path: '/v1/task/9007199254740995',
      body: expect.stringContaining('"list_id":9007199254740993'),
    });
    await runSvc(svc, ['task', 'update', '9007199254740995', '--list', '9007199254740993', '--yes'], outside);
    expect(stub.asked.at(-1)?.body).toContain('"list_id":9007199254740993');
    const raw = await runSvc(svc, ['api', 'POST', '/v1/form', '--data', '{"n":9007199254740993}'], outside);
    expect(raw.stdout).toContain('"id":18446744073709551615');
    expect(raw.stdout).toContain('"got":{"n":9007199254740993}');
    const queried = await runSvc(
      svc,
      ['api', 'POST', '/v1/form', '--data', '{"n":9007199254740993}', '--query', 'response.data.[id, got.n]'],
      outside,
    );
    expect(queried.stdout).toMatch(/18446744073709551615\s+9007199254740993/);
  });

  it('keep every digit when svc api joins pages, and neighbours stay distinct', async () => {
    const ids = ['9007199254740992', '9007199254740993', '9007199254740994', '18446744073709551615'];
    await using stub = await startStub(folderService(new Map(ids.map((id) => [id, 'same']))));
    const run = await runSvc(svc, ['api', 'GET', '/v1/folder', '--paginate'], { port: stub.port, home });
    expect(run.code).toBe(0);
    expect([...run.stdout.matchAll(/"id":([0-9]+)/g)].map(([, id]) => id)).toEqual(ids);
    expect(stub.asked.map(({ query }) => query.get('start'))).toEqual([null, '9007199254740994']);
  });
});
