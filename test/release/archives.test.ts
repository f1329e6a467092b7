/** docs/install.md, "Reproducible": the bytes of an archive follow from its entries. Other programs can read the archives. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { arOf, filesOf, gzipped, readTgz, tarOf, zipOf } from '../../.config/release/archives.js';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const SECONDS = 1_760_000_000;
const ENTRIES = [
  { path: 'bin/', mode: 0o755 },
  { path: 'bin/svc', data: 'the program\n', mode: 0o755 },
  { path: `${'deep/'.repeat(22)}page.1`, data: 'a page\n', mode: 0o644 },
  { path: 'empty', data: '', mode: 0o644 },
];
const FILES = ENTRIES.filter(({ data }) => data !== undefined);

let folder: string;
beforeAll(async () => {
  folder = await makeTemporaryFolder('archives');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a tar archive', () => {
  it('has the same bytes with any umask and zone', () => {
    const before = process.umask(0o077);
    const [zone, first] = [process.env['TZ'], tarOf(ENTRIES, SECONDS)];
    try {
      process.umask(0o002);
      process.env['TZ'] = 'Asia/Tokyo';
      expect(tarOf(ENTRIES, SECONDS).equals(first)).toBe(true);
    } finally {
      process.umask(before);
      if (zone === undefined) delete process.env['TZ'];
      else process.env['TZ'] = zone;
    }
  });

  it('is read by tar, with modes, times, and names that need two fields', () => {
    writeFileSync(join(folder, 'all.tar.gz'), gzipped(tarOf(ENTRIES, SECONDS)));
    const to = join(folder, 'unpacked');
    mkdirSync(to);
    execFileSync('tar', ['-xpzf', join(folder, 'all.tar.gz'), '-C', to]);
    for (const { path, data = '', mode } of FILES) {
      expect(readFileSync(join(to, path), 'utf8')).toBe(data);
      const found = statSync(join(to, path));
      expect([found.mode & 0o777, found.mtimeMs]).toEqual([mode, SECONDS * 1000]);
    }
  });

  it('is read by our own reader, which also reads one from npm', () => {
    const asText = (files: ReturnType<typeof filesOf>) =>
      files.map(({ path, data, mode }) => ({ path, data: `${data}`, mode }));
    expect(asText(filesOf(tarOf(ENTRIES, SECONDS)))).toEqual(FILES);
    execFileSync('tar', [
      '-czf',
      join(folder, 'theirs.tgz'),
      '--format=pax',
      '-C',
      join(folder, 'unpacked'),
      ...FILES.map(({ path }) => path),
    ]);
    expect(asText(readTgz(readFileSync(join(folder, 'theirs.tgz'))))).toEqual(FILES);
  });

  it('rejects a name that does not fit', () => {
    expect(() => tarOf([{ path: 'x'.repeat(101), data: '' }], SECONDS)).toThrow('too long for a tar archive');
  });
});

it.skipIf(spawnSync('python3', ['--version']).status !== 0)('a zip archive is read by Python', () => {
  writeFileSync(join(folder, 'all.zip'), zipOf(FILES, SECONDS));
  const script = [
    'import sys, zipfile, json',
    'z = zipfile.ZipFile(sys.argv[1])',
    'assert z.testzip() is None',
    'print(json.dumps([[i.filename, z.read(i).decode(), i.external_attr >> 16 & 0o777, i.date_time[0]] for i in z.infolist()]))',
  ].join('\n');
  const said = execFileSync('python3', ['-c', script, join(folder, 'all.zip')], { encoding: 'utf8' });
  expect(JSON.parse(said)).toEqual(FILES.map(({ path, data, mode }) => [path, data, mode, 2025]));
});

it.skipIf(spawnSync('ar', ['--version']).status !== 0)('an ar archive is read by ar', () => {
  const file = join(folder, 'all.a');
  writeFileSync(
    file,
    arOf(
      [
        { path: 'debian-binary', data: '2.0\n' },
        { path: 'odd', data: 'odd' },
        { path: 'last', data: 'x' },
      ],
      SECONDS,
    ),
  );
  expect(execFileSync('ar', ['t', file], { encoding: 'utf8' })).toBe('debian-binary\nodd\nlast\n');
  expect(execFileSync('ar', ['p', file], { encoding: 'utf8' })).toBe('2.0\noddx');
});
