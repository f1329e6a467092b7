/** Declares `svc completion install`: writes the script to the folder where the shell finds it. */
import { appendFileSync, existsSync, lstatSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { createAtomicFile } from '../../files/atomic-file.ts';
import { makeDirectory } from '../../files/directories.ts';
import { codeOf, systemReason } from '../../files/errors.ts';
import type { Verb } from '../command/command.ts';
import { switchFlag } from '../command/flag.ts';
import { CliError } from '../errors/errors.ts';
import { EXIT } from '../errors/exit-codes.ts';
import { isAsked } from '../request/account-questions.ts';
import type { Invocation, Session } from '../session/session.ts';
import { SHELLS } from './line.ts';
import { type InstallPlace, placeFor, selectedShell } from './places.ts';
import { SCRIPTS } from './scripts.ts';

const forceFlag = switchFlag('force', { describe: 'Replace a file that svc did not create' });

export const installVerb: Verb = {
  name: 'install',
  summary: 'Put the script where the shell finds it',
  about:
    'On a terminal, svc offers to add the lines that your .zshrc or .bashrc lacks; it never changes them unasked',
  work: 'local',
  example: 'completion install zsh',
  positionals: [
    {
      name: 'shell',
      describe: 'Name of the shell (default: that of $SHELL)',
      optional: true,
      choices: SHELLS,
    },
  ],
  flags: [forceFlag],
  run: async (session, input) => {
    const shell = selectedShell(input.positionals[0], session.context);
    const place = placeFor(shell, session.context);
    const { file } = place;
    const done = file === undefined ? 'none' : putScript(session, file, SCRIPTS[shell], input.get(forceFlag));
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
          load_now: place.now,
        },
        columns: [{ name: 'shell' }, { name: 'file' }, { name: 'done' }],
      },
    };
  },
};

type Done = 'written' | 'replaced' | 'unchanged' | 'none';

/** Writes the script. @throws CliError when a file exists that svc did not create, or the file can't be written */
function putScript(session: Session, file: string, script: string, force: boolean): Done {
  try {
    return replaceOwn(session, file, script, force);
  } catch (cause) {
    const code = codeOf(cause);
    if (code === undefined) throw cause;
    throw new CliError('file', `cannot write ${file}: ${systemReason(cause)}`, {
      exit: EXIT.failed,
      hint: 'svc completion SHELL prints the script',
      cause,
    });
  }
}

function replaceOwn({ beforeChange }: Session, file: string, script: string, force: boolean): Done {
  const there = textAt(file);
  if (there === script) return 'unchanged';
  if (there !== undefined && !force && !isOurs(there))
    throw new CliError('conflict', `${file} is not a script that svc made`, {
      exit: EXIT.usage,
      hint: '--force replaces it; svc completion SHELL prints the script',
    });
  beforeChange(`write ${file}`);
  makeDirectory(dirname(file));
  const opened = createAtomicFile(file);
  opened.write(script);
  opened.commit();
  return there === undefined ? 'written' : 'replaced';
}

/** Returns the text of the file, or undefined if no file exists. Returns an empty text for anything but a regular file, such as a link. */
function textAt(file: string): string | undefined {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  return stats.isFile() ? readFileSync(file, 'utf8') : '';
}

const isOurs = (text: string): boolean =>
  text.split('\n', 3).some((line) => line.includes('Made by: svc completion'));

/** Asks on a terminal whether to append the missing lines to the shell's file. Returns true if the lines were appended. */
async function offerLines(session: Invocation, { missing }: InstallPlace): Promise<boolean> {
  if (missing === undefined || !isAsked(session)) return false;
  const lines = missing.lines.map((line) => `  ${line}\n`).join('');
  await session.context.stderr.write(`The shell loads the script with:\n${lines}`);
  if (!(await session.context.prompter.confirm(`Add this to ${missing.file}?`, false))) return false;
  try {
    const text = textOf(missing.file);
    const start = text === '' || text.endsWith('\n') ? '' : '\n';
    appendFileSync(missing.file, `${start}${missing.lines.join('\n')}\n`);
  } catch (cause) {
    throw new CliError('file', `cannot write ${missing.file}: ${systemReason(cause)}`, {
      exit: EXIT.failed,
      hint: 'add the lines by hand',
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
  { file, missing, now }: InstallPlace,
  done: Done,
  isAdded: boolean,
): string {
  const first = {
    written: `Wrote ${file}`,
    replaced: `Wrote ${file}, replacing an older one`,
    unchanged: `${file} is up to date`,
    none: '',
  }[done];
  const next =
    missing === undefined
      ? [`A new ${shell} loads it by itself. Now, in this one: ${now}`]
      : isAdded
        ? [`Added to ${missing.file}. A new ${shell} loads it by itself. Now, in this one: ${now}`]
        : [
            `Add to ${missing.file}:`,
            ...missing.lines.map((line) => `  ${line}`),
            ...(done === 'none'
              ? ['The same line also loads it in this shell.']
              : [`Now, in this ${shell}: ${now}`]),
          ];
  return [...(first === '' ? [] : [`${first}.`]), ...next].join('\n');
}
