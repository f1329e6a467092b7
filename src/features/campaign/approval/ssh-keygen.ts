/** Runs OpenSSH's `ssh-keygen`, so that svc has no cryptography of its own and reads no private key. */
import { codeOf } from '../../../kit/files/errors.ts';
import { CampaignError } from '../errors.ts';

export interface SshKeygenDependencies {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

export interface SshKeygenRun {
  readonly exitCode: number;
  readonly stdout: string;
  /** Empty with `onTerminal`, because ssh-keygen then writes directly to the terminal. */
  readonly stderr: string;
}

/** Long enough for a person to touch a hardware key. */
const TIMEOUT_MS = 60_000;
const MAX_OCTETS = 64 * 1024;

/**
 * @param options `input` is its standard input. With `onTerminal`, it may ask for a passphrase or a touch; otherwise it asks for nothing.
 * @throws CampaignError `refused` if ssh-keygen is not installed or does not exit in time; after Ctrl-C, the reason of the signal
 */
export async function runSshKeygen(
  args: readonly string[],
  { env, signal }: SshKeygenDependencies,
  options: { readonly input?: string; readonly onTerminal?: boolean } = {},
): Promise<SshKeygenRun> {
  const { execa } = await import('execa');
  const { input, onTerminal = false } = options;
  const stdio = input !== undefined ? { input } : ({ stdin: onTerminal ? 'inherit' : 'ignore' } as const);
  const result = await execa('ssh-keygen', [...args], {
    ...stdio,
    stdout: 'pipe',
    stderr: onTerminal ? 'inherit' : 'pipe',
    env: onTerminal ? { ...env } : withoutWindows(env),
    extendEnv: false,
    // In a session of its own, ssh-keygen has no /dev/tty to ask on.
    detached: !onTerminal,
    cancelSignal: signal,
    ...(onTerminal ? {} : { timeout: TIMEOUT_MS, forceKillAfterDelay: 1000 }),
    maxBuffer: MAX_OCTETS,
    reject: false,
  });
  signal.throwIfAborted();
  const { exitCode, timedOut, cause } = result;
  if (timedOut)
    throw new CampaignError('refused', `ssh-keygen did not end within ${TIMEOUT_MS / 1000} s`, {
      hint: 'run the command on a terminal without --no-input, so that ssh-keygen can ask for a passphrase or a touch',
    });
  if (exitCode === undefined) throw notRun(cause);
  return { exitCode, stdout: String(result.stdout ?? ''), stderr: String(result.stderr ?? '') };
}

/** No windows, English texts, and `verify-time` in UTC. */
function withoutWindows(env: SshKeygenDependencies['env']): Record<string, string | undefined> {
  const { DISPLAY: _, WAYLAND_DISPLAY: __, SSH_ASKPASS: ___, SSH_ASKPASS_REQUIRE: ____, ...rest } = env;
  return { ...rest, LC_ALL: 'C', TZ: 'UTC' };
}

function notRun(cause: unknown): CampaignError {
  const isMissing = codeOf(cause) === 'ENOENT';
  return new CampaignError(
    'refused',
    isMissing
      ? 'approvals need ssh-keygen, which is not on PATH'
      : `ssh-keygen cannot be started (${codeOf(cause) ?? 'it was ended'})`,
    { hint: 'install OpenSSH 8.9 or later (on Debian, the package openssh-client)', cause },
  );
}

export const refusedReadableKey = ({ stderr }: SshKeygenRun): boolean =>
  stderr.includes('UNPROTECTED PRIVATE KEY FILE');

/** @param namesByPath names that replace the paths of temporary files */
export function findFirstSshKeygenOutputLine(
  { stderr, stdout }: SshKeygenRun,
  namesByPath: Readonly<Record<string, string>>,
): string {
  const lines = `${stderr}\n${stdout}`.split('\n').map((line) => line.trim());
  const first = lines.find((line) => line !== '') ?? 'ssh-keygen printed no message';
  return Object.entries(namesByPath).reduce((text, [path, name]) => text.replaceAll(path, name), first);
}
