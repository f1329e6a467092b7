/** Finds the file in which each shell expects the completion script, and the lines that the shell needs to load it. */
import { existsSync, readFileSync } from 'node:fs';
import { basename, isAbsolute, join } from 'node:path';
import { quoteShellWord } from '../../text/words.ts';
import { UsageError } from '../errors/errors.ts';
import type { Context } from '../outside/context.ts';
import { type Shell, SUPPORTED_SHELLS } from './line.ts';

export interface CompletionInstallTarget {
  /** File to write, or undefined if the shell has no folder for completions. */
  readonly file: string | undefined;
  /** Lines that the user must add to a configuration file of the shell. Undefined if no lines are missing. */
  readonly missing?: { readonly file: string; readonly lines: readonly string[] };
  /** Command that loads the script in the current shell. */
  readonly loadCommand: string;
}

/**
 * Returns the shell that the user named. Without a name, returns the user's login shell, or PowerShell on Windows if the login shell is
 * unknown.
 * @throws UsageError if svc does not support the shell, or if svc cannot find out the login shell
 */
export function selectShell(givenName: string | undefined, { env, platform }: Context): Shell {
  const known = `shells: ${SUPPORTED_SHELLS.join(', ')}`;
  if (givenName !== undefined) {
    const shell = SUPPORTED_SHELLS.find((each) => each === givenName);
    if (shell) return shell;
    throw new UsageError(`svc has no completion script for ${givenName}`, { hint: known });
  }
  const login = basename(env['SHELL'] ?? '');
  const shell =
    SUPPORTED_SHELLS.find((each) => each === login) ??
    (/^(pwsh|powershell)/.test(login) ? 'powershell' : undefined);
  if (shell) return shell;
  if (login === '' && platform === 'win32') return 'powershell';
  const why =
    login === ''
      ? 'the variable SHELL is not set'
      : `svc has no completion script for ${login} (from the variable SHELL)`;
  throw new UsageError(why, { hint: `add the name of a shell, as in svc completion install bash; ${known}` });
}

export function findCompletionInstallTarget(shell: Shell, context: Context): CompletionInstallTarget {
  switch (shell) {
    case 'bash':
      return placeForBash(context);
    case 'zsh':
      return placeForZsh(context);
    case 'fish': {
      const file = join(folderOf('XDG_CONFIG_HOME', '.config', context), 'fish', 'completions', 'svc.fish');
      return { file, loadCommand: `source ${quoteShellWord(file)}` };
    }
    case 'powershell':
      return placeForPowershell();
  }
}

function placeForBash(context: Context): CompletionInstallTarget {
  const { env } = context;
  const own = env['BASH_COMPLETION_USER_DIR'];
  const folder = own || join(folderOf('XDG_DATA_HOME', join('.local', 'share'), context), 'bash-completion');
  const file = join(folder, 'completions', 'svc');
  const loadCommand = `source ${quoteShellWord(file)}`;
  if (BASH_COMPLETION.some((path) => existsSync(path))) return { file, loadCommand };
  const bashrc = join(homeIn(context), '.bashrc');
  return { file, loadCommand, ...missingIn(bashrc, [loadCommand], file) };
}

/** Paths of the bash-completion package. For each command, it loads the completion script of the same name. */
const BASH_COMPLETION = [
  '/usr/share/bash-completion/bash_completion',
  '/usr/local/share/bash-completion/bash_completion',
  '/opt/homebrew/etc/profile.d/bash_completion.sh',
  '/usr/local/etc/profile.d/bash_completion.sh',
];

/** Returns the file and the lines for zsh. Prefers a folder that `FPATH` lists and that is below the home folder. */
function placeForZsh(context: Context): CompletionInstallTarget {
  const { env } = context;
  const home = homeIn(context);
  const usual = join(folderOf('XDG_DATA_HOME', join('.local', 'share'), context), 'zsh', 'site-functions');
  const listed = (env['FPATH'] ?? '').split(':').find((each) => each.startsWith(`${home}/`));
  const folder = listed ?? usual;
  const file = join(folder, '_svc');
  const loadCommand = `fpath=(${quoteShellWord(folder)} $fpath); autoload -Uz compinit && compinit`;
  if (listed !== undefined) return { file, loadCommand };
  const zshrc = join(env['ZDOTDIR'] || home, '.zshrc');
  const lines = [`fpath=(${quoteShellWord(folder)} $fpath)`, 'autoload -Uz compinit && compinit'];
  return { file, loadCommand, ...missingIn(zshrc, lines, folder) };
}

function placeForPowershell(): CompletionInstallTarget {
  const line = 'svc completion powershell | Out-String | Invoke-Expression';
  return { file: undefined, missing: { file: '$PROFILE', lines: [line] }, loadCommand: line };
}

/**
 * Returns the lines that the user must add to the shell's configuration file at `path`. Returns an empty object if the file contains them.
 * To find this out, svc searches the file for `pathInLines` without the home folder, because the user may have written `~` or `$HOME`.
 * @param pathInLines path that the lines contain
 */
function missingIn(
  path: string,
  lines: readonly string[],
  pathInLines: string,
): Pick<CompletionInstallTarget, 'missing'> {
  const home = pathInLines.replace(/^.*?(?=\/\.)/, '');
  return textIn(path).includes(home) ? {} : { missing: { file: path, lines } };
}

function textIn(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/**
 * Returns the folder that the XDG variable names, or else the folder `underHome` below the home folder. A relative path in the variable is
 * ignored.
 */
function folderOf(variable: string, underHome: string, context: Context): string {
  const base = context.env[variable];
  return base !== undefined && isAbsolute(base) ? base : join(homeIn(context), underHome);
}

function homeIn({ homeDir }: Context): string {
  if (homeDir !== '') return homeDir;
  throw new UsageError('cannot install the script: there is no home directory', { hint: 'set HOME' });
}
