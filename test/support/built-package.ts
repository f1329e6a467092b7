/** The installed package: `bin/` beside a fresh `dist/`, in a separate folder. */
import { chmod, cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { onceInRun } from './once-in-run.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

const CONFIGS = ['.config/rolldown.config.js', '.config/rolldown.complete.config.js'];

/**
 * Builds the package, once in a run.
 * @returns a folder for PATH with `svc` in it. The caller must remove the folder around it.
 */
export async function buildPackage(): Promise<{ readonly folder: string; readonly path: string }> {
  const built = await onceInRun('package', writePackage);
  const folder = await makeTemporaryFolder('package');
  await cp(built, folder, { recursive: true, verbatimSymlinks: true });
  const path = join(folder, 'path');
  await mkdir(path);
  await symlink(join(folder, 'bin', 'svc.js'), join(path, 'svc'));
  return { folder, path };
}

/**
 * Returns the path of a script that runs the built program, in a new temporary folder that the caller must remove. All processes of a run
 * share V8's compiled code, whatever their home is, so each starts in two thirds of the time.
 */
export async function builtSvc(): Promise<string> {
  const built = await onceInRun('package', writePackage);
  const script = join(await makeTemporaryFolder('built'), 'svc.cjs');
  const quoted = (...path: string[]): string => JSON.stringify(join(built, ...path));
  // It is not in the package, which other tests copy while processes write here.
  const compiled = JSON.stringify(`${built}-compiled`);
  await writeFile(
    script,
    `const { enableCompileCache } = require('node:module');
enableCompileCache?.(${compiled});
const { main, realContext } = enableCompileCache
  ? require(${quoted('dist', 'main.cjs')})
  : require(${quoted('bin', 'compiled-code.js')}).requireCompiled(${quoted('dist', 'main.cjs')}, ${compiled});
main(process.argv.slice(2), realContext()).then((code) => {
  process.exitCode = code;
});
`,
  );
  return script;
}

async function writePackage(folder: string): Promise<void> {
  await cp('bin', join(folder, 'bin'), { recursive: true });
  // Bundles in a separate process, because rolldown takes 560 MB, which a worker would never release. With source maps it takes 780 MB.
  const flags = ['--dir', join(folder, 'dist'), '--no-minify', '--no-sourcemap'];
  for (const config of CONFIGS) await execa('node_modules/.bin/rolldown', ['-c', config, ...flags]);
  await cp('package.json', join(folder, 'package.json'));
  await symlink(resolve('node_modules'), join(folder, 'node_modules'));
  await chmod(join(folder, 'bin', 'svc.js'), 0o755);
}
