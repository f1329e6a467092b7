/** Tells an assistant how a person approves a plan, and asks that person for the approval file if the client can ask. */
import { basename, dirname, relative, resolve } from 'node:path';
import { isSignatureFile } from '../../../features/campaign/approval/signatures.ts';
import { CampaignError } from '../../../features/campaign/errors.ts';
import { readPlanFile } from '../../../features/campaign/plan-file/plan-file.ts';
import { readRegularFile } from '../../../kit/files/private-file.ts';
import { removeUnsafeCharacters } from '../../../kit/text/terminal.ts';
import { quoteShellWord } from '../../../kit/text/words.ts';
import { UsageError } from '../../errors/errors.ts';
import { writeNewFile } from '../../request/new-file.ts';
import { realPathInside } from './folder-access.ts';
import type { McpServerSettings } from './settings.ts';

/** Returns the answer, or undefined if the person gives none. */
export type Ask = (question: string) => Promise<string | undefined>;

export interface ApprovalRequest {
  /** Absolute path of the plan. */
  readonly plan: string;
  readonly command: string;
  readonly sha256: string;
}

/** @param path of a file, as the call names it. Undefined if it is not a plan that can be approved */
export function approvalRequest(
  { allowedFolder: { folder }, accountFlags }: McpServerSettings,
  path: string,
): ApprovalRequest | undefined {
  const plan = resolve(folder, path);
  try {
    const { sha256 } = readPlanFile(plan, path);
    const command = ['svc', 'approve', plan, ...accountFlags].map(quoteShellWord).join(' ');
    // A person cannot see what such a path is, and no result has control characters.
    const isPlain = removeUnsafeCharacters(command) === command && !/\p{Cc}/u.test(command);
    return isPlain ? { plan, sha256, command } : undefined;
  } catch (error) {
    // A plan that cannot be read cannot be approved. The result of the tool says why.
    if (error instanceof CampaignError) return undefined;
    throw error;
  }
}

/** Returns true if the plan has an approval file that it lacked. `apply` then checks who signed it. */
export async function askForApproval(
  { allowedFolder, context }: McpServerSettings,
  { plan, command, sha256 }: ApprovalRequest,
  ask: Ask,
): Promise<boolean> {
  const { folder } = allowedFolder;
  const answer = await ask(
    `Nothing was sent: this plan needs the approval of a person. To read and approve it, run in a shell:\n${command}\n` +
      `Digest of the plan: ${sha256}\nThen enter the path of the approval file that the command wrote. Never enter a key here.`,
  );
  if (answer === undefined) return false;
  const file = await realPathInside(allowedFolder, relative(folder, resolve(folder, answer))).catch(
    (error: unknown) => {
      if (error instanceof UsageError) return undefined;
      throw error;
    },
  );
  // The answer is not quoted, because a person may have entered a key in spite of the question.
  if (file === undefined || !isSignatureFile(file)) return false;
  const isBeside = dirname(file) === dirname(plan) && basename(file).startsWith(`${basename(plan)}.`);
  if (isBeside) return true;
  const name = basename(file)
    .replace(/\.sig$/, '')
    .replaceAll(/[^A-Za-z0-9@._+-]+/g, '-');
  const target = `${plan}.${name}.sig`;
  const text = readRegularFile(file, basename(file), MAX_OCTETS);
  await writeNewFile({ context }, { path: target, name: basename(target) }, text);
  return true;
}

const MAX_OCTETS = 32 * 1024;
