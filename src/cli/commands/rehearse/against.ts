/** Reads the other version with which `svc rehearse --against` compares: nothing, a file, or the files as of a revision of git. */

import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Input } from '../../command/command.ts';
import { fileFlag } from '../../command/flag.ts';
import { UsageError } from '../../errors/errors.ts';
import type { Ports } from '../../session/ports.ts';
import { isPlanFile } from '../campaign/trusted-plan.ts';
import { campaignsIn, type Rehearsed, together } from './campaigns.ts';

export const againstFlag = {
  ...fileFlag('against', {
    describe: 'Show only what differs from: none, a file, or a revision of git',
    value: 'other',
  }),
  completes: 'file',
};

export interface OtherVersion extends Rehearsed {
  readonly kind: 'none' | 'file' | 'revision';
  /** Name as the user typed it. */
  readonly name: string;
  /** Hash of the commit of a revision. */
  readonly commit: string | null;
  /** Files that the revision does not have. */
  readonly missing: readonly string[];
}

/**
 * A name that is a file and a revision is the file, because every revision has other names, such as `refs/heads/main`.
 * @throws UsageError for a revision that cannot be read, or without a campaign file to compare
 */
export async function readOtherVersion(session: Ports, input: Input, name: string): Promise<OtherVersion> {
  const paths = input.positionals;
  if (paths.length === 0)
    throw new UsageError('--against needs a campaign file to compare', {
      hint: `write svc rehearse FILE --against ${name}`,
    });
  const here = { name, commit: null, missing: [] };
  if (name === 'none') return { ...here, kind: 'none', ...together([]) };
  const { cwd } = session.context;
  if (isFile(resolve(cwd, name)))
    return { ...here, kind: 'file', ...(await campaignsIn(session, input, [name], {})) };
  for (const path of paths)
    if (await isPlanFile(session, path))
      throw new UsageError(`${path} is a plan, which svc cannot compare with a revision of git`, {
        hint: 'give the campaign file instead of the plan, or compare with another plan',
      });
  const { openCampaignRevision } = await import('./git-revision.ts');
  const { commit, files, missing, read } = await openCampaignRevision(session.context, name, paths);
  const rehearsed = await campaignsIn(session, input, files, { read });
  return { kind: 'revision', name, commit, missing, ...rehearsed };
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
