/** What the checks of messages find in a campaign's. */
import { dirname, join } from 'node:path';
import type { ReadCampaign } from '../../../campaign/file/read.ts';
import type { Observed } from '../../../campaign/model.ts';
import type { LintFinding } from '../../../lint/finding.ts';

/** Errors and warnings. @param path of the campaign's file: contents are named beside it */
export async function lintOf(
  { campaign }: ReadCampaign,
  _observed: Observed,
  path: string,
): Promise<readonly LintFinding[]> {
  const { lintSms } = await import('../../../lint/sms.ts');
  const found = campaign.items.flatMap((item) => {
    if (item.kind !== 'message' || item.channel !== 'sms') return [];
    const file = item.files['message'];
    const origin = { file: file === undefined ? null : join(dirname(path), file) };
    return lintSms({ ...item.values, name: item.name }, origin);
  });
  return found.filter(({ severity }) => severity !== 'info');
}
