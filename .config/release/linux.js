/** Makes the Debian package and the RPM package. Both install almost the same files. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { arOf, gzipped, tarOf } from './archives.js';
import { TARGETS } from './parts.js';

const SUMMARY = 'command line and rehearsal sandbox for an e-mail and SMS service';
const DESCRIPTION = [
  'svc manages the folders, messages, subscribers, tasks and automation rules',
  'of a permission-based e-mail and SMS service. Its sandbox is the whole',
  'service on one machine, so that a campaign can be rehearsed before it is',
  'sent. The program includes Node.js, so you need not install it.',
];
/** Returns the version as Debian and RPM order it: 1.0.0~rc.1 is before 1.0.0. */
const packageVersion = (version) => version.replace('-', '~');

/**
 * Returns the files that a package installs, without folders, sorted by path.
 * @param executable the bytes of the program
 * @param root reads a file of the repository
 * @param pages the manual pages by name, such as `svc.1`
 * @param zsh the folder where the distribution's zsh looks for completions
 */
function treeOf({ executable, root, pages, notices, zsh, documents }) {
  const manual = [...pages].map(([name, text]) => ({
    path: `usr/share/man/man${name.at(-1)}/${name}.gz`,
    data: gzipped(text),
  }));
  const entries = [
    { path: 'usr/bin/svc', data: executable, mode: 0o755 },
    ...manual,
    { path: 'usr/share/bash-completion/completions/svc', data: root('completions/svc.bash') },
    { path: `${zsh}/_svc`, data: root('completions/_svc') },
    { path: 'usr/share/fish/vendor_completions.d/svc.fish', data: root('completions/svc.fish') },
    { path: 'usr/share/doc/svc/THIRD-PARTY-NOTICES.txt.gz', data: gzipped(notices) },
    ...documents,
  ];
  return entries.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Returns the folders of the entries, each before its content. */
function foldersOf(entries) {
  const folders = new Set();
  for (const { path } of entries)
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) folders.add(`${folder}/`);
  return [...folders].sort().map((path) => ({ path, mode: 0o755 }));
}

/** Returns the name and the bytes of a Debian package. @param about `{ version, seconds, date, homepage, maintainer, license, changelog }` */
export function debianPackage(target, about, parts) {
  const architecture = TARGETS[target].debian;
  const { seconds, maintainer, homepage } = about;
  const version = packageVersion(about.version);
  const documents = [
    { path: 'usr/share/doc/svc/copyright', data: copyright(about.license) },
    { path: 'usr/share/doc/svc/changelog.gz', data: gzipped(about.changelog) },
    { path: 'usr/share/doc/svc/changelog.Debian.gz', data: gzipped(debianChangelog(about)) },
    { path: 'usr/share/lintian/overrides/svc', data: OVERRIDES },
  ];
  const entries = treeOf({ ...parts, zsh: 'usr/share/zsh/vendor-completions', documents });
  const size = entries.reduce((sum, { data }) => sum + Math.ceil(data.length / 1024), 0);
  const sums = entries.map(({ path, data }) => `${createHash('md5').update(data).digest('hex')}  ${path}\n`);
  const control = [
    'Package: svc',
    `Version: ${version}-1`,
    `Architecture: ${architecture}`,
    `Maintainer: ${maintainer}`,
    `Homepage: ${homepage}`,
    `Installed-Size: ${size}`,
    'Depends: libc6 (>= 2.28), libgcc-s1 (>= 3.4), libstdc++6 (>= 8)',
    'Suggests: man-db, bash-completion',
    'Section: mail',
    'Priority: optional',
    `Description: ${SUMMARY}`,
    ...DESCRIPTION.map((line) => ` ${line}`),
    '',
  ].join('\n');
  const asTar = (files) => tarOf([{ path: './', mode: 0o755 }, ...files.map(belowDot)], seconds);
  const members = [
    { path: 'debian-binary', data: '2.0\n' },
    {
      path: 'control.tar.xz',
      data: xz(
        asTar([
          { path: 'control', data: control },
          { path: 'md5sums', data: sums.join('') },
        ]),
      ),
    },
    { path: 'data.tar.xz', data: xz(asTar([...foldersOf(entries), ...entries])) },
  ];
  return { name: `svc_${version}-1_${architecture}.deb`, octets: arOf(members, seconds) };
}

const belowDot = (entry) => ({ ...entry, path: `./${entry.path}` });

/** Compresses with one thread, because more give other bytes. Level 6 saves 1 % but takes four times as long. Lintian refuses zstd. */
function xz(octets) {
  return execFileSync('xz', ['--compress', '-1', '--threads=1', '--stdout'], {
    input: octets,
    maxBuffer: 2 ** 30,
  });
}

/** Tells lintian to allow embedded libraries, because Node has its own copies of the libraries that it uses. */
const OVERRIDES = [
  '# The program includes Node.js with the versions of these libraries that Node.js was tested with.',
  'svc: embedded-library *',
  '',
].join('\n');

function copyright(license) {
  const [, holder = ''] = /^Copyright \(c\) (.*)$/m.exec(license) ?? [];
  const text = license.slice(license.indexOf('Permission is')).trim();
  const indented = text.split('\n').map((line) => (line === '' ? ' .' : ` ${line}`));
  return [
    'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/',
    'Upstream-Name: svc',
    'Comment: The program includes Node.js and JavaScript packages. Their copyrights and',
    ' licenses are in /usr/share/doc/svc/THIRD-PARTY-NOTICES.txt.gz.',
    '',
    'Files: *',
    `Copyright: ${holder}`,
    'License: Expat',
    ...indented,
    '',
  ].join('\n');
}

function debianChangelog({ version, date, maintainer }) {
  const day = date.toUTCString().replace('GMT', '+0000');
  return `svc (${packageVersion(version)}-1) unstable; urgency=medium\n\n  * Version ${version}: see /usr/share/doc/svc/changelog.gz for the changes.\n\n -- ${maintainer}  ${day}\n`;
}

/** Reports whether the tool for Debian packages is installed. */
export const hasXz = () => spawnSync('xz', ['--version']).status === 0;
/** Reports whether the tool for RPM packages is installed. */
export const hasRpm = () => spawnSync('rpmbuild', ['--version']).status === 0;

/** Returns the name and the bytes of an RPM package. @param work a folder for temporary files, which this deletes first */
export function rpmPackage(target, about, parts, work) {
  const { rpm: architecture } = TARGETS[target];
  const { seconds } = about;
  const version = packageVersion(about.version);
  const documents = [
    { path: 'usr/share/licenses/svc/LICENSE', data: about.license },
    { path: 'usr/share/doc/svc/CHANGELOG.md', data: about.changelog },
  ];
  const entries = treeOf({ ...parts, zsh: 'usr/share/zsh/site-functions', documents });
  rmSync(work, { recursive: true, force: true });
  const root = join(work, 'root');
  for (const { path, data, mode = 0o644 } of entries) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    writeFileSync(join(root, path), data, { mode });
  }
  writeFileSync(join(work, 'svc.spec'), specOf(about, entries));
  const defines = {
    _topdir: work,
    _rpmdir: join(work, 'out'),
    _build_name_fmt: '%%{NAME}-%%{VERSION}-%%{RELEASE}.%%{ARCH}.rpm',
    _buildhost: 'localhost',
    _buildrootdir: work,
    _binary_payload: 'w9.zstdio',
    _build_id_links: 'none',
    __os_install_post: '%{nil}',
    __strip: '/bin/true',
    debug_package: '%{nil}',
    use_source_date_epoch_as_buildtime: '1',
    clamp_mtime_to_source_date_epoch: '1',
    source_date_epoch_from_changelog: '0',
    _dbpath: join(work, 'db'),
  };
  const words = Object.entries(defines).flatMap(([name, value]) => ['--define', `${name} ${value}`]);
  const options = ['-bb', '--quiet', '--target', `${architecture}-linux`, '--buildroot', `${root}-built`];
  const { status, stderr } = spawnSync('rpmbuild', [...options, ...words, join(work, 'svc.spec')], {
    encoding: 'utf8',
    env: { ...process.env, SOURCE_DATE_EPOCH: `${seconds}`, SVC_TREE: root, LC_ALL: 'C', TZ: 'UTC' },
  });
  if (status !== 0) throw new Error(`rpmbuild exited with ${status}: ${stderr}`);
  const name = `svc-${version}-1.${architecture}.rpm`;
  return { name, octets: readFileSync(join(work, 'out', name)) };
}

/** Folders that the package must own, because some systems do not have them. RPM removes an empty folder with its last owner. */
const OWN_FOLDERS = [
  ...['bash-completion', 'bash-completion/completions', 'doc/svc', 'fish', 'fish/vendor_completions.d'],
  ...['licenses', 'licenses/svc', 'zsh', 'zsh/site-functions'],
];

function specOf({ version, date, homepage, maintainer }, entries) {
  const [weekday, day, month, year] = date.toUTCString().split(/[ ,]+/);
  const files = entries.map(({ path, mode = 0o644 }) => {
    const kind = path.startsWith('usr/share/licenses/')
      ? '%license '
      : path.includes('/man/') || path.includes('/doc/')
        ? '%doc '
        : '';
    return `${kind}%attr(0${mode.toString(8)}, root, root) /${path}`;
  });
  return [
    'Name: svc',
    `Version: ${packageVersion(version)}`,
    'Release: 1',
    `Summary: ${SUMMARY[0].toUpperCase()}${SUMMARY.slice(1)}`,
    'License: MIT',
    'Group: Productivity/Networking/Email/Utilities',
    `URL: ${homepage}`,
    'AutoReqProv: no',
    'Requires: libc.so.6(GLIBC_2.28)(64bit), libstdc++.so.6()(64bit), libgcc_s.so.1()(64bit)',
    '',
    '%description',
    ...DESCRIPTION,
    '',
    '%prep',
    '%build',
    '',
    '%install',
    'rm -rf "%{buildroot}"',
    'cp -a "$SVC_TREE" "%{buildroot}"',
    '',
    '%files',
    ...OWN_FOLDERS.map((path) => `%dir %attr(0755, root, root) /usr/share/${path}`),
    ...files,
    '',
    '%changelog',
    `* ${weekday} ${month} ${day} ${year} ${maintainer} - ${packageVersion(version)}-1`,
    `- Version ${version}: see /usr/share/doc/svc/CHANGELOG.md for the changes.`,
    '',
  ].join('\n');
}
