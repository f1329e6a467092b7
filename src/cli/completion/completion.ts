/** Declares `svc completion`, which prints the completion scripts, or writes one to the folder where the shell finds it. */

import { appendFileSync, existsSync, lstatSync, readFileSync, unlinkSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import zsh from '../../../completions/_svc?text';
import bash from '../../../completions/svc.bash?text';
import fish from '../../../completions/svc.fish?text';
import powershell from '../../../completions/svc.ps1?text';
import { createAtomicFile, fillFile } from '../../kit/files/atomic-file.ts';
import { codeOf, FileError, systemErrorReason } from '../../kit/files/errors.ts';
import { makeFolders } from '../../kit/files/make-folders.ts';
import { inspectTarget } from '../../kit/files/target.ts';
import { quoteShellWord } from '../../kit/text/words.ts';
import type { Group, Positional, Verb } from '../command/command.ts';
import { switchFlag } from '../command/flag.ts';
import { CliError, UsageError } from '../errors/errors.ts';
import { EXIT } from '../errors/exit-codes.ts';
import type { Context } from '../outside/context.ts';
import { willAskUser } from '../request/guards.ts';
import type { Changes, Invocation } from '../session/ports.ts';
import { type Shell, SUPPORTED_SHELLS } from './shells.ts';

const forceFlag = switchFlag('force', { describe: 'Replace a file that svc did not create' });

const SHELL: Positional = {
  name: 'shell',
  describe: 'Name of the shell (default: that of $SHELL)',
  optional: true,
  choices: SUPPORTED_SHELLS,
};

const completionInstall: Verb = {
  name: 'install',
  summary: 'Install the completion script where the shell finds it',
  about:
    'On a terminal, svc offers to add missing lines to your .zshrc or .bashrc. It never changes these files without asking',
  work: 'local',
  example: 'completion install zsh',
  positionals: [SHELL],
  flags: [forceFlag],
  run: async (session, input) => {
    const shell = selectShell(input.positionals[0], session.context);
    const place = INSTALL_TARGETS[shell](session.context);
    const { file } = place;
    const done =
      file === undefined ? 'none' : putScript(session, file, COMPLETION_SCRIPTS[shell], input.get(forceFlag));
    if ((await session.format()) === 'table') {
      const isAdded = file !== undefined && (await offerLines(session, place));
      return { result: { kind: 'text', text: `${resultText(shell, place, done, isAdded)}\n` } };
    }
    const missing = missingOf(place.startup);
    return {
      result: {
        kind: 'object',
        value: {
          shell,
          file: file ?? null,
          done,
          add_to: missing?.file ?? null,
          lines: missing?.lines.join('\n') ?? null,
          load_now: place.loadCommand,
        },
        columns: [{ name: 'shell' }, { name: 'file' }, { name: 'done' }],
      },
    };
  },
};

const completionUninstall: Verb = {
  name: 'uninstall',
  summary: 'Remove the completion script that svc installed',
  about: 'svc never changes your .zshrc or .bashrc. It prints the lines in them that load the script',
  work: 'local',
  example: 'completion uninstall zsh',
  positionals: [SHELL],
  flags: [],
  run: async (session, input) => {
    const shell = selectShell(input.positionals[0], session.context);
    const { file, startup } = INSTALL_TARGETS[shell](session.context);
    const done = file === undefined ? 'none' : removeScript(session, file);
    const left = startup === undefined ? [] : loadingLinesIn(startup);
    if ((await session.format()) === 'table') {
      const first = { removed: `Removed ${file}.`, none: file && `There is no ${file}.` }[done];
      const rest =
        left.length === 0 ? [] : [`Remove from ${startup?.file}:`, ...left.map((line) => `  ${line}`)];
      const lines = [...(first ? [first] : []), ...rest];
      return { result: { kind: 'text', text: `${lines.join('\n')}\n` } };
    }
    const from = left.length === 0 ? null : (startup?.file ?? null);
    const lines = left.length === 0 ? null : left.join('\n');
    return {
      result: {
        kind: 'object',
        value: { shell, file: file ?? null, done, remove_from: from, lines },
        columns: [{ name: 'shell' }, { name: 'file' }, { name: 'done' }],
      },
    };
  },
};

const PRINTED: Readonly<Record<Shell, { readonly title: string; readonly example: string }>> = {
  bash: { title: 'bash', example: 'bash > ~/.local/share/bash-completion/completions/svc' },
  zsh: { title: 'zsh', example: 'zsh > _svc' },
  fish: { title: 'fish', example: 'fish > ~/.config/fish/completions/svc.fish' },
  powershell: { title: 'PowerShell', example: 'powershell >> $PROFILE' },
};

const print = (shell: Shell): Verb => ({
  name: shell,
  summary: `Print the completion script of ${PRINTED[shell].title}`,
  work: 'local',
  example: `completion ${PRINTED[shell].example}`,
  flags: [],
  run: async () => ({ result: { kind: 'text', text: COMPLETION_SCRIPTS[shell], isExact: true } }),
});

export const completionGroup: Group = {
  name: 'completion',
  summary: 'Install or print shell completion',
  commands: [completionInstall, completionUninstall, ...SUPPORTED_SHELLS.map(print)],
};

type Done = 'written' | 'replaced' | 'unchanged' | 'none';

/** @throws CliError if the file exists and svc did not create it, or if the file can't be written */
function putScript(session: Changes, file: string, script: string, force: boolean): Done {
  try {
    return replaceOwn(session, file, script, force);
  } catch (cause) {
    const isFolderMissing = cause instanceof FileError && cause.kind === 'no-folder';
    if (codeOf(cause) === undefined && !isFolderMissing) throw cause;
    throw new CliError('file', `cannot write ${file}: ${systemErrorReason(cause)}`, {
      exit: EXIT.failed,
      hint: 'to print the script, run svc completion SHELL',
      cause,
    });
  }
}

function replaceOwn({ beforeChange }: Changes, file: string, script: string, force: boolean): Done {
  const there = textAt(file);
  if (there === script) return 'unchanged';
  if (there !== undefined && !force && !isOurs(there))
    throw new CliError('conflict', `cannot replace ${file}: svc did not create this file`, {
      exit: EXIT.usage,
      hint: 'to replace the file, add --force; to print the script, run svc completion SHELL',
    });
  beforeChange(`write ${file}`);
  makeFolders(dirname(file));
  fillFile(createAtomicFile(file), (opened) => opened.write(script));
  return there === undefined ? 'written' : 'replaced';
}

/** @throws CliError if svc did not create the file, or if it can't be removed */
function removeScript({ beforeChange }: Changes, file: string): 'removed' | 'none' {
  const there = textAt(file);
  if (there === undefined) return 'none';
  if (!isOurs(there))
    throw new CliError('conflict', `cannot remove ${file}: svc did not create this file`, {
      exit: EXIT.usage,
    });
  beforeChange(`remove ${file}`);
  try {
    unlinkSync(file);
  } catch (cause) {
    throw new CliError('file', `cannot remove ${file}: ${systemErrorReason(cause)}`, {
      exit: EXIT.failed,
      cause,
    });
  }
  return 'removed';
}

/** A link, a folder or a device has an empty text. */
function textAt(file: string): string | undefined {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  return stats.isFile() ? readFileSync(file, 'utf8') : '';
}

const isOurs = (text: string): boolean =>
  text.split('\n', 3).some((line) => line.includes('Made by: svc completion'));

/** Returns true if the lines were appended. */
async function offerLines(session: Invocation, { startup }: CompletionInstallTarget): Promise<boolean> {
  const missing = missingOf(startup);
  if (missing === undefined || !willAskUser(session)) return false;
  if (!['missing', 'file'].includes(inspectTarget(missing.file).kind)) return false;
  const lines = missing.lines.map((line) => `  ${line}\n`).join('');
  await session.context.stderr.write(`To load the script, the shell needs these lines:\n${lines}`);
  if (!(await session.context.prompter.confirm(`Add these lines to ${missing.file}?`, false))) return false;
  try {
    const text = textOf(missing.file);
    const start = text === '' || text.endsWith('\n') ? '' : '\n';
    appendFileSync(missing.file, `${start}${missing.lines.join('\n')}\n`);
  } catch (cause) {
    throw new CliError('file', `cannot write ${missing.file}: ${systemErrorReason(cause)}`, {
      exit: EXIT.failed,
      hint: 'add the lines shown above to the file with an editor',
      cause,
    });
  }
  return true;
}

/** Follows links, because many users keep the file elsewhere. */
const textOf = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');

function resultText(
  shell: string,
  { file, startup, loadCommand }: CompletionInstallTarget,
  done: Done,
  isAdded: boolean,
): string {
  const missing = isAdded ? startup : missingOf(startup);
  const first = {
    written: `Wrote ${file}`,
    replaced: `Replaced an older script in ${file}`,
    unchanged: `${file} is up to date`,
    none: '',
  }[done];
  const load = `New ${shell} sessions load the script. To load it in this session, run: ${loadCommand}`;
  const next = (): readonly string[] => {
    if (missing === undefined) return [load];
    if (isAdded) return [`Changed ${missing.file}. ${load}`];
    const how = done === 'none' ? ' the line above.' : `: ${loadCommand}`;
    const lines = missing.lines.map((line) => `  ${line}`);
    return [`Add to ${missing.file}:`, ...lines, `To load the script in this session, run${how}`];
  };
  return [...(first === '' ? [] : [`${first}.`]), ...next()].join('\n');
}

/** At TAB, a shell's script runs `svc __complete`. */
export const COMPLETION_SCRIPTS: Readonly<Record<Shell, string>> = { bash, zsh, fish, powershell };

interface CompletionInstallTarget {
  /** Undefined if the shell has no folder for completions. */
  readonly file: string | undefined;
  /** Lines that load the script when the shell starts. Undefined if the shell looks into the folder of the script. */
  readonly startup?: Startup;
  readonly loadCommand: string;
}

interface Startup {
  readonly file: string;
  readonly lines: readonly string[];
  /** Identifies the lines that load the script, whether they begin with `~` or `$HOME`. Undefined if svc cannot read the file. */
  readonly path: string | undefined;
}

/** Prefers the login shell, then PowerShell on Windows. @throws UsageError without a supported shell */
function selectShell(givenName: string | undefined, { env, platform }: Context): Shell {
  const known = `shells: ${SUPPORTED_SHELLS.join(', ')}`;
  if (givenName !== undefined) {
    const shell = SUPPORTED_SHELLS.find((each) => each === givenName);
    if (shell) return shell;
    throw new UsageError(`svc has no completion script for ${givenName}`, { hint: known });
  }
  const login = basename(env.SHELL ?? '');
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

const INSTALL_TARGETS: Readonly<Record<Shell, (context: Context) => CompletionInstallTarget>> = {
  bash: placeForBash,
  zsh: placeForZsh,
  fish: (context) => {
    const file = join(folderOf('XDG_CONFIG_HOME', '.config', context), 'fish', 'completions', 'svc.fish');
    return { file, loadCommand: `source ${quoteShellWord(file)}` };
  },
  powershell: () => {
    const line = 'svc completion powershell | Out-String | Invoke-Expression';
    return {
      file: undefined,
      startup: { file: '$PROFILE', lines: [line], path: undefined },
      loadCommand: line,
    };
  },
};

function placeForBash(context: Context): CompletionInstallTarget {
  const { env } = context;
  const own = env.BASH_COMPLETION_USER_DIR;
  const folder = own || join(folderOf('XDG_DATA_HOME', join('.local', 'share'), context), 'bash-completion');
  const file = join(folder, 'completions', 'svc');
  const loadCommand = `source ${quoteShellWord(file)}`;
  if (BASH_COMPLETION.some((path) => existsSync(path))) return { file, loadCommand };
  const bashrc = join(homeIn(context), '.bashrc');
  return { file, loadCommand, startup: startupOf(bashrc, [loadCommand], file) };
}

/** bash-completion loads the script with the name of a command. */
const BASH_COMPLETION = [
  '/usr/share/bash-completion/bash_completion',
  '/usr/local/share/bash-completion/bash_completion',
  '/opt/homebrew/etc/profile.d/bash_completion.sh',
  '/usr/local/etc/profile.d/bash_completion.sh',
];

/** Prefers a folder that `FPATH` lists and that is below the home folder. */
function placeForZsh(context: Context): CompletionInstallTarget {
  const { env } = context;
  const home = homeIn(context);
  const usual = join(folderOf('XDG_DATA_HOME', join('.local', 'share'), context), 'zsh', 'site-functions');
  const listed = (env.FPATH ?? '').split(':').find((each) => each.startsWith(`${home}/`));
  const folder = listed ?? usual;
  const file = join(folder, '_svc');
  const loadCommand = `fpath=(${quoteShellWord(folder)} $fpath); autoload -Uz compinit && compinit`;
  if (listed !== undefined) return { file, loadCommand };
  const zshrc = join(env.ZDOTDIR || home, '.zshrc');
  const lines = [`fpath=(${quoteShellWord(folder)} $fpath)`, 'autoload -Uz compinit && compinit'];
  return { file, loadCommand, startup: startupOf(zshrc, lines, folder) };
}

/** Leaves the home folder out of the path, because the user may have written `~` or `$HOME`. */
const startupOf = (file: string, lines: readonly string[], path: string): Startup => ({
  file,
  lines,
  path: path.replace(/^.*?(?=\/\.)/, ''),
});

/** Returns the lines that the user must add, or undefined if they are there. */
const missingOf = (startup: Startup | undefined): Startup | undefined =>
  startup?.path !== undefined && textIn(startup.file).includes(startup.path) ? undefined : startup;

/** Returns the lines of the file that load the script. Without the file, these are the lines that `install` prints. */
const loadingLinesIn = ({ file, lines, path }: Startup): readonly string[] =>
  path === undefined
    ? lines
    : textIn(file)
        .split('\n')
        .filter((line) => line.includes(path));

function textIn(path: string): string {
  try {
    // Reading a named pipe would wait for its writer.
    return inspectTarget(path).kind === 'file' ? readFileSync(path, 'utf8') : '';
  } catch {
    return '';
  }
}

/** The path of the XDG variable must be absolute. */
function folderOf(variable: string, underHome: string, context: Context): string {
  const base = context.env[variable];
  return base !== undefined && isAbsolute(base) ? base : join(homeIn(context), underHome);
}

function homeIn({ homeDir }: Context): string {
  if (homeDir !== '') return homeDir;
  throw new UsageError('cannot install the script: there is no home directory', { hint: 'set HOME' });
}
