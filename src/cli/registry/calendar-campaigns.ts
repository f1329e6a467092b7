/** Lets `svc task calendar` read campaign files for their series. Loads the code of campaigns only if there is a file. */

import { repeatableTextFlag } from '../command/flag.ts';
import { InvalidInputError, UsageError } from '../errors/errors.ts';
import type { CampaignsOfCalendar } from '../nouns/task/calendar.ts';
import { CAMPAIGN_VALUE_FLAGS } from '../request/campaign-value-flags.ts';

const campaignFlag = {
  ...repeatableTextFlag('campaign', {
    describe: 'Campaign file whose series to show, too (repeatable)',
    value: 'file',
  }),
  completes: 'file',
} as const;

export const campaignsOfCalendar: CampaignsOfCalendar = {
  flags: [campaignFlag, ...CAMPAIGN_VALUE_FLAGS],
  read: async (session, input) => {
    const paths = input.get(campaignFlag);
    const given = CAMPAIGN_VALUE_FLAGS.find((flag) => input.has(flag));
    if (paths.length === 0 && given !== undefined)
      throw new UsageError(`--${given.name} needs --campaign`, { hint: 'add --campaign FILE' });
    if (paths.length === 0) return [];
    const { readCampaignFiles, sorted } = await import('../commands/campaign/read.ts');
    const { readGivenValues, valuesFor } = await import('../commands/campaign/values.ts');
    const { naming, credentials } = await session.resolved();
    const values = valuesFor(await readGivenValues(session, input), credentials.companyId);
    const { files, faults } = await readCampaignFiles(session, paths, naming, values);
    if (faults.length > 0) throw new InvalidInputError(sorted(faults), 'nothing was sent');
    return files.flatMap(({ parsed }) => (parsed ? [parsed.campaign] : []));
  },
};
