/** Declares `svc completion install`, which writes the completion script to the folder where the shell finds it. */
import { appendFileSync, existsSync, lstatSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { createAtomicFile } from '../../files/atomic-file.ts';
import { makeDirectory } from '../../files/directories.ts';
import { codeOf, systemErrorReason } from '../../files/errors.ts';
import type { Verb } from '../command/command.ts';
import { switchFlag } from '../command/flag.ts';
import { CliError } from '../errors/errors.ts';
import { EXIT } from '../errors/exit-codes.ts';
import { willAskUser } from '../request/account-questions.ts';
import type { Invocation, Session } from '../session/session.ts';
import { type CompletionInstallTarget, findCompletionInstallTarget, selectShell } from './install-target.ts';
import { SUPPORTED_SHELLS } from './line.ts';
import { COMPLETION_SCRIPTS } from './scripts.ts';

const forceFlag = switchFlag('force', { describe: 'Replace a file that svc did not create' });

export const completionInstall: Verb = {
  name: 'install',
  summary: 'Install the completion script where the shell finds it',
  about:
    'On a terminal, svc offers to add missing lines to your .zshrc or .bashrc. It never changes these files without asking',
  work: 'local',
  example: 'completion install zsh',
  positionals: [
    {
      name: 'shell',
      describe: 'Name of the shell (default: that of $SHELL)',
      optional: true,
      choices: SUPPORTED_SHELLS,
    },
  ],
  flags: [forceFlag],
  run: async (session, input) => {
    const shell = selectShell(input.positionals[0], session.context);
    const place = findCompletionInstallTarget(shell, session.context);
    const { file } = place;
    const done =
      file === undefined ? 'none' : putScript(session, file, COMPLETION_SCRIPTS[shell], input.get(forceFlag));
    if ((await session.format()) === 'table') {
      const isAdded = file !== undefined && (await offerLines(session, place));
      return { result: { kind: 'text', text: `${resultText(shell, place, done, isAdded)}\n` } };
    }
    const { missing } = place;
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

type Done = 'written' | 'replaced' | 'unchanged' | 'none';

/**
 * Writes the completion script to a file.
 * @throws CliError if the file exists and svc did not create it, or if the file can't be written
 */
function putScript(session: Session, file: string, script: string, force: boolean): Done {
  try {
    return replaceOwn(session, file, script, force);
  } catch (cause) {
    const code = codeOf(cause);
    if (code === undefined) throw cause;
    throw new CliError('file', `cannot write ${file}: ${systemErrorReason(cause)}`, {
      exit: EXIT.failed,
      hint: 'to print the script, run svc completion SHELL',
      cause,
    });
  }
}

function replaceOwn({ beforeChange }: Session, file: string, script: string, force: boolean): Done {
  const there = textAt(file);
  if (there === script) return 'unchanged';
  if (there !== undefined && !force && !isOurs(there))
    throw new CliError('conflict', `cannot replace ${file}: svc did not create this file`, {
      exit: EXIT.usage,
      hint: 'to replace the file, add --force; to print the script, run svc completion SHELL',
    });
  beforeChange(`write ${file}`);
  makeDirectory(dirname(file));
  const opened = createAtomicFile(file);
  opened.write(script);
  opened.commit();
  return there === undefined ? 'written' : 'replaced';
}

/** Returns the text of the file, or undefined if no file exists. Returns an empty text for a link, a folder or a device. */
function textAt(file: string): string | undefined {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  return stats.isFile() ? readFileSync(file, 'utf8') : '';
}

const isOurs = (text: string): boolean =>
  text.split('\n', 3).some((line) => line.includes('Made by: svc completion'));

/** Asks on a terminal whether to append the missing lines to the shell's file. Returns true if the lines were appended. */
async function offerLines(session: Invocation, { missing }: CompletionInstallTarget): Promise<boolean> {
  if (missing === undefined || !willAskUser(session)) return false;
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

/**
 * Returns the text of the shell's configuration file, or an empty text if it does not exist. Follows links, because many users keep the
 * file elsewhere.
 */
const textOf = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');

function resultText(
  shell: string,
  { file, missing, loadCommand }: CompletionInstallTarget,
  done: Done,
  isAdded: boolean,
): string {
  const first = {
    written: `Wrote ${file}`,
    replaced: `Replaced an older script in ${file}`,
    unchanged: `${file} is up to date`,
    none: '',
  }[done];
  const next =
    missing === undefined
      ? [`New ${shell} sessions load the script. To load it in this session, run: ${loadCommand}`]
      : isAdded
        ? [
            `Changed ${missing.file}. New ${shell} sessions load the script. To load it in this session, run: ${loadCommand}`,
          ]
        : [
            `Add to ${missing.file}:`,
            ...missing.lines.map((line) => `  ${line}`),
            ...(done === 'none'
              ? ['To load the script in this session, run the line above.']
              : [`To load the script in this session, run: ${loadCommand}`]),
          ];
  return [...(first === '' ? [] : [`${first}.`]), ...next].join('\n');
}
