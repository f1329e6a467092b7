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
import { openAliasStore } from '../../src/profiles/aliases.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

let home: string;
beforeEach(async () => {
  home = await makeTemporaryFolder('aliases');
});
afterEach(() => rm(home, { recursive: true, force: true }));

const open = () => openAliasStore({ configDir: join(home, 'svc'), platform: 'linux' });
const file = (): string => join(home, 'svc', 'aliases.json');

describe('the file of aliases', () => {
  it('is for this user alone, sorted, and read back unchanged', async () => {
    expect(await open().list()).toEqual(new Map());
    await open().set('mine', 'task list --name "$1"');
    await open().set('a', 'folder list');
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(file(), 'utf8'))).toEqual({
      version: 1,
      aliases: { a: 'folder list', mine: 'task list --name "$1"' },
    });
    expect([...(await open().list())]).toEqual([
      ['a', 'folder list'],
      ['mine', 'task list --name "$1"'],
    ]);
  });

  it('keeps all of several aliases that are set at once', async () => {
    await Promise.all(['a', 'b', 'c', 'd'].map((name) => open().set(name, 'folder list')));
    expect([...(await open().list()).keys()]).toEqual(['a', 'b', 'c', 'd']);
  });

  it('says whether there was an alias to remove', async () => {
    await open().set('a', 'folder list');
    expect([await open().remove('a'), await open().remove('a')]).toEqual([true, false]);
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
    ['of another shape', () => writeFileSync(file(), '{"version":1,"aliases":{"a":3}}')],
    ['of a newer version', () => writeFileSync(file(), '{"version":2,"aliases":{}}')],
    [
      'with a name that svc would not set',
      () => writeFileSync(file(), '{"version":1,"aliases":{"../x":"a"}}'),
    ],
  ])('is refused if it is %s, and left unchanged', async (_, spoil) => {
    await open().set('a', 'folder list');
    spoil();
    const refused = { name: 'ProfileError', kind: 'storage' };
    await expect(open().list()).rejects.toMatchObject(refused);
    await expect(open().set('b', 'folder list')).rejects.toMatchObject(refused);
  });

  it('is refused in a folder that others may write to', async () => {
    mkdirSync(join(home, 'svc'));
    chmodSync(join(home, 'svc'), 0o777);
    await expect(open().set('a', 'folder list')).rejects.toMatchObject({ kind: 'storage' });
  });

  it('does not exist without a home folder, and no alias can be set', async () => {
    const nowhere = openAliasStore({ configDir: '', platform: 'linux' });
    expect(await nowhere.list()).toEqual(new Map());
    await expect(nowhere.set('a', 'folder list')).rejects.toMatchObject({ kind: 'storage' });
  });
});
