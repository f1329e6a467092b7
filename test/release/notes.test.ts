/** The text of a release is the section of its version in CHANGELOG.md. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { notesOf } from '../../.config/release/notes.js';
import about from '../../package.json' with { type: 'json' };

const CHANGELOG = [
  '# Changelog',
  '## [Unreleased]',
  '',
  '- Next',
  '',
  '## [1.1.0] - 2026-12-01',
  '',
  '### Added',
  '',
  '- A tool',
  '',
  '## [1.0.0] - 2026-11-01',
  '',
  '- First',
  '',
  '[1.0.0]: https://svc.example/releases/v1.0.0',
  '',
].join('\n');

describe('the notes of a release', () => {
  it.each([
    ['1.1.0', '### Added\n\n- A tool\n'],
    ['1.0.0', '- First\n'],
    ['1.2.0-rc.1', '- Next\n'],
  ])('of %s are its section', (version, notes) => expect(notesOf(CHANGELOG, version)).toBe(notes));

  it.each(['1.2.0', '1.1', '0.9.0'])('of %s do not exist', (version) =>
    expect(() => notesOf(CHANGELOG, version)).toThrow(`no changes for ${version}`),
  );

  it('of a pre-release of this version are in CHANGELOG.md', () => {
    const changelog = readFileSync(new URL('../../CHANGELOG.md', import.meta.url), 'utf8');
    expect(notesOf(changelog, `${about.version}-rc.1`)).toMatch(/^- /m);
  });
});
