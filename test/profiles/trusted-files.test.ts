import {
  chmodSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTrustedFileStore } from '../../src/client/profiles/trusted-files.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

let home: string;
beforeEach(async () => {
  home = await makeTemporaryFolder('trusted');
});
afterEach(() => rm(home, { recursive: true, force: true }));

const open = () => openTrustedFileStore({ configDir: join(home, 'svc'), platform: 'linux' });
const file = (): string => join(home, 'svc', 'trusted-files.json');
const [SHA, OTHER_SHA] = ['a'.repeat(64), 'b'.repeat(64)] as const;

describe('the file of trusted files', () => {
  it('is for this user alone, sorted, and read back unchanged', async () => {
    expect(await open().list()).toEqual(new Map());
    await open().set('/home/ada/.svc.json', SHA);
    await open().set('/a/.svc.json', OTHER_SHA);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(file(), 'utf8'))).toEqual({
      version: 1,
      files: { '/a/.svc.json': OTHER_SHA, '/home/ada/.svc.json': SHA },
    });
    expect([...(await open().list())]).toEqual([
      ['/a/.svc.json', OTHER_SHA],
      ['/home/ada/.svc.json', SHA],
    ]);
  });

  it('keeps all of several files that are set at once', async () => {
    const paths = ['/a', '/b', '/c', '/d'];
    await Promise.all(paths.map((path) => open().set(path, SHA)));
    expect([...(await open().list()).keys()]).toEqual(paths);
  });

  it('says whether there was a file to remove', async () => {
    await open().set('/a', SHA);
    expect([await open().remove('/a'), await open().remove('/a')]).toEqual([true, false]);
  });

  it.each<[string, () => void]>([
    ['open to others', () => chmodSync(file(), 0o644)],
    [
      'a link',
      () => {
        unlinkSync(file());
        symlinkSync('/etc/hosts', file());
      },
    ],
    ['not JSON', () => writeFileSync(file(), '{')],
    ['of another shape', () => writeFileSync(file(), '{"version":1,"files":{"/a":3}}')],
    ['of a newer version', () => writeFileSync(file(), '{"version":2,"files":{}}')],
    ['with a relative path', () => writeFileSync(file(), `{"version":1,"files":{"a":"${SHA}"}}`)],
    ['with another digest', () => writeFileSync(file(), '{"version":1,"files":{"/a":"abc"}}')],
  ])('is refused if it is %s, and left unchanged', async (_, spoil) => {
    await open().set('/a', SHA);
    spoil();
    const content = readFileSync(file(), 'utf8');
    const refused = { name: 'ProfileError', kind: 'storage' };
    await expect(open().list()).rejects.toMatchObject(refused);
    await expect(open().set('/b', SHA)).rejects.toMatchObject(refused);
    expect(readFileSync(file(), 'utf8')).toBe(content);
  });

  it('is refused in a folder that others may write to', async () => {
    mkdirSync(join(home, 'svc'));
    chmodSync(join(home, 'svc'), 0o777);
    await expect(open().set('/a', SHA)).rejects.toMatchObject({ kind: 'storage' });
  });

  it('does not exist without a home folder, and nothing can be trusted', async () => {
    const nowhere = openTrustedFileStore({ configDir: '', platform: 'linux' });
    expect(await nowhere.list()).toEqual(new Map());
    await expect(nowhere.set('/a', SHA)).rejects.toMatchObject({ kind: 'storage' });
  });
});
