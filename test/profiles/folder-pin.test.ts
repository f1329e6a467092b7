/** Contract, "Partners and many companies": `.svc.json` pins a profile and a company for a working folder. */
import { writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findFolderPinnedToProfile } from '../../src/client/profiles/folder-pin.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

let folder: string;
beforeEach(async () => {
  folder = await makeTemporaryFolder('pin');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const owner = { platform: process.platform, uid: process.getuid?.() };
const pinOf = (text: string) => {
  writeFileSync(join(folder, '.svc.json'), text, { mode: 0o600 });
  return findFolderPinnedToProfile(folder, owner);
};

it.each([
  ['{"profile":"agency","company":12}', { profile: 'agency', company: '12' }],
  ['\ufeff{"company":"profile: 12"}', { profile: undefined, company: 'profile: 12' }],
  ['{"company":"\\"company\\": 3"}', { profile: undefined, company: '"company": 3' }],
])('reads %s', (text, expected) => {
  expect(pinOf(text)).toMatchObject(expected);
});

it.each([
  ['{"profile":"agency","company":12,"company":13}', 'company'],
  ['{"profile":"agency","profile":"agency"}', 'profile'],
  ['{"profile":"agency",\n  "pro\\u0066ile" : "production"}', 'profile'],
])('rejects a duplicate member: %s', (text, name) => {
  expect(() => pinOf(text)).toThrow(`${join(folder, '.svc.json')}: "${name}" is given twice`);
});
