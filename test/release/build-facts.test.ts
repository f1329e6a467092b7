/** `svc version --json` names the commit of the build, and says if files differ from it. */
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { commitOf } from '../../.config/build-facts.js';
import { withManList } from '../../.config/man-list.js';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const MANIFEST = '{\n  "name": "svc",\n  "files": [\n    "bin"\n  ]\n}\n';

let folder: string;
beforeAll(async () => {
  folder = await makeTemporaryFolder('commit');
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: folder });
  git('init', '--quiet');
  put(MANIFEST);
  git('add', '.');
  const who = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];
  git(...who, 'commit', '--quiet', '--message', 'First');
});
afterAll(() => rmSync(folder, { recursive: true }));

const put = (text: string, file = 'package.json'): void => writeFileSync(join(folder, file), text);

// npm runs `prepack`, which lists the manual pages in package.json, before `prepare`, which builds.
it('npm pack does not modify the commit', () => {
  expect(commitOf(folder)).toMatchObject({ isModified: false });
  put(withManList(MANIFEST, ['docs/man/svc.1']));
  expect(commitOf(folder)).toMatchObject({
    isModified: false,
    commit: expect.stringMatching(/^[0-9a-f]{40}$/),
  });
});

it('every other change does', () => {
  put(withManList(MANIFEST.replace('svc', 'other'), ['docs/man/svc.1']));
  expect(commitOf(folder)).toMatchObject({ isModified: true });
  put(withManList(MANIFEST, ['docs/man/svc.1']));
  put('', 'added.js');
  expect(commitOf(folder)).toMatchObject({ isModified: true });
});
