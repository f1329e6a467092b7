import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeNullDevice } from './special-files.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';
import { faultOfNullDevice, watchMachine } from './untouched.ts';

// CONTRIBUTING, "Tests": the run fails, and names the path, if a test changed something outside its folder.

let folder: string;
beforeEach(async () => {
  folder = await makeTemporaryFolder('untouched');
  mkdirSync(join(folder, 'dev'));
  mkdirSync(join(folder, 'root'));
  writeFileSync(join(folder, 'root', 'README'), '');
});
afterEach(() => rmSync(folder, { recursive: true }));
const watch = () =>
  watchMachine({
    devices: join(folder, 'dev'),
    folders: [join(folder, 'root')],
    absent: [join(folder, 'home', 'svc')],
  });

it('reports nothing if nothing changed, and nothing about content', () => {
  const changes = watch();
  writeFileSync(join(folder, 'root', 'README'), 'new text');
  expect(changes()).toEqual([]);
});

it('reports a device that became a file, as a rename over it does', ({ skip }) => {
  const device = join(folder, 'dev', 'null');
  if (!makeNullDevice(device)) skip();
  const changes = watch();
  expect([changes(), faultOfNullDevice(device)]).toEqual([[], undefined]);
  writeFileSync(join(folder, 'new'), '', { mode: 0o600 });
  renameSync(join(folder, 'new'), device);
  expect(changes()).toEqual([expect.stringMatching(/\/dev\/null was a node .*, and is a file$/)]);
  expect(faultOfNullDevice(device)).toMatch(/null is a file, mode 600; it must be a device with mode 666$/);
});

it('reports a new file among devices, in a folder of the machine, and in a home', () => {
  const changes = watch();
  writeFileSync(join(folder, 'dev', 'null.part'), '');
  mkdirSync(join(folder, 'root', 'nonexistent'));
  mkdirSync(join(folder, 'home', 'svc'), { recursive: true });
  expect(changes()).toEqual([
    `${join(folder, 'dev', 'null.part')} is a new file`,
    `${join(folder, 'root', 'nonexistent')} is new`,
    `${join(folder, 'home', 'svc')} is new`,
  ]);
});

it('says that a missing null device is missing', () => {
  expect(faultOfNullDevice(join(folder, 'dev', 'null'))).toContain('is missing');
});
