/** Makes the files for package managers: a Homebrew formula and a Scoop manifest. */

const SUMMARY = 'Command line and rehearsal sandbox for an e-mail and SMS service';

/**
 * Returns the text of each file by its name. A package manager has no file unless the release has all its systems.
 * @param baseUrl the address of the published files, without a slash at the end
 * @param archives `{ name, sha256 }` of the archive of each target
 */
export function managerFiles({ version, homepage, baseUrl, archives }) {
  const facts = { version, summary: SUMMARY, homepage, license: 'MIT' };
  const found = (target) => {
    const archive = archives.get(target);
    return archive && { ...archive, url: `${baseUrl}/${archive.name}` };
  };
  const brewed = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64'].map(found);
  const scooped = found('win-x64');
  return new Map([
    ...(brewed.includes(undefined) ? [] : [['svc.rb', formula(facts, brewed)]]),
    ...(scooped === undefined ? [] : [['svc.json', manifest(facts, scooped)]]),
  ]);
}

/** Both managers know how to find the newest release of a repository on GitHub, and of no other site. */
const isOnGithub = (homepage) => /^https:\/\/github\.com\/[^/]+\/[^/]+$/.test(homepage);

function formula({ version, summary, homepage, license }, [macArm, macIntel, linuxArm, linuxIntel]) {
  const source = (on, { url, sha256 }) => [
    `    on_${on} do`,
    `      url "${url}"`,
    `      sha256 "${sha256}"`,
    '    end',
  ];
  return [
    'class Svc < Formula',
    `  desc "${summary}"`,
    `  homepage "${homepage}"`,
    `  version "${version}"`,
    `  license "${license}"`,
    '',
    '  on_macos do',
    ...source('arm', macArm),
    ...source('intel', macIntel),
    '  end',
    '',
    '  on_linux do',
    ...source('arm', linuxArm),
    ...source('intel', linuxIntel),
    '  end',
    '',
    ...(isOnGithub(homepage)
      ? ['  livecheck do', `    url "${homepage}"`, '    strategy :github_latest', '  end', '']
      : []),
    '  def install',
    '    bin.install "svc"',
    '    man1.install Dir["man/man1/*"]',
    '    man7.install Dir["man/man7/*"]',
    '    bash_completion.install "completions/svc.bash" => "svc"',
    '    zsh_completion.install "completions/_svc"',
    '    fish_completion.install "completions/svc.fish"',
    '  end',
    '',
    '  test do',
    '    assert_equal version.to_s, shell_output("#{bin}/svc --version").strip',
    '  end',
    'end',
    '',
  ].join('\n');
}

function manifest({ version, summary, homepage, license }, { url, sha256, name }) {
  const text = {
    version,
    description: summary,
    homepage,
    license,
    architecture: { '64bit': { url, hash: sha256, extract_dir: name.replace(/\.zip$/, '') } },
    bin: 'svc.exe',
    // Scoop has no place for completion scripts.
    notes: ['To complete words with TAB in PowerShell: svc completion powershell >> $PROFILE'],
    // Scoop finds newer versions, and makes their manifest itself.
    ...(isOnGithub(homepage)
      ? {
          checkver: { github: homepage },
          autoupdate: {
            architecture: {
              '64bit': {
                url: url.replaceAll(version, '$version'),
                extract_dir: name.replace(/\.zip$/, '').replaceAll(version, '$version'),
              },
            },
          },
        }
      : {}),
  };
  return `${JSON.stringify(text, null, 2)}\n`;
}

/**
 * Returns the Containerfile with the labels of the release.
 * @param template text with `{version}`, `{homepage}` and `{commit}`
 */
export const containerFile = (template, facts) =>
  template.replaceAll(/\{(version|homepage|commit)\}/g, (_, name) => facts[name]);
