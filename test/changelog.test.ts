/** CHANGELOG.md has the form of Keep a Changelog 1.1.0. Releases and their scripts find a version's entries by its heading. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const ROOT = new URL('../', import.meta.url);
const GROUPS = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];

/** Returns the faults of a changelog, each with its line. */
function faultsIn(text: string): readonly string[] {
  const faults: string[] = [];
  const versions: string[] = [];
  let groups: string[] = [];
  let entries = 0;
  const endGroup = (line: number): void => {
    if (groups.length > 0 && entries === 0) faults.push(`${line}: ${groups.at(-1)} has no entry`);
    entries = 0;
  };
  for (const [at, line] of `${text}\n## end`.split('\n').entries()) {
    const n = at + 1;
    if (line.startsWith('## ')) {
      endGroup(n);
      groups = [];
      if (line === '## end') break;
      const [, version = '', date] = /^## \[([^\]]+)\](?: - (\S+))?$/.exec(line) ?? [];
      if (version === '') faults.push(`${n}: a version is written [1.2.3] - 2026-12-31`);
      else if (version === 'Unreleased' ? versions.length > 0 || date !== undefined : !isDate(date))
        faults.push(`${n}: ${version} has a wrong place or date`);
      const before = versions.at(-1);
      if (before !== undefined && before !== 'Unreleased' && !isNewerVersion(before, version))
        faults.push(`${n}: ${version} must come before ${before}`);
      versions.push(version);
    } else if (line.startsWith('### ')) {
      endGroup(n);
      const group = line.slice(4);
      if (!GROUPS.includes(group)) faults.push(`${n}: no group is called ${group}`);
      if (GROUPS.indexOf(group) <= GROUPS.indexOf(groups.at(-1) ?? ''))
        faults.push(`${n}: ${group} is out of order`);
      if (versions.length === 0) faults.push(`${n}: ${group} is in no version`);
      groups.push(group);
    } else if (line.startsWith('- ')) {
      entries += 1;
      if (groups.length === 0) faults.push(`${n}: an entry is in no group`);
    } else if (/^#/.test(line) && at > 0) faults.push(`${n}: an unknown heading`);
  }
  if (!text.startsWith('# Changelog\n')) faults.push('1: the title is missing');
  if (versions[0] !== 'Unreleased') faults.push('1: [Unreleased] is not the first version');
  return faults;
}

/** Compares version numbers as numbers, part by part. */
function isNewerVersion(version: string, other: string): boolean {
  const [a = [], b = []] = [version, other].map((text) => text.split('.').map(Number));
  const at = a.findIndex((number, index) => number !== b[index]);
  return at >= 0 && (a[at] ?? 0) > (b[at] ?? 0);
}

const isDate = (text = ''): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) &&
  !Number.isNaN(Date.parse(text)) &&
  new Date(text).toISOString().startsWith(text);

describe('CHANGELOG.md', () => {
  const text = readFileSync(new URL('CHANGELOG.md', ROOT), 'utf8');

  it('has the form of Keep a Changelog', () => {
    expect(faultsIn(text)).toEqual([]);
  });

  it('links the format and the meaning of versions, and each link has a target', () => {
    expect(text).toContain('https://keepachangelog.com/en/1.1.0/');
    expect(text).toContain('https://semver.org/');
    const versions = [...text.matchAll(/^## \[([^\]]+)\]/gm)].map(([, version]) => version);
    const defined = [...text.matchAll(/^\[([^\]]+)\]: https:\/\/\S+$/gm)].map(([, version]) => version);
    // Without the address of the repository, no version has a link. With it, each version has one.
    expect(defined).toEqual(defined.length === 0 ? [] : versions);
  });

  it('has files of each released version in test/upgrades', () => {
    for (const [, version] of text.matchAll(/^## \[(\d[^\]]*)\]/gm))
      expect([version, existsSync(new URL(`test/upgrades/${version}`, ROOT))]).toEqual([version, true]);
  });
});

describe('the check of the form', () => {
  const HEAD = '# Changelog\n\n## [Unreleased]\n\n';
  const RELEASED = '### Added\n\n- One\n\n## [0.2.0] - 2026-12-01\n\n### Fixed\n\n- Two\n\n';

  it('accepts versions with dates, newest first', () => {
    expect(faultsIn(`${HEAD}${RELEASED}## [0.1.0] - 2026-11-01\n\n### Added\n\n- Three\n`)).toEqual([]);
  });

  it.each([
    ['an entry outside of a group', `${HEAD}- One\n`, 'in no group'],
    ['another group', `${HEAD}### News\n\n- One\n`, 'no group is called News'],
    ['groups in another order', `${HEAD}### Fixed\n\n- One\n\n### Added\n\n- Two\n`, 'Added is out of order'],
    ['a group twice', `${HEAD}### Added\n\n- One\n\n### Added\n\n- Two\n`, 'Added is out of order'],
    ['an empty group', `${HEAD}### Added\n\n### Fixed\n\n- One\n`, 'Added has no entry'],
    ['no date', `${HEAD}## [0.1.0]\n`, '0.1.0 has a wrong place or date'],
    ['a day that does not exist', `${HEAD}## [0.1.0] - 2026-02-30\n`, '0.1.0 has a wrong place or date'],
    ['a date in another order', `${HEAD}## [0.1.0] - 01-02-2026\n`, '0.1.0 has a wrong place or date'],
    ['an older version first', `${HEAD}${RELEASED}## [0.3.0] - 2026-12-02\n`, '0.3.0 must come before 0.2.0'],
    ['no brackets', `${HEAD}## 0.1.0 - 2026-12-01\n`, 'a version is written'],
    ['nothing unreleased', '# Changelog\n\n## [0.1.0] - 2026-12-01\n', '[Unreleased] is not the first'],
  ])('names %s', (_, text, fault) => {
    expect(faultsIn(text).join('\n')).toContain(fault);
  });
});
