/** docs/install.md, "Homebrew and Scoop": both have the addresses and the checksums of the release. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { containerFile, managerFiles } from '../../.config/release/managers.js';

const TARGETS = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64', 'win-x64'];
const archives = new Map(
  TARGETS.map((target, at) => {
    const ending = target === 'win-x64' ? 'zip' : 'tar.gz';
    return [target, { name: `svc-1.2.3-${target}.${ending}`, sha256: `${at}`.repeat(64) }] as const;
  }),
);
const homepage = 'https://svc.example';
const about = { version: '1.2.3', homepage, baseUrl: 'https://files.example/v1.2.3', archives };

describe('the files for package managers', () => {
  const files = managerFiles(about);

  it('include a formula with each archive for macOS and Linux beside its checksum', () => {
    const pairs = [
      ...(files.get('svc.rb') ?? '').matchAll(/on_(arm|intel) do\n +url "([^"]+)"\n +sha256 "([^"]+)"/g),
    ];
    const expected = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64'].map((target, at) => [
      target.endsWith('arm64') ? 'arm' : 'intel',
      `https://files.example/v1.2.3/svc-1.2.3-${target}.tar.gz`,
      `${at}`.repeat(64),
    ]);
    expect(pairs.map((found) => found.slice(1))).toEqual(expected);
    expect(files.get('svc.rb')).toContain(`  homepage "${homepage}"\n`);
  });

  it('include a manifest with the archive for Windows and the folder in it', () => {
    expect(JSON.parse(files.get('svc.json') ?? '')).toMatchObject({
      version: '1.2.3',
      architecture: {
        '64bit': {
          url: 'https://files.example/v1.2.3/svc-1.2.3-win-x64.zip',
          hash: '4'.repeat(64),
          extract_dir: 'svc-1.2.3-win-x64',
        },
      },
      bin: 'svc.exe',
      notes: [expect.stringContaining('svc completion powershell >> $PROFILE')],
    });
  });

  it('tell the managers how to find newer versions on GitHub, and on no other site', () => {
    const repository = 'https://github.com/team/svc';
    const baseUrl = `${repository}/releases/download/v1.2.3`;
    const found = managerFiles({ ...about, homepage: repository, baseUrl });
    expect(found.get('svc.rb')).toContain(
      `  livecheck do\n    url "${repository}"\n    strategy :github_latest\n  end\n`,
    );
    expect(JSON.parse(found.get('svc.json') ?? '')).toMatchObject({
      checkver: { github: repository },
      autoupdate: {
        architecture: {
          '64bit': {
            url: `${repository}/releases/download/v$version/svc-$version-win-x64.zip`,
            extract_dir: 'svc-$version-win-x64',
          },
        },
      },
    });
    expect([...files.values()].filter((text) => /livecheck|checkver/.test(text))).toEqual([]);
  });

  it('do not include a manager whose systems are not complete', () => {
    const only = (...targets: string[]) =>
      new Map([...archives].filter(([target]) => targets.includes(target)));
    expect([...managerFiles({ ...about, archives: only('linux-x64') }).keys()]).toEqual([]);
    expect([...managerFiles({ ...about, archives: only('win-x64') }).keys()]).toEqual(['svc.json']);
  });

  it.skipIf(spawnSync('ruby', ['--version']).status !== 0)('Ruby reads the formula', () => {
    expect(execFileSync('ruby', ['-c'], { input: files.get('svc.rb'), encoding: 'utf8' })).toBe(
      'Syntax OK\n',
    );
  });
});

describe('the Containerfile of a release', () => {
  it('has the labels of the release, and no gap', () => {
    const template = readFileSync('.config/release/Containerfile', 'utf8');
    const text = containerFile(template, { version: '1.2.3', homepage, commit: 'c0ffee' });
    const labels = [...text.matchAll(/^LABEL org\.opencontainers\.image\.(\w+)="([^"]+)"$/gm)];
    expect(Object.fromEntries(labels.map(([, name, value]) => [name, value]))).toMatchObject({
      ...{ title: 'svc', licenses: 'MIT', version: '1.2.3', url: homepage, revision: 'c0ffee' },
    });
    expect(text).not.toMatch(/\{(?!TARGETARCH|BASE)/);
  });
});
