/** What the checks of messages find in a campaign's. */
import { dirname, join } from 'node:path';
import type { ReadCampaign } from '../../../campaign/file/read.ts';
import type { Observed, WantedMessage } from '../../../campaign/model.ts';
import type { LintFinding } from '../../../lint/finding.ts';
import { NEUTRAL_WORDS } from '../../../schema/resource.ts';

/** Errors and warnings. @param path of the campaign's file: contents are named beside it */
export async function lintOf(
  { campaign }: ReadCampaign,
  { account }: Observed,
  path: string,
): Promise<readonly LintFinding[]> {
  const [{ lintSms }, { lintEmail }] = await Promise.all([
    import('../../../lint/sms.ts'),
    import('../../../lint/email.ts'),
  ]);
  const { address } = account;
  const known = typeof address === 'string' && address !== '' ? { postalAddress: address } : {};
  const lint = ({ channel, name, values, files }: WantedMessage): readonly LintFinding[] => {
    const named = Object.fromEntries(
      Object.entries(files).map(([attribute, file]) => [attribute, join(dirname(path), file)]),
    );
    const content = { ...values, name };
    if (channel === 'sms') return lintSms(content, { file: named['message'] ?? null });
    return lintEmail(content, { files: named, stored: new Set(), words: NEUTRAL_WORDS, ...known });
  };
  const found = campaign.items.flatMap((item) => (item.kind === 'message' ? lint(item) : []));
  return found.filter(({ severity }) => severity !== 'info');
}
