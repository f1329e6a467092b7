/** Runs a program that prints the key (contract, "Global flags"), such as a password manager or a vault. */
import { ProfileError } from './errors.ts';

const TIMEOUT_MS = 60_000;
const MAX_OCTETS = 4096;

/**
 * Returns what the command prints on stdout, without the last line end. The shell runs it (`/bin/sh`,
 * `cmd.exe` on Windows). It gets no stdin, which belongs to svc, and its stderr is discarded, because svc
 * writes its own error there as one JSON object. Programs that ask for a passphrase do so on the terminal
 * itself.
 * @param timeoutMs milliseconds
 * @throws ProfileError `no-credentials`, which never contains the output
 */
export async function runKeyCommand(
  command: string,
  env: Readonly<Record<string, string | undefined>>,
  timeoutMs = TIMEOUT_MS,
): Promise<string> {
  const { execa } = await import('execa');
  const child = execa(command, {
    shell: true,
    env: { ...env },
    extendEnv: false,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'ignore',
    encoding: 'buffer',
    maxBuffer: MAX_OCTETS,
    stripFinalNewline: false,
    reject: false,
  });
  // execa's own time-out does not work here. It waits for stdout to close, which a grandchild may keep open.
  const late = Symbol('late');
  let timer: NodeJS.Timeout | undefined;
  const result = await Promise.race([
    child,
    new Promise<typeof late>((resolve) => {
      timer = setTimeout(resolve, timeoutMs, late);
    }),
  ]);
  clearTimeout(timer);
  if (result === late) {
    child.kill('SIGKILL');
    child.stdout.destroy();
    throw failed(`the key command took longer than ${timeoutMs / 1000} s`);
  }
  if (result.isMaxBuffer) throw failed(`the key command printed more than ${MAX_OCTETS / 1024} KiB`);
  if (result.exitCode === undefined)
    throw failed(
      result.signal === undefined
        ? 'the key command cannot be run'
        : `the key command was ended by ${result.signal}`,
    );
  if (result.exitCode !== 0) throw failed(`the key command ended with exit code ${result.exitCode}`);
  const text = Buffer.from(result.stdout)
    .toString('utf8')
    .replace(/\r?\n$/, '');
  if (text === '') throw failed('the key command printed nothing');
  if (/[\r\n]/.test(text)) throw failed('the key command printed more than one line');
  return text;
}

function failed(message: string): ProfileError {
  return new ProfileError('no-credentials', message, {
    hints: ['run the key command yourself to see its output; it must print only the key on stdout'],
  });
}
