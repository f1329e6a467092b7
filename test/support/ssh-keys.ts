/** Real SSH keys, made by ssh-keygen in a folder of the test. */
import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

/**
 * Returns the output of ssh-keygen.
 * @throws with its message if it fails
 */
export const sshKeygen = (args: readonly string[], input = ''): string =>
  execFileSync('ssh-keygen', [...args], { input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'] });

export interface SshKey {
  /** The path of the private key. */
  readonly path: string;
  /** `ssh-ed25519 AAAA…`, without the comment. */
  readonly line: string;
  readonly fingerprint: string;
}

export async function makeKey(
  folder: string,
  name: string,
  { passphrase = '', comment = `${name}@laptop` } = {},
): Promise<SshKey> {
  const path = join(folder, name);
  sshKeygen(['-q', '-t', 'ed25519', '-N', passphrase, '-C', comment, '-f', path]);
  const line = (await readFile(`${path}.pub`, 'utf8')).split(' ').slice(0, 2).join(' ');
  const [, fingerprint = ''] = sshKeygen(['-l', '-f', `${path}.pub`]).split(' ');
  return { path, line, fingerprint };
}

/**
 * Signs a text as a person would without svc.
 * @returns the text of the signature
 */
export async function signatureOf(
  { path }: SshKey,
  message: string,
  namespace = 'svc-plan',
): Promise<string> {
  return sshKeygen(['-q', '-Y', 'sign', '-n', namespace, '-f', path], message);
}

export async function putSignature(
  plan: string,
  name: string,
  key: SshKey,
  message: string,
  namespace?: string,
): Promise<string> {
  const file = `${plan}.${name}.sig`;
  await writeFile(file, await signatureOf(key, message, namespace));
  return basename(file);
}
