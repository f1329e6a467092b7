/**
 * Together, the SSH agent, git's `user.signingkey` and `~/.ssh` must hold exactly one key. Two copies of a key count as one, by their
 * fingerprint.
 */
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { CampaignError } from '../errors.ts';
import { describeSigningKey, type SigningKey, TEMPORARY_FOLDER_PREFIX } from './signatures.ts';
import type { SshKeygenDependencies } from './ssh-keygen.ts';

export interface SigningKeySearchDependencies extends SshKeygenDependencies {
  readonly homeDir: string;
  /** If the folder is in a git repository, the settings of that repository apply too. */
  readonly cwd: string;
}

/**
 * A public key from an agent or from git's settings is in a temporary file until `callback` has ended.
 * @throws CampaignError `input` if there is no key or more than one; the error lists the keys
 */
export async function callWithSingleSigningKey<T>(
  dependencies: SigningKeySearchDependencies,
  callback: (identity: SigningKey) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), TEMPORARY_FOLDER_PREFIX));
  try {
    const found = new Map<string, SigningKey & { readonly fingerprint: string }>();
    for (const each of [
      ...(await agentKeys(folder, dependencies)),
      ...(await gitKey(folder, dependencies)),
      ...(await homeKeys(dependencies)),
    ]) {
      const { fingerprint } = await describeSigningKey(each, dependencies).catch(skipUnusable);
      // The SSH agent comes first, because it asks for no passphrase.
      if (fingerprint !== undefined && !found.has(fingerprint))
        found.set(fingerprint, { ...each, fingerprint });
    }
    const [only, ...others] = found.values();
    if (only === undefined)
      throw new CampaignError('input', 'cannot find a key to approve with', {
        hint: 'give --identity KEYFILE; ssh-agent, git config user.signingkey and ~/.ssh have none',
      });
    if (others.length > 0)
      throw new CampaignError('input', `cannot choose a key to approve with: found ${found.size}`, {
        hint: 'give --identity KEYFILE',
        details: [...found.values()].map(({ name, fingerprint }) => ({
          attribute: name,
          reason: fingerprint,
        })),
      });
    return await callback(only);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns no fingerprint for a file that is not a readable key. */
function skipUnusable(error: unknown): { readonly fingerprint: undefined } {
  if (error instanceof CampaignError && error.kind === 'input') return { fingerprint: undefined };
  throw error;
}

async function agentKeys(
  folder: string,
  dependencies: SigningKeySearchDependencies,
): Promise<readonly SigningKey[]> {
  if (dependencies.env['SSH_AUTH_SOCK'] === undefined) return [];
  const lines = (await outputOf('ssh-add', ['-L'], dependencies)).split('\n').filter(isPublicKey);
  return Promise.all(
    lines.map(async (line, index) => {
      const path = join(folder, `agent${index}.pub`);
      await writeFile(path, `${line}\n`);
      const comment = line.split(' ').slice(2).join(' ');
      return { path, name: comment === '' ? 'a key in ssh-agent' : `${comment} in ssh-agent` };
    }),
  );
}

/** OpenPGP keys are ignored. */
async function gitKey(
  folder: string,
  dependencies: SigningKeySearchDependencies,
): Promise<readonly SigningKey[]> {
  const format = await outputOf('git', ['config', '--get', 'gpg.format'], dependencies);
  if (format.trim() !== 'ssh') return [];
  const value = (await outputOf('git', ['config', '--get', 'user.signingkey'], dependencies)).trim();
  const name = "git's user.signingkey";
  const literal = value.replace(/^key::/, '');
  if (isPublicKey(literal)) {
    const path = join(folder, 'git.pub');
    await writeFile(path, `${literal}\n`);
    return [{ path, name }];
  }
  if (value === '') return [];
  const expanded = value.startsWith('~/') ? join(dependencies.homeDir, value.slice(2)) : value;
  return [{ path: isAbsolute(expanded) ? expanded : resolve(dependencies.cwd, expanded), name }];
}

async function homeKeys({ homeDir }: SigningKeySearchDependencies): Promise<readonly SigningKey[]> {
  const folder = join(homeDir, '.ssh');
  const names = await readdir(folder).catch((): string[] => []);
  return names
    .filter((name) => !name.endsWith('.pub') && (names.includes(`${name}.pub`) || USUAL.includes(name)))
    .sort()
    .map((name) => ({ path: join(folder, name), name: `~/.ssh/${name}` }));
}

const USUAL: readonly string[] = ['id_ed25519', 'id_ed25519_sk', 'id_ecdsa', 'id_ecdsa_sk', 'id_rsa'];

const isPublicKey = (line: string): boolean =>
  /^(?:sk-)?(?:ssh|ecdsa)-[a-z0-9@.-]+ [A-Za-z0-9+/=]+(?: |$)/.test(line);

async function outputOf(
  program: string,
  args: readonly string[],
  { env, cwd, signal }: SigningKeySearchDependencies,
): Promise<string> {
  const { execa } = await import('execa');
  const result = await execa(program, [...args], {
    ...{ cwd, stdin: 'ignore', extendEnv: false, cancelSignal: signal },
    env: { ...env },
    ...{ timeout: 5000, maxBuffer: 256 * 1024, reject: false },
  });
  signal.throwIfAborted();
  return result.exitCode === 0 ? String(result.stdout) : '';
}
