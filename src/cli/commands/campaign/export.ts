/** Defines `svc export DIR`, which writes the company's records as a campaign file with content files. It writes nothing to the service. */

import { lstat, mkdtemp, open, rename, rm, rmdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { openTemporaryFile } from '../../../client/bulk/temporary-file.ts';
import {
  describeOmittedRecord,
  type ExportedCampaign,
  exportCampaign,
} from '../../../features/campaign/export/export.ts';
import type { ItemKind } from '../../../features/campaign/model.ts';
import { readAllRecordsAndMessageLinks } from '../../../features/campaign/observe.ts';
import { codeOf, systemErrorReason } from '../../../kit/files/errors.ts';
import { quoteShellWord } from '../../../kit/text/words.ts';
import type { Verb } from '../../command/command.ts';
import { textFlag } from '../../command/flag.ts';
import { CliError, UsageError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import { makeOutputFolder } from '../../request/new-file.ts';
import type { Notes } from '../../session/ports.ts';

const FILE = 'campaign.yaml';
const CONTENT = 'content';

const campaignFlag = textFlag('campaign', {
  describe: "Name of the campaign (default: the company's name)",
  value: 'name',
});

export const campaignExport: Verb = {
  name: 'export',
  summary: 'Export messages, tasks and rules as a campaign file',
  about: `Writes ${FILE} and ${CONTENT}/ to the folder, and overwrites nothing. Messages contain the original links, not the tracked ones. Completed and cancelled tasks are left out. After the export, svc plan shows no changes. See svc help campaigns`,
  work: 'reads',
  section: 'Resources and their fields',
  example: 'export spring',
  positionals: [{ name: 'dir', describe: 'Folder to write to; svc creates it', completes: 'file' }],
  flags: [campaignFlag],
  companies: 'reads',
  run: async (session, input) => {
    const [folder = ''] = input.positionals;
    if (folder.trim() === '')
      throw new UsageError('svc export needs a folder', { hint: 'write svc export spring' });
    // With --companies, each company gets a folder of its own, named after its id.
    const shown = session.globals.companies === undefined ? folder : join(folder, String(session.actsFor));
    const dir = resolve(session.context.cwd, shown);
    await refuseExistingFiles(dir, shown, [FILE, CONTENT]);
    const asked = input.get(campaignFlag);
    if (asked !== undefined && (asked.trim() === '' || /[\r\n]/.test(asked)))
      throw new UsageError('--campaign must be a one-line name');
    const observed = await readAllRecordsAndMessageLinks(await session.client());
    const { account } = observed;
    const campaign = asked ?? nameFor(account.name, account.id);
    const words = (await session.resolved()).naming;
    const exported = await exportCampaign(observed, { campaign, words });
    await warnAboutLosses(session, exported);
    session.beforeChange(`write ${join(shown, FILE)}`);
    const files = [...exported.contents].map(
      ([path, text]) => [path.slice(CONTENT.length + 1), text] as const,
    );
    await writeCampaignFiles(dir, shown, exported.text, files);
    const counts = countsOf(exported);
    const file = join(shown, FILE);
    await session.info(`wrote ${file}; to compare it with the service, run svc plan ${quoteShellWord(file)}`);
    return {
      result: {
        kind: 'object',
        value: { file, campaign, ...counts, leftOut: exported.omitted.length },
        columns: [
          { name: 'file' },
          { name: 'campaign', role: 'name' },
          ...[...Object.keys(counts), 'leftOut'].map((name) => ({ name, kind: 'number' as const })),
        ],
      },
    };
  },
};

/** Returns the company's name on one line, or its id if the name is empty. */
function nameFor(name: unknown, id: unknown): string {
  const line = String(name ?? '')
    .replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
  return line === '' ? `Company ${String(id)}` : line;
}

async function warnAboutLosses(session: Notes, { items, omitted }: ExportedCampaign): Promise<void> {
  for (const { channelOrRuleKind, id, name, warnings } of items)
    for (const warning of warnings)
      await session.warn(`${channelOrRuleKind} message ${id} (${name}): ${warning}`);
  for (const each of omitted) await session.warn(`not exported: ${describeOmittedRecord(each)}`);
}

function countsOf({ items }: ExportedCampaign) {
  const count = (kind: ItemKind): number => items.filter((item) => item.kind === kind).length;
  return { messages: count('message'), tasks: count('task'), automations: count('automation') };
}

/** @throws UsageError if `dir`, as the user typed it in `folderName`, is not a folder or contains a file with one of the names */
async function refuseExistingFiles(dir: string, folderName: string, names: readonly string[]): Promise<void> {
  for (const name of ['', ...names]) {
    const found = await lstat(join(dir, name)).catch((cause: NodeJS.ErrnoException) => {
      if (cause.code === 'ENOENT') return undefined;
      throw cantWrite(folderName, cause);
    });
    if (name !== '' && found)
      throw new UsageError(`${join(folderName, name)} already exists; nothing was written`, {
        hint: 'choose another folder, or remove the existing files',
      });
  }
}

/**
 * Never overwrites a file. Writes the campaign file last, so that all content files exist if it does. Files get mode 0600 and folders
 * 0700, because they may contain personal data.
 */
async function writeCampaignFiles(
  dir: string,
  folderName: string,
  campaignText: string,
  files: readonly (readonly [name: string, text: string])[],
): Promise<void> {
  await refuseExistingFiles(dir, folderName, [FILE, CONTENT]);
  const made = makeOutputFolder(dir);
  let part: string | undefined;
  try {
    part = await mkdtemp(join(dir, `${CONTENT}.part-`));
    for (const [name, text] of files) await writeNew(join(part, name), text);
    const last = await openTemporaryFile(join(dir, FILE), join(folderName, FILE), { force: undefined });
    await last.write(campaignText);
    if (files.length > 0) {
      await refuseExistingFiles(dir, folderName, [CONTENT]);
      await rename(part, join(dir, CONTENT));
    } else await rmdir(part);
    part = undefined;
    await last.commit();
  } catch (cause) {
    if (part !== undefined) await rm(part, { recursive: true, force: true });
    for (const each of made.toReversed()) await rmdir(each).catch(() => undefined);
    throw cause instanceof Error && 'syscall' in cause ? cantWrite(folderName, cause) : cause;
  }
}

async function writeNew(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text, 'utf8');
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A full disk is no fault of the command: exit 1, as for every other file that svc writes. */
function cantWrite(shown: string, cause: Error): Error {
  const code = codeOf(cause) ?? '';
  const message = ['ENOTDIR', 'EEXIST'].includes(code)
    ? `${shown} is not a folder`
    : `cannot write to ${shown}: ${systemErrorReason(cause)}`;
  return code === 'ENOSPC'
    ? new CliError('file', message, { exit: EXIT.failed, cause })
    : new UsageError(message, { cause });
}
