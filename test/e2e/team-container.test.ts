/**
 * The image of examples/team/Dockerfile, without a container engine. The test performs the instructions of its last stage in a folder.
 * That folder becomes the root of a process with the user, environment, command and health check of the image. It is read-only except for
 * its volume. The Node that runs this test replaces the official image. The test also provides the results of the first stage: the built
 * package, and the packages that `npm prune --omit=dev` leaves.
 *
 * The test does not cover the first stage, the official images, compose.yaml, and the network of an engine. podman once built and ran the
 * whole file, on Debian with Node 20 and 24 instead of the official image. The root was read-only, there were no capabilities, and two
 * containers used one PostgreSQL.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chown, cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { sandboxStart } from '../../src/cli/commands/sandbox/start.ts';
import { buildPackage } from '../support/built-package.ts';
import { authorityIn } from '../support/certificates.ts';
import { said } from '../support/child-said.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary-folder.ts';

/** The user of the official images. */
const NODE_USER = 1000;

interface Instruction {
  readonly word: string;
  readonly rest: string;
}

/** The instructions of the last stage, in their order. */
function lastStage(): readonly Instruction[] {
  const lines = readFileSync('examples/team/Dockerfile', 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'));
  const begin = lines.findLastIndex((line) => line.startsWith('FROM '));
  return lines.slice(begin + 1).map((line) => {
    const [word = '', ...rest] = line.split(' ');
    return { word, rest: rest.join(' ') };
  });
}

const stage = lastStage();
const only = (word: string): string => {
  const found = stage.filter((each) => each.word === word);
  expect([word, found.length]).toEqual([word, 1]);
  return found[0]?.rest ?? '';
};
/** Parses the form without a shell. `JSON.parse` rejects the form with one. */
const words = (text: string): readonly string[] => JSON.parse(text) as readonly string[];
const environment = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    only('ENV')
      .split(' ')
      .map((pair) => pair.split('=') as [string, string]),
  );

describe('the Dockerfile', () => {
  it('has no instruction that is not run below, and ends as a user that is not root', () => {
    const known = ['COPY', 'RUN', 'ENV', 'USER', 'VOLUME', 'EXPOSE', 'HEALTHCHECK', 'ENTRYPOINT', 'CMD'];
    expect(stage.map(({ word }) => word).filter((word) => !known.includes(word))).toEqual([]);
    expect(stage.findIndex(({ word }) => word === 'USER')).toBeGreaterThan(
      stage.findLastIndex(({ word }) => word === 'RUN'),
    );
    expect(only('USER')).toBe('node');
  });

  it('copies the input of its first stage: .dockerignore keeps it, and excludes keys', () => {
    const ignored = readFileSync('.dockerignore', 'utf8').split('\n');
    for (const path of ['src', 'bin', '.config', '.npmrc', 'package.json', 'package-lock.json', 'LICENSE'])
      expect(ignored).not.toContain(path);
    expect(ignored).toEqual(expect.arrayContaining(['.git', 'node_modules', '**/*.pem', '**/.env']));
  });
});

describe('compose.yaml', () => {
  const { services } = parse(readFileSync('examples/team/compose.yaml', 'utf8'));

  it('starts the image with flags that exist, and with no password among them or in the file', () => {
    const [noun, verb, ...flags] = services.sandbox.command as readonly string[];
    expect([noun, verb]).toEqual(['sandbox', 'start']);
    const known = sandboxStart.flags?.map(({ name }) => name);
    for (const flag of flags) expect(known).toContain(/^--([a-z-]+)=/.exec(flag)?.[1]);
    const isFromOutside = /^\$\{POSTGRES_PASSWORD:\?[^}]+\}$/;
    expect(services.sandbox.environment).toEqual({ PGPASSWORD: expect.stringMatching(isFromOutside) });
    expect(services.db.environment).toMatchObject({
      POSTGRES_PASSWORD: expect.stringMatching(isFromOutside),
    });
    expect(flags.join(' ')).not.toMatch(/:\/\/[^@/]*:/);
  });

  it('keeps the root read-only, and mounts the folders that the image writes and reads', () => {
    const { read_only, volumes, build } = services.sandbox;
    expect([read_only, build.dockerfile]).toEqual([true, 'examples/team/Dockerfile']);
    const targets = (volumes as readonly string[]).map((volume) => volume.split(':')[1]);
    expect(targets).toEqual(['/tls', only('VOLUME')]);
  });
});

const isRoot = process.platform === 'linux' && process.getuid?.() === 0;
/** chroot is among an administrator's programs. */
const OUTSIDE = { env: { PATH: `${process.env['PATH']}:/usr/sbin:/sbin` } };
const works = (program: string, ...args: readonly string[]): boolean =>
  spawnSync(program, args, { ...OUTSIDE, stdio: 'ignore' }).status === 0;
const canMount =
  works('unshare', '--mount', 'true') && works('nsenter', '--version') && works('openssl', 'version');

describe.runIf(isRoot && canMount)('the image (skipped without root, or if root may not mount)', () => {
  let built: Awaited<ReturnType<typeof buildPackage>>;
  let folder: string;
  let root: string;
  let data: string;
  let child: ChildProcess | undefined;
  beforeAll(async () => {
    built = await buildPackage();
    folder = await makeTemporaryFolder('container');
    [root, data] = [join(folder, 'root'), join(folder, 'data')];
    for (const each of [root, data]) await mkdir(each);
    await baseImage();
    for (const { word, rest } of stage) {
      if (word === 'COPY') await copy(rest);
      if (word === 'RUN')
        await execa(
          'chroot',
          [root, '/usr/bin/env', '-i', `PATH=${INSIDE.PATH}`, '/bin/sh', '-c', rest],
          OUTSIDE,
        );
    }
    // An engine fills a volume with the image's files, including their owner.
    await cp(join(root, only('VOLUME')), data, { recursive: true });
    await chown(data, NODE_USER, NODE_USER);
    await mkdir(join(root, 'tls'));
    const authority = authorityIn(folder);
    const issued = authority.issue('localhost', 'DNS:localhost');
    await cp(issued.key, join(root, 'tls', 'key.pem'));
    await cp(issued.cert, join(root, 'tls', 'cert.pem'));
    await cp(authority.ca, join(root, 'tls', 'ca.pem'));
    await chown(join(root, 'tls', 'key.pem'), NODE_USER, NODE_USER);
  });
  afterAll(async () => {
    child?.kill('SIGKILL');
    await Promise.all([built.folder, folder].map((each) => removeFolder(each)));
  });

  const INSIDE = { PATH: '/usr/local/bin:/usr/bin:/bin' };

  /** Adds Node, the C library, a shell with the commands that RUN needs, and the user. */
  async function baseImage(): Promise<void> {
    const programs = [
      '/bin/sh',
      '/bin/ln',
      '/bin/mkdir',
      '/bin/chown',
      '/bin/touch',
      '/usr/bin/env',
      '/usr/bin/id',
    ];
    for (const program of programs) await into(program, program);
    await into(process.execPath, '/usr/local/bin/node');
    const addons = readdirSync('node_modules/@libsql')
      .filter((name) => name.endsWith('-gnu'))
      .map((name) => join('node_modules/@libsql', name, 'index.node'));
    const listed = execFileSync('ldd', [process.execPath, ...programs, ...addons], { encoding: 'utf8' });
    for (const library of new Set(listed.match(/\/\S+(?= \(0x)/g))) await into(library, library);
    await mkdir(join(root, 'etc'));
    await writeFile(
      join(root, 'etc/passwd'),
      `root:x:0:0::/root:/bin/sh\nnode:x:${NODE_USER}:${NODE_USER}::/home/node:/bin/sh\n`,
    );
    await writeFile(join(root, 'etc/group'), `root:x:0:\nnode:x:${NODE_USER}:\n`);
    // An engine writes this file.
    await writeFile(join(root, 'etc/hosts'), '127.0.0.1 localhost\n');
    for (const each of ['dev', 'proc', 'tmp', 'home/node'])
      await mkdir(join(root, each), { recursive: true });
    await mkdir(join(root, 'usr/local/bin'), { recursive: true });
  }

  async function into(from: string, to: string): Promise<void> {
    await cp(from, join(root, to), { recursive: true, dereference: true, force: true });
  }

  /** Performs `--from=build /src/bin /app/bin`, with the files that the first stage leaves in /src. */
  async function copy(rest: string): Promise<void> {
    const [from, source = '', target = ''] = rest.split(' ');
    expect(from).toBe('--from=build');
    const path = source.replace(/^\/src\//, '');
    if (path !== 'node_modules') return into(join(built.folder, path), target);
    await mkdir(join(root, target), { recursive: true });
    for (const name of leftPackages()) await into(name, join(target, '..', name));
  }

  /**
   * Returns the packages that `npm prune --omit=dev` leaves, by the lock file. Packages for other systems are missing.
   */
  function leftPackages(): readonly string[] {
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
      readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly devOptional?: boolean }>>;
    };
    return Object.entries(packages).flatMap(([path, { dev, devOptional }]) =>
      path === '' || dev || devOptional || !existsSync(path) ? [] : [path],
    );
  }

  /**
   * Returns a command in the file systems of a container: a read-only root with the volume, as the image's user and without any variable
   * of this process.
   */
  const asContainer = (argv: readonly string[]): readonly [string, readonly string[]] => {
    const mounts = [
      `mount --bind '${root}' '${root}'`,
      `mount --bind '${data}' '${root}${only('VOLUME')}'`,
      `mount --bind /dev '${root}/dev'`,
      `mount -t proc proc '${root}/proc'`,
      `mount -o remount,bind,ro '${root}'`,
    ];
    const [program, args] = inRoot(argv);
    return ['unshare', ['--mount', 'sh', '-ec', `${mounts.join('\n')}\nexec "$0" "$@"`, program, ...args]];
  };
  const inRoot = (argv: readonly string[]): readonly [string, readonly string[]] => {
    const pairs = Object.entries({ ...INSIDE, HOME: '/home/node', ...environment() });
    const user = `--userspec=${NODE_USER}:${NODE_USER}`;
    return ['chroot', [user, root, '/usr/bin/env', '-i', ...pairs.map((pair) => pair.join('=')), ...argv]];
  };
  /** Runs a command like `docker exec`. */
  const exec = (argv: readonly string[]) => {
    const [program, args] = inRoot(argv);
    return execa('nsenter', [`--mount=/proc/${child?.pid}/ns/mnt`, program, ...args], {
      ...OUTSIDE,
      reject: false,
    });
  };
  const healthCheck = (): readonly string[] => words(only('HEALTHCHECK').replace(/^(--\S+ )*CMD /, ''));

  it('starts, is healthy, answers a signed request over HTTPS, writes only its data, and stops on request', async () => {
    const command = [...words(only('ENTRYPOINT')), ...words(only('CMD'))];
    expect(command).toContain(`0.0.0.0:${only('EXPOSE')}`);
    // Uses any free port, because this machine is not a container.
    const [program, args] = asContainer(
      command.map((word) => word.replace(/^0\.0\.0\.0:[0-9]+$/, '0.0.0.0:0')),
    );
    child = spawn(program, args, { ...OUTSIDE, stdio: ['ignore', 'pipe', 'pipe'] });
    expect(await said(child, 'svc sandbox stop')).toMatch(
      /ready at https:\/\/localhost:[0-9]+ .*\n +data +\/data\//,
    );

    expect(await exec(healthCheck())).toMatchObject({ exitCode: 0 });
    expect(await exec(['/usr/bin/id', '-u'])).toMatchObject({ stdout: String(NODE_USER) });
    const list = ['folder', 'list', '--profile', 'sandbox', '-o', 'json'];
    const answer = await exec(['/usr/bin/env', 'NODE_EXTRA_CA_CERTS=/tls/ca.pem', 'svc', ...list]);
    expect(answer).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(answer.stdout).length).toBeGreaterThan(0);
    for (const path of ['/app/new', '/tmp/new', '/home/node/new'])
      expect(await exec(['/bin/touch', path])).toMatchObject({ exitCode: 1 });
    expect(await exec(['/bin/touch', '/data/new'])).toMatchObject({ exitCode: 0 });

    const ended = new Promise((done) => child?.once('exit', (code, signal) => done([code, signal])));
    child?.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    const [again, health] = asContainer(healthCheck());
    expect(await execa(again, health, { ...OUTSIDE, reject: false })).toMatchObject({ exitCode: 7 });
  });
});
