/** Turns a TypeScript module into something that a real child process can import: Node 20 can't read TypeScript. */
import { chmod, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { rawText } from '../../.config/raw-text.js';
import { onceInRun } from './once-in-run.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

/** Puts a command `svc` into a folder, to be found by PATH: the bundled program. @param script of `bundleForNode` */
export async function installSvc(folder: string, script: string): Promise<void> {
  await writeFile(join(folder, 'svc'), `#!/bin/sh\nexec ${process.execPath} ${script} "$@"\n`);
  await chmod(join(folder, 'svc'), 0o755);
}

/**
 * The path of an `.mjs` with all that `entry` needs inside (native packages stay outside and are found beside it), in a new temporary
 * directory that is the caller's to remove. An entry is bundled once in a run.
 */
export async function bundleForNode(entry: string): Promise<string> {
  const made = await onceInRun(entry.replaceAll('/', '-'), (folder) => writeBundle(entry, folder));
  const own = join(await makeTemporaryFolder('bundle'), 'entry.mjs');
  // Node looks for what a module imports where the module really is.
  await symlink(join(made, 'entry.mjs'), own);
  return own;
}

async function writeBundle(entry: string, dir: string): Promise<void> {
  const bundle = await rolldown({
    input: { entry },
    platform: 'node',
    external: ['libsql'],
    plugins: [rawText()],
    logLevel: 'silent',
  });
  try {
    await bundle.write({
      dir,
      format: 'esm',
      entryFileNames: '[name].mjs',
      chunkFileNames: '[name]-[hash].mjs',
    });
  } finally {
    await bundle.close();
  }
  await symlink(resolve('node_modules'), join(dir, 'node_modules'));
}
