/** Finds the folder in which each shell looks for completion scripts, and the steps that the user must do. */
import { existsSync, readFileSync } from 'node:fs';
import { basename, isAbsolute, join } from 'node:path';
import { shellWord } from '../../text/words.ts';
import { UsageError } from '../errors/errors.ts';
import type { Context } from '../outside/context.ts';
import { SHELLS, type Shell } from './line.ts';

export interface InstallPlace {
  /** File to write, or undefined if the shell has no folder for completions. */
  readonly file: string | undefined;
  /** Lines that the user must add to a file, because svc does not change that file. */
  readonly missing?: { readonly file: string; readonly lines: readonly string[] };
  /** Command that loads the script in the current shell. */
  readonly now: string;
}

/** Returns the shell that the user named, or else the user's login shell. @throws UsageError if neither is a supported shell */
export function selectedShell(named: string | undefined, { env, platform }: Context): Shell {
  const known = `shells: ${SHELLS.join(', ')}`;
  if (named !== undefined) {
    const shell = SHELLS.find((each) => each === named);
    if (shell) return shell;
    throw new UsageError(`there is no completion for ${named}`, { hint: known });
  }
  const login = basename(env['SHELL'] ?? '');
  const shell =
    SHELLS.find((each) => each === login) ?? (/^(pwsh|powershell)/.test(login) ? 'powershell' : undefined);
  if (shell) return shell;
  if (login === '' && platform === 'win32') return 'powershell';
  const why = login === '' ? 'SHELL is not set' : `there is no completion for ${login}, which SHELL names`;
  throw new UsageError(why, { hint: `name a shell: svc completion install bash; ${known}` });
}

export function placeFor(shell: Shell, context: Context): InstallPlace {
  switch (shell) {
    case 'bash':
      return placeForBash(context);
    case 'zsh':
      return placeForZsh(context);
    case 'fish': {
      const file = join(folderOf('XDG_CONFIG_HOME', '.config', context), 'fish', 'completions', 'svc.fish');
      return { file, now: `source ${shellWord(file)}` };
    }
    case 'powershell':
      return placeForPowershell();
  }
}

function placeForBash(context: Context): InstallPlace {
  const { env } = context;
  const own = env['BASH_COMPLETION_USER_DIR'];
  const folder = own || join(folderOf('XDG_DATA_HOME', join('.local', 'share'), context), 'bash-completion');
  const file = join(folder, 'completions', 'svc');
  const now = `source ${shellWord(file)}`;
  if (BASH_COMPLETION.some((path) => existsSync(path))) return { file, now };
  const bashrc = join(homeIn(context), '.bashrc');
  return { file, now, ...missingIn(bashrc, [now], file) };
}

/** Paths of the package that loads completions by the name of the command. */
const BASH_COMPLETION = [
  '/usr/share/bash-completion/bash_completion',
  '/usr/local/share/bash-completion/bash_completion',
  '/opt/homebrew/etc/profile.d/bash_completion.sh',
  '/usr/local/etc/profile.d/bash_completion.sh',
];

/** Returns the place for zsh. Uses a folder of the user in `fpath` if the environment shows one. */
function placeForZsh(context: Context): InstallPlace {
  const { env } = context;
  const home = homeIn(context);
  const usual = join(folderOf('XDG_DATA_HOME', join('.local', 'share'), context), 'zsh', 'site-functions');
  const listed = (env['FPATH'] ?? '').split(':').find((each) => each.startsWith(`${home}/`));
  const folder = listed ?? usual;
  const file = join(folder, '_svc');
  const now = `fpath=(${shellWord(folder)} $fpath); autoload -Uz compinit && compinit`;
  if (listed !== undefined) return { file, now };
  const zshrc = join(env['ZDOTDIR'] || home, '.zshrc');
  const lines = [`fpath=(${shellWord(folder)} $fpath)`, 'autoload -Uz compinit && compinit'];
  return { file, now, ...missingIn(zshrc, lines, folder) };
}

function placeForPowershell(): InstallPlace {
  const line = 'svc completion powershell | Out-String | Invoke-Expression';
  return { file: undefined, missing: { file: '$PROFILE', lines: [line] }, now: line };
}

/** Returns the lines if the file lacks them. @param trace a text that the file contains if the user added such lines in any form */
function missingIn(path: string, lines: readonly string[], trace: string): Pick<InstallPlace, 'missing'> {
  const home = trace.replace(/^.*?(?=\/\.)/, '');
  return textIn(path).includes(home) ? {} : { missing: { file: path, lines } };
}

function textIn(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Returns the folder that the XDG variable names, or else the folder below the home folder. A relative path in the variable is ignored. */
function folderOf(variable: string, underHome: string, context: Context): string {
  const base = context.env[variable];
  return base !== undefined && isAbsolute(base) ? base : join(homeIn(context), underHome);
}

function homeIn({ homeDir }: Context): string {
  if (homeDir !== '') return homeDir;
  throw new UsageError('there is no home directory to put the script in', { hint: 'set HOME' });
}
