/** An export over a sandbox in memory, read back and planned over what is there then, as `svc plan` does. */
import { expect } from 'vitest';
import { type Exported, exportCampaign } from '../../../src/campaign/export/export.ts';
import { type ParsedCampaign, readCampaign } from '../../../src/campaign/file/read.ts';
import { observe, observeAll } from '../../../src/campaign/observe.ts';
import { plan } from '../../../src/campaign/plan/plan.ts';
import type { PlanOptions } from '../../../src/campaign/plan/situation.ts';
import type { Client } from '../../../src/client/client.ts';
import { inWords } from '../support.ts';

export interface ReadBack {
  readonly exported: Exported;
  readonly read: ParsedCampaign;
  /** What a plan says now, in words. */
  readonly planned: (options?: Partial<PlanOptions>) => Promise<readonly string[]>;
}

export async function exportOf(client: Client, campaign = 'Company'): Promise<ReadBack> {
  const exported = await exportCampaign(await observeAll(client), { campaign });
  const read = await readBack(exported);
  return {
    exported,
    read,
    planned: async (options = {}) => {
      const observed = await observe(client, read.campaign);
      const all = { overwrite: false, prune: false, zone: 'Europe/London', ...options };
      return inWords(plan(read.campaign, observed, all).steps);
    },
  };
}

/** @param edit of the text of the file */
export async function readBack(
  { text, contents }: Exported,
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

/** Contract: "`plan` on it right after has nothing to do". */
export async function hasNothingToDo({ read, planned }: ReadBack): Promise<void> {
  const steps = await planned();
  expect(steps.filter((step) => !step.startsWith('keep ') && !step.startsWith('orphaned '))).toEqual([]);
  expect(steps.filter((step) => step.startsWith('keep '))).toHaveLength(read.campaign.items.length);
}
