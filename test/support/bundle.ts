/** Bundles a TypeScript module, so that a real child process can import it: Node 20 cannot read TypeScript. */
import { chmod, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { rawText } from '../../.config/raw-text.js';
import { onceInRun } from './once-in-run.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

/**
 * Puts a command `svc`, the bundled program, into a folder for PATH.
 * @param script of `bundleForNode`
 */
export async function installSvc(folder: string, script: string): Promise<void> {
  await writeFile(join(folder, 'svc'), `#!/bin/sh\nexec ${process.execPath} ${script} "$@"\n`);
  await chmod(join(folder, 'svc'), 0o755);
}

/**
 * Returns the path of an `.mjs` that contains everything `entry` needs. Native packages stay outside, and the file finds them beside it.
 * The file is in a new temporary directory that the caller must remove. Each entry is bundled once in a run.
 */
export async function bundleForNode(entry: string): Promise<string> {
  const made = await onceInRun(entry.replaceAll('/', '-'), (folder) => writeBundle(entry, folder));
  const own = join(await makeTemporaryFolder('bundle'), 'entry.mjs');
  // Node resolves imports from the real path of a module.
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
