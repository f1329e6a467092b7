/**
 * Style: every exported value has an importer. If only tests import it, it is part of the file's interface, and its own test imports it.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = new URL('..', import.meta.url).pathname;
const files = new Map(
  ['src', 'test', 'bench', 'bin', '.config'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.[jt]s$/.test(name))
      .map((name) => [`${folder}/${name}`, readFileSync(join(ROOT, folder, name), 'utf8')] as const),
  ),
);
const wordsByFile = new Map([...files].map(([file, text]) => [file, new Set(text.match(/\w+/g))]));

it.each([...files].filter(([file]) => file.startsWith('src/')))(
  '%s exports no value without an importer',
  (file, text) => {
    const names = [...text.matchAll(/^export (?:async )?(?:function\*?|const|class) (\w+)/gm)].map(
      ([, name]) => name ?? '',
    );
    const others = [...wordsByFile].filter(([other]) => other !== file).map(([, words]) => words);
    expect(names.filter((name) => !others.some((words) => words.has(name)))).toEqual([]);
  },
);
