/** Writes the files of this version to `test/upgrades/VERSION`. Run `node .config/upgrade-fixtures.js`: see test/upgrades/README.md. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runTypescript } from './run-typescript.js';

const pathOf = (file) => fileURLToPath(new URL(`../${file}`, import.meta.url));
const { version } = JSON.parse(readFileSync(pathOf('package.json'), 'utf8'));
const folder = pathOf(`test/upgrades/${version}`);
if (existsSync(folder)) {
  process.stderr.write(
    `test/upgrades/${version} exists\nHint: do not edit the folder of a release; see test/upgrades/README.md\n`,
  );
  process.exitCode = 2;
} else {
  const { writeFixtures } = await runTypescript(pathOf('test/upgrades/write.ts'));
  await writeFixtures(folder);
}
