/** Reads campaign files and their content files as of a revision of git, from the objects of the repository: no file is written. */

import { existsSync } from 'node:fs';
import { basename, dirname, posix, resolve } from 'node:path';
import { execa } from 'execa';
import {
  type ContentFileLimits,
  type ContentFileResult,
  HIDDEN_FILE_FAULT,
  refuseSecrets,
} from '../../../features/campaign/file/content-files.ts';
import { readCampaign, type readCampaignFile } from '../../../features/campaign/file/read.ts';
import { MAX_CAMPAIGN_FILE_OCTETS } from '../../../features/campaign/file/versioned-file.ts';
import { codeOf } from '../../../kit/files/errors.ts';
import { MAX_BODY_OCTETS } from '../../../service/protocol/json.ts';
import { UsageError } from '../../errors/errors.ts';
import type { Context } from '../../outside/context.ts';
import { removeApiKeysFromEnvironment } from '../../outside/own-program.ts';

type Outside = Pick<Context, 'cwd' | 'env' | 'signal'>;

export interface CampaignRevision {
  /** Hash of the commit. */
  readonly commit: string;
  /** Names of the files in git's form: `main:campaigns/spring.yaml`. */
  readonly files: readonly string[];
  /** Paths, as the user typed them, of files that the revision does not have. */
  readonly missing: readonly string[];
  /** Reads one of `files`. */
  readonly read: typeof readCampaignFile;
}

/** @throws UsageError if the revision cannot be read, with what to do about it */
export async function openCampaignRevision(
  outside: Outside,
  revision: string,
  paths: readonly string[],
): Promise<CampaignRevision> {
  // No name of a revision begins so, and git would read an option.
  if (revision.startsWith('-') || revision.includes('\0')) throw unknownRevision(revision);
  const sources = new Map<string, Source>();
  const missing: string[] = [];
  let commit = '';
  for (const path of paths) {
    const folder = dirname(resolve(outside.cwd, path));
    // The error for a file that does not exist comes from its reader.
    if (!existsSync(folder)) continue;
    const git = gitIn(outside, folder, revision);
    const prefix = await prefixIn(git, revision);
    commit = await commitOf(git, revision);
    const source = { git, commit, folder: prefix, name: basename(path) };
    if ((await entryOf(source, source.name)) === undefined) missing.push(path);
    // Paths of findings begin in the folder of the file, so it needs a name.
    else sources.set(`${revision}:${prefix === '' ? './' : prefix}${source.name}`, source);
  }
  return {
    ...{ commit, missing, files: [...sources.keys()] },
    read: async (path, { cwd: _, limits, ...options }) => {
      const source = sources.get(path);
      if (source === undefined) throw new RangeError(`${path} is not a file of the revision`);
      const found = await readBlob(source, source.name, { limits, maxOctets: MAX_CAMPAIGN_FILE_OCTETS });
      if ('fault' in found)
        return { faults: [{ file: path, line: 1, column: 1, message: `the file ${found.fault}` }] };
      const readContent = async (name: string): Promise<ContentFileResult> =>
        name.split('/').some((part) => part.startsWith('.'))
          ? { fault: HIDDEN_FILE_FAULT }
          : readBlob(source, name, { limits, maxOctets: MAX_BODY_OCTETS });
      return readCampaign({ path, octets: found.octets }, { ...options, readContent });
    },
  };
}

interface Source {
  readonly git: Git;
  readonly commit: string;
  /** From the root of the repository: empty, or with a slash at the end. */
  readonly folder: string;
  readonly name: string;
}

interface Entry {
  readonly mode: string;
  readonly kind: string;
  readonly object: string;
  readonly octets: number;
}

/** Returns undefined if the revision does not have the file. */
async function entryOf(
  { git, commit, folder }: Pick<Source, 'git' | 'commit' | 'folder'>,
  name: string,
): Promise<Entry | undefined> {
  const path = posix.join(folder, name);
  const { text } = await git(['ls-tree', '-z', '-l', '--full-tree', commit, '--', path]);
  const [, mode = '', kind = '', object = '', octets = '', found] =
    /^([0-7]+) (\w+) ([0-9a-f]+) +([0-9-]+)\t([^\0]*)\0/.exec(text) ?? [];
  return found === path ? { mode, kind, object, octets: Number(octets) } : undefined;
}

async function readBlob(
  source: Source,
  name: string,
  { limits, maxOctets }: { readonly limits: ContentFileLimits; readonly maxOctets: number },
): Promise<ContentFileResult> {
  const entry = await entryOf(source, name);
  if (entry === undefined) return { fault: 'does not exist' };
  if (entry.kind === 'tree') return { fault: 'is a folder' };
  if (entry.mode === '120000')
    return { fault: 'is a symbolic link, which svc does not follow in a revision of git' };
  if (entry.kind !== 'blob') return { fault: 'is not a regular file' };
  if (entry.octets > maxOctets) return { fault: `is larger than ${maxOctets / 1024 / 1024} MiB` };
  const { octets } = await source.git(['cat-file', 'blob', entry.object]);
  return refuseSecrets({ octets }, limits);
}

interface GitOutput {
  readonly exitCode: number;
  readonly octets: Uint8Array;
  readonly text: string;
  readonly complaint: string;
}

type Git = (args: readonly string[], options?: { readonly mayFail: boolean }) => Promise<GitOutput>;

const TIMEOUT_MS = 60_000;

/** No argument is read by a shell. git asks for nothing, and gets none of svc's keys. */
const gitIn =
  ({ env, signal }: Outside, folder: string, revision: string): Git =>
  async (args, { mayFail } = { mayFail: false }) => {
    const run = await execa('git', [...args], {
      cwd: folder,
      env: {
        ...removeApiKeysFromEnvironment(env),
        // A hook of git sets them, for its own repository.
        ...{ GIT_DIR: undefined, GIT_WORK_TREE: undefined, GIT_COMMON_DIR: undefined },
        // A partial clone would fetch missing objects, with programs that the repository's configuration names. Git before 2.45 knows only
        // the second variable, which allows no protocol.
        ...{ GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: '' },
        ...{ LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0', GIT_LITERAL_PATHSPECS: '1' },
      },
      ...{ extendEnv: false, stdin: 'ignore', encoding: 'buffer', stripFinalNewline: false, reject: false },
      ...{ cancelSignal: signal, timeout: TIMEOUT_MS, maxBuffer: 2 * MAX_BODY_OCTETS },
    });
    signal.throwIfAborted();
    const { exitCode, stdout, stderr } = run;
    const complaint = textOf(stderr).trim().split('\n')[0] ?? '';
    if (exitCode === undefined) throw notRun(revision, run.timedOut ? 'ETIMEDOUT' : codeOf(run.cause));
    if (exitCode !== 0 && !mayFail)
      throw new UsageError(`--against ${revision}: git ${args[0]} failed: ${complaint}`, {
        hint: 'a partial clone may lack files of the revision, and svc fetches nothing: get them first, for example with "git archive REVISION" and its output to /dev/null',
      });
    return { exitCode, octets: stdout, text: textOf(stdout), complaint };
  };

const textOf = (octets: Uint8Array): string => new TextDecoder().decode(octets);

async function prefixIn(git: Git, revision: string): Promise<string> {
  const { exitCode, text, complaint } = await git(['rev-parse', '--show-prefix'], { mayFail: true });
  if (exitCode === 0) return text.replace(/\r?\n$/, '');
  if (/not a git repository/.test(complaint))
    throw new UsageError(
      `--against ${revision}: there is no file ${revision}, and the campaign file is in no git repository`,
      { hint: 'name a campaign file, or none' },
    );
  throw new UsageError(`--against ${revision}: git cannot read the repository: ${complaint}`);
}

async function commitOf(git: Git, revision: string): Promise<string> {
  const { exitCode, text } = await git(['rev-parse', '--verify', '--quiet', `${revision}^{commit}`], {
    mayFail: true,
  });
  const hash = text.trim();
  if (exitCode === 0 && /^[0-9a-f]{40,64}$/.test(hash)) return hash;
  const shallow = await git(['rev-parse', '--is-shallow-repository'], { mayFail: true });
  throw unknownRevision(revision, shallow.text.trim() === 'true');
}

const unknownRevision = (revision: string, isShallow = false): UsageError =>
  new UsageError(
    `--against ${revision}: ${isShallow ? 'this shallow clone has no such revision, and there is no such file' : 'there is no such file, and no such revision of git'}`,
    {
      hint: isShallow
        ? 'fetch the revision first, for example with "git fetch --depth=1 origin main" and --against FETCH_HEAD'
        : 'run "git log --oneline --all" to see the revisions',
    },
  );

const notRun = (revision: string, code: string | undefined): UsageError =>
  new UsageError(
    code === 'ENOENT'
      ? `--against ${revision}: there is no such file, and a revision needs git, which is not on PATH`
      : `--against ${revision}: git could not be run (${code ?? 'it was ended'})`,
    { hint: 'install git, or name a campaign file' },
  );
