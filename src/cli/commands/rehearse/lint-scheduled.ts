/** Runs lint on the messages of scheduled tasks, so that a rehearsal finds in them what it finds in the messages of a campaign. */

import { isActiveTask } from '../../../client/sends/same-send.ts';
import type { Campaign } from '../../../features/campaign/model.ts';
import { createCampaignHashTest } from '../../../features/campaign/renames.ts';
import type { RehearsalFinding } from '../../../features/rehearse/rehearsal-result.ts';
import type { ContentMarkupNames } from '../../../kit/schema/resource.ts';
import type { AccountCopy } from '../../../sandbox/seed/copied-account.ts';
import type { LintFinding } from '../../../service/lint/finding.ts';
import { parseCampaignMark } from '../../../service/resources/campaign-mark.ts';
import { attributesToLint, LINTED_ATTRIBUTES } from '../../request/message-lint.ts';

/** Leaves out tasks of the campaigns, whose files are linted instead. */
export async function lintScheduledMessages(
  { account, emails, smsMessages, tasks }: AccountCopy,
  campaigns: readonly Campaign[],
  words: ContentMarkupNames,
): Promise<readonly RehearsalFinding[]> {
  const own = campaigns.map(createCampaignHashTest);
  const isOwn = (name: unknown): boolean => {
    const mark = parseCampaignMark(String(name))?.mark;
    return mark !== undefined && own.some((isOfCampaign) => isOfCampaign(mark.campaignHash));
  };
  const scheduled = tasks.filter((task) => isActiveTask(task) && !isOwn(task.name));
  if (scheduled.length === 0) return [];
  const idsOf = (channel: string): ReadonlySet<unknown> =>
    new Set(scheduled.filter((task) => task.channel === channel).map(({ message_id }) => message_id));
  const [emailIds, smsIds] = [idsOf('email'), idsOf('sms')];
  const [{ lintEmail }, { lintSms }] = await Promise.all([
    import('../../../service/lint/email.ts'),
    import('../../../service/lint/sms.ts'),
  ]);
  const { address } = account;
  const known = typeof address === 'string' && address !== '' ? { postalAddress: address } : {};
  return [
    ...emails
      .filter(({ id }) => emailIds.has(id))
      // The copy has the original addresses of the links, as a file has.
      .flatMap((email) =>
        findingsAbout(
          `e-mail message ${String(email.id)}`,
          lintEmail(attributesToLint(LINTED_ATTRIBUTES.emailMessage, email), {
            files: {},
            stored: new Set(),
            words,
            ...known,
          }),
        ),
      ),
    ...smsMessages
      .filter(({ id }) => smsIds.has(id))
      .flatMap((sms) =>
        findingsAbout(
          `SMS message ${String(sms.id)}`,
          lintSms(attributesToLint(LINTED_ATTRIBUTES.smsMessage, sms), { file: null }),
        ),
      ),
  ];
}

const findingsAbout = (title: string, found: readonly LintFinding[]): readonly RehearsalFinding[] =>
  found.flatMap(({ severity, message, rule }) =>
    severity === 'info'
      ? []
      : [{ rule: 'lint', severity, message: [{ title: `${title}: ` }, `${message} [${rule}]`], at: null }],
  );
