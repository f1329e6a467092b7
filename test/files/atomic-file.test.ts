import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAtomicFile } from '../../src/files/atomic-file.ts';

// Acceptance, S4: written beside, on disk, renamed, and the name on disk too.

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-atomic-'));
  path = join(folder, 'file');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('an atomic file', () => {
  it('is there under its name once it is committed, 0600, and not before', () => {
    const file = createAtomicFile(path);
    file.write('one, ');
    file.write('zwölf');
    expect(existsSync(path)).toBe(false);
    file.commit();
    expect(readFileSync(path, 'utf8')).toBe('one, zwölf');
    expect(statSync(path).mode & 0o7777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['file']);
  });

  it('that is aborted keeps the previous file, and leaves nothing next to it', () => {
    writeFileSync(path, 'old');
    const file = createAtomicFile(path);
    file.write('new');
    file.abort();
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(readdirSync(folder)).toEqual(['file']);
  });

  it("replaces links and the rest of a killed writer; the link's target stays", () => {
    writeFileSync(join(folder, 'victim'), 'kept');
    symlinkSync(join(folder, 'victim'), path);
    symlinkSync(join(folder, 'victim'), `${path}.part`);
    const file = createAtomicFile(path, { suffix: '.part' });
    file.write('new');
    file.commit();
    expect([readFileSync(path, 'utf8'), readFileSync(join(folder, 'victim'), 'utf8')]).toEqual([
      'new',
      'kept',
    ]);
    expect(readdirSync(folder).sort()).toEqual(['file', 'victim']);
  });

  it('that a library writes in place is committed unchanged', () => {
    const file = createAtomicFile(path);
    writeFileSync(file.beside, 'of a library');
    file.commit();
    expect(readFileSync(path, 'utf8')).toBe('of a library');
  });

  it('that another writer has started since is neither committed nor removed', () => {
    const first = createAtomicFile(path);
    const second = createAtomicFile(path);
    second.write('second');
    expect(() => first.commit()).toThrow(expect.objectContaining({ name: 'FileError', kind: 'held' }));
    first.abort();
    second.commit();
    expect(readFileSync(path, 'utf8')).toBe('second');
    expect(readdirSync(folder)).toEqual(['file']);
  });

  it('that cannot be created is refused with its name', () => {
    writeFileSync(path, '');
    expect(() => createAtomicFile(join(path, 'below'))).toThrow(
      expect.objectContaining({ kind: 'unusable', message: expect.stringContaining(join(path, 'below')) }),
    );
  });
});
