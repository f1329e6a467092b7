/** Writes the text of a plan file. */

import { dirname, resolve } from 'node:path';
import type { ResolvedCredentials } from '../../../client/profiles/credentials.ts';
import { collectObservedCampaignState } from '../../../features/campaign/plan/continuation.ts';
import { relativeCampaignPath } from '../../../features/campaign/plan-file/derive.ts';
import { formatPlanFile } from '../../../features/campaign/plan-file/plan-file.ts';
import { namingOverridesOf } from '../../../service/protocol/naming.ts';
import { isStreamPath } from '../../request/new-file.ts';
import type { Invocation } from '../../session/ports.ts';
import type { PlannedCampaignFile } from './read.ts';

/** The path of the campaign file is relative to the folder of the plan file, or to the working folder for stdout, a device or a pipe. */
export function planFileText(
  session: Invocation,
  file: PlannedCampaignFile,
  service: ResolvedCredentials,
  out: string | undefined,
  valid: number,
  bundle?: string,
): string {
  const { cwd } = session.context;
  const path = out === undefined ? undefined : resolve(cwd, out);
  const folder = path === undefined || isStreamPath(session.context, path) ? cwd : dirname(path);
  const { parsed, set, env, ids = {}, observed, planned } = file;
  const { account, now } = observed;
  const { madeAt: _, ...options } = file.options;
  return formatPlanFile({
    origin: service.origin,
    naming: namingOverridesOf(service.naming) ?? {},
    campaign: parsed.campaign.campaign,
    company: { id: String(account.id), name: String(account.name) },
    made: Math.floor(now),
    validUntil: Math.floor(now) + valid,
    inputs: {
      ...{ file: relativeCampaignPath(folder, resolve(cwd, file.path)), files: parsed.inputs },
      ...{ set: Object.fromEntries(set), env, options, wanted: parsed.campaign },
      ...(bundle === undefined ? {} : { bundle }),
      ...(Object.keys(ids).length === 0 ? {} : { ids }),
    },
    observed: collectObservedCampaignState(planned),
    steps: planned.steps,
  });
}
