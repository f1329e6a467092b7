/** Defines `svc export DIR`, which writes the company's records as a campaign file with content files. It writes nothing to the service. */
import { join, resolve } from 'node:path';
import {
  describeOmittedRecord,
  type ExportedCampaign,
  exportCampaign,
} from '../../../campaign/export/export.ts';
import type { ItemKind } from '../../../campaign/model.ts';
import { readAllRecordsAndMessageLinks } from '../../../campaign/observe.ts';
import { quoteShellWord } from '../../../text/words.ts';
import type { Verb } from '../../command/command.ts';
import { textFlag } from '../../command/flag.ts';
import { UsageError } from '../../errors/errors.ts';
import type { StderrNotePrinter } from '../../session/notes.ts';
import { refuseExistingFiles, writeCampaignFiles } from './write-folder.ts';

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
  run: async (session, input) => {
    const [shown = ''] = input.positionals;
    if (shown.trim() === '')
      throw new UsageError('svc export needs a folder', { hint: 'write svc export spring' });
    const dir = resolve(session.context.cwd, shown);
    await refuseExistingFiles(dir, shown, [FILE, CONTENT]);
    const asked = input.get(campaignFlag);
    if (asked !== undefined && (asked.trim() === '' || /[\r\n]/.test(asked)))
      throw new UsageError('--campaign must be a one-line name');
    const observed = await readAllRecordsAndMessageLinks(await session.client());
    const { account } = observed;
    const campaign = asked ?? nameFor(account['name'], account['id']);
    const words = (await session.resolved()).naming;
    const exported = await exportCampaign(observed, { campaign, words });
    await warnAboutLosses(session, exported);
    session.beforeChange(`write ${join(shown, FILE)}`);
    const files = [...exported.contents].map(
      ([path, text]) => [path.slice(CONTENT.length + 1), text] as const,
    );
    await writeCampaignFiles(dir, shown, {
      file: { name: FILE, text: exported.text },
      subfolder: { name: CONTENT, files: new Map(files) },
    });
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

/** Returns a name for the campaign: the company's name on one line, or its id if the name is empty. */
function nameFor(name: unknown, id: unknown): string {
  const line = String(name ?? '')
    .replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
  return line === '' ? `Company ${String(id)}` : line;
}

/** Warns about records that the campaign file lacks, and about records that the file cannot describe completely. */
async function warnAboutLosses(
  session: StderrNotePrinter,
  { items, omitted }: ExportedCampaign,
): Promise<void> {
  for (const { channelOrRuleKind, id, name, warnings } of items)
    for (const warning of warnings)
      await session.warn(`${channelOrRuleKind} message ${id} (${name}): ${warning}`);
  for (const each of omitted) await session.warn(`not exported: ${describeOmittedRecord(each)}`);
}

function countsOf({
  items,
}: ExportedCampaign): Readonly<Record<'messages' | 'tasks' | 'automations', number>> {
  const count = (kind: ItemKind): number => items.filter((item) => item.kind === kind).length;
  return { messages: count('message'), tasks: count('task'), automations: count('automation') };
}
