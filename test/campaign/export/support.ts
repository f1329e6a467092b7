/** Exports from a sandbox in memory, reads the file back, and plans it against the same service, as `svc plan` does. */
import { expect } from 'vitest';
import type { Client } from '../../../src/client/requests/client.ts';
import { type ExportedCampaign, exportCampaign } from '../../../src/features/campaign/export/export.ts';
import { type ParsedCampaign, readCampaign } from '../../../src/features/campaign/file/read.ts';
import type { WantedItem } from '../../../src/features/campaign/model.ts';
import {
  readAllRecordsAndMessageLinks,
  readAllRecordsForCampaign,
} from '../../../src/features/campaign/observe.ts';
import { planCampaign } from '../../../src/features/campaign/plan/plan.ts';
import type { PlanOptions } from '../../../src/features/campaign/plan/situation.ts';
import { inWords } from '../support.ts';

export interface ReadBack {
  readonly exported: ExportedCampaign;
  readonly read: ParsedCampaign;
  /** Returns the steps of a plan made now, as text. */
  readonly planned: (options?: Partial<PlanOptions>) => Promise<readonly string[]>;
}

export async function exportOf(client: Client, campaign = 'Company'): Promise<ReadBack> {
  const exported = await exportCampaign(await readAllRecordsAndMessageLinks(client), { campaign });
  const read = await readBack(exported);
  return {
    exported,
    read,
    planned: async (options = {}) => {
      const observed = await readAllRecordsForCampaign(client, read.campaign);
      const all = { overwrite: false, prune: false, zone: 'Europe/London', ...options };
      return inWords(planCampaign(read.campaign, observed, all).steps);
    },
  };
}

/** @param edit changes the text of the file */
export async function readBack(
  { text, contents }: ExportedCampaign,
  edit: (text: string) => string = (same) => same,
): Promise<ParsedCampaign> {
  const read = await readCampaign(
    { path: 'campaign.yaml', octets: Buffer.from(edit(text)) },
    {
      env: {},
      set: new Map(),
      readContent: async (path) => {
        const found = contents.get(path);
        return found === undefined ? { fault: 'does not exist' } : { octets: Buffer.from(found) };
      },
    },
  );
  if ('faults' in read) throw new Error(`${JSON.stringify(read.faults)}\n${text}`);
  return read;
}

/** Contract: "`plan` on it right afterwards has no changes". */
export async function hasNothingToDo({ read, planned }: ReadBack): Promise<void> {
  const steps = await planned();
  expect(steps.filter((step) => !step.startsWith('keep ') && !step.startsWith('orphaned '))).toEqual([]);
  // A series has a step for each of its tasks.
  const stepsOf = (item: WantedItem): number => (item.kind === 'task' ? (item.repeat?.times ?? 1) : 1);
  const count = read.campaign.items.reduce((sum, item) => sum + stepsOf(item), 0);
  expect(steps.filter((step) => step.startsWith('keep '))).toHaveLength(count);
}
