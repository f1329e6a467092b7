/** The size of src may only fall (CONTRIBUTING.md, "Size"). `npm run size` prints the table, and writes what has fallen. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compareSizes, measureSizes, rowsOfSizes, type Sizes } from './support/size.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

const SRC = new URL('../src', import.meta.url).pathname;
const TABLE = join(SRC, 'size.json');
const STARTS = [
  'cli/nouns/task/create.ts',
  'cli/nouns/generic/list.ts',
  'cli/commands/mcp/call-tool.ts',
  'cli/commands/campaign/apply.ts',
];
/** `fall` writes the table unless a number has grown, `grow` writes it in any case. */
const WRITE = process.env['SVC_SIZE'];

describe('the size of src', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  const now = measureSizes(SRC, files.sort(), STARTS);
  const { grown, shrunk } = compareSizes(JSON.parse(readFileSync(TABLE, 'utf8')) as Sizes, now);
  if (WRITE !== undefined) {
    const width = Math.max(...rowsOfSizes(now).map(([name]) => name.length));
    console.log(
      rowsOfSizes(now)
        .map(([name, value]) => `${name.padEnd(width)} ${value}`)
        .join('\n'),
    );
    if (grown.length === 0 || WRITE === 'grow') writeFileSync(TABLE, `${JSON.stringify(now, null, 2)}\n`);
  }

  it('has not grown: shorten, or, for a new feature, run SVC_SIZE=grow npm run size', () => {
    expect(WRITE === 'grow' ? [] : grown).toEqual([]);
  });

  it('is in src/size.json: run npm run size to write what has fallen', () => {
    expect(WRITE === undefined ? shrunk : []).toEqual([]);
  });
});

describe('measureSizes', () => {
  it('counts lines, comments, casts, quoted members, and imports, but not what stands in texts', async () => {
    const sizes = await measure({
      'a.ts': [
        "import type { JsonObject } from './text/b.ts';",
        "import { one, two } from './text/b.ts';",
        '/** JsonObject as text */',
        "const url = 'http://JsonObject as string';",
        "export const x = (one as JsonObject)['name'] as const;",
        "export const y = (two as JsonObject)[0] ?? x['first name'];",
      ],
      'text/b.ts': [
        "import { z } from './c.ts';",
        'export const one: unknown = z;',
        'export const two = 2;',
        'export type JsonObject = {};',
      ],
      'text/c.ts': ["export const z = () => import('../cli/commands/d.ts');"],
      'cli/commands/d.ts': [
        "import { one } from '../../text/b.ts';",
        "export const q = import('../../text/c.ts');",
      ],
    });
    expect(sizes).toMatchObject({
      lines: 13,
      jsonObject: 4,
      quotedMembers: 2,
      casts: 2,
      dynamicImportsOfCommands: 1,
      // `two` and `JsonObject` in the first file, and `q` in the third. `one` and `z` have other numbers of users.
      exportsWithOneUser: 3,
      // The file that only import() needs is not counted.
      reach: { 'a.ts': { files: 3, lines: 11 } },
      rooms: { '.': { lines: 6 }, text: { lines: 5 }, 'cli/commands': { lines: 2 } },
    });
    expect(sizes.commentPercent).toBe(Math.ceil((25 / sizes.bytes) * 1000) / 10);
  });

  it('tells which numbers have grown, and which have fallen or gone', async () => {
    const before = await measure({ 'a.ts': ['1;', '2;'], 'text/b.ts': ['1;'] });
    const now = await measure({ 'a.ts': ['1;'], 'schema/c.ts': ['1;', "x['y'];"] });
    expect(compareSizes(before, now)).toEqual({
      grown: [
        'bytes: 9 → 14',
        'quotedMembers: 0 → 1',
        'room schema lines: 0 → 2',
        'room schema bytes: 0 → 11',
      ],
      shrunk: [
        'reach a.ts lines: 2 → 1',
        'room . lines: 2 → 1',
        'room . bytes: 6 → 3',
        'room text lines: 1 → gone',
        'room text bytes: 3 → gone',
      ],
    });
  });

  async function measure(files: Readonly<Record<string, readonly string[]>>): Promise<Sizes> {
    const folder = await makeTemporaryFolder('size');
    for (const [file, lines] of Object.entries(files)) {
      mkdirSync(join(folder, dirname(file)), { recursive: true });
      writeFileSync(join(folder, file), `${lines.join('\n')}\n`);
    }
    return measureSizes(folder, Object.keys(files), ['a.ts']);
  }
});
