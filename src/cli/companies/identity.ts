/** Identifies a run over many companies by its command, flags and files. */
import { createHash } from 'node:crypto';
import type { RunIdentity } from '../../companies/checkpoint.ts';
import type { Input, Verb } from '../command/command.ts';
import {
  companiesAtOnceFlag,
  companiesCheckpointFlag,
  companiesFlag,
  flagsOf,
  writeFlag,
} from '../command/companies-flags.ts';
import { UsageError } from '../errors/errors.ts';
import { readText } from '../request/input-text.ts';
import type { Session } from '../session/session.ts';

const MAX_OCTETS = 16 * 1024 * 1024;

/** Names of flags that change how a run works, but not its result. They are not part of the run's identity. */
const EXCLUDED_FLAGS = [companiesAtOnceFlag, companiesCheckpointFlag, writeFlag].map(({ name }) => name);

/**
 * Returns the identity of a run over many companies. The identity contains flags, arguments and input files only as a hash, because they
 * may contain a password.
 * @throws UsageError if an input comes from standard input, which svc can't read again
 */
export async function computeRunIdentity(
  session: Session,
  verb: Verb,
  input: Input,
  commandLine: { readonly command: string; readonly selector: string },
): Promise<RunIdentity> {
  const { credentials, origin } = await session.resolved();
  const hash = createHash('sha256');
  const add = (...texts: readonly string[]): void => {
    for (const text of texts) hash.update(`${Buffer.byteLength(text)}:${text}`);
  };
  const addFile = async (name: string): Promise<void> => {
    if (name === '-') throw fromStandardInput();
    add(await readText(session.context, name, MAX_OCTETS));
  };
  add(commandLine.selector, session.globals.tz ?? '', ...input.positionals);
  for (const [at, name] of input.positionals.entries())
    if (verb.positionals?.[at]?.isFile) await addFile(name);
  for (const flag of flagsOf(verb)) {
    if (EXCLUDED_FLAGS.includes(flag.name) || !input.has(flag)) continue;
    if (flag.name.endsWith('-stdin')) throw fromStandardInput();
    add(flag.name);
    const [, ...texts] = input.asWritten([flag]);
    add(...texts);
    for (const text of texts) {
      const isBody = flag.name === 'data' || flag.name === companiesFlag.name;
      if (isBody && (text === '-' || text.startsWith('@'))) await addFile(text.replace(/^@/, ''));
      else if (flag.value === 'file' && text !== flag.name) await addFile(text);
    }
  }
  return {
    command: commandLine.command,
    sha256: hash.digest('hex'),
    origin,
    partner: credentials.kind === 'partner' ? credentials.partnerId : 0,
  };
}

const fromStandardInput = (): UsageError =>
  new UsageError(
    'cannot use --checkpoint with standard input, because svc cannot read it twice; nothing was sent',
    {
      hint: 'read the input from a file, or leave out --checkpoint',
    },
  );
