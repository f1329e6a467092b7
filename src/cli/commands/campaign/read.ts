/** What `plan` and `apply` do first: read the file, look at the service once, and plan. */

import { type CampaignFault, type ReadCampaign, readCampaignFile } from '../../../campaign/file/read.ts';
import type { Observed } from '../../../campaign/model.ts';
import { observe } from '../../../campaign/observe.ts';
import { observedState } from '../../../campaign/plan/continuation.ts';
import { type Planned, plan } from '../../../campaign/plan/plan.ts';
import type { PlanOptions } from '../../../campaign/plan/situation.ts';
import type { PlanParts } from '../../../campaign/plan-file/plan-file.ts';
import type { Resolved } from '../../../profiles/credentials.ts';
import { overridesOf } from '../../../protocol/naming.ts';
import type { Input } from '../../command/command.ts';
import { durationFlag, switchFlag, textsFlag } from '../../command/flag.ts';
import { type FileFinding, FindingsError, UsageError } from '../../errors/errors.ts';
import type { Session } from '../../session/session.ts';

export const setFlag = textsFlag('set', {
  describe: 'Value of a variable in the file (repeatable)',
  value: 'name=value',
});
export const envFlag = textsFlag('env', {
  describe: 'Environment variable that the file may use (repeatable)',
  value: 'name',
});
export const overwriteFlag = switchFlag('overwrite', { describe: 'Write over what was changed by hand' });
export const pruneFlag = switchFlag('prune', { describe: 'Cancel and delete what the file no longer names' });
export const validFlag = durationFlag('valid', {
  describe: 'How long the plan can be applied',
  default: '24h',
  unit: 'seconds',
  min: '1m',
  max: '30d',
});

/** A campaign file, planned. */
export interface PlannedFile {
  readonly path: string;
  readonly read: ReadCampaign;
  readonly set: ReadonlyMap<string, string>;
  /** The variables of the environment that `--env` allows. */
  readonly env: Readonly<Record<string, string>>;
  readonly options: PlanOptions;
  readonly observed: Observed;
  readonly planned: Planned;
}

export async function planFile(session: Session, input: Input, path: string): Promise<PlannedFile> {
  const set = variablesIn(input.get(setFlag));
  const env = allowedIn(session, input.get(envFlag));
  const read = await readFileOf(session, path, { set, env });
  await refuseOtherCompany(session, path, read.campaign.company);
  const client = await session.client();
  const observed = await observe(client, read.campaign);
  const options = {
    overwrite: input.get(overwriteFlag),
    prune: input.get(pruneFlag),
    zone: session.globals.tz ?? String(observed.account['timezone']),
    madeAt: Math.floor(observed.now),
  };
  return { path, read, set, env, options, observed, planned: plan(read.campaign, observed, options) };
}

/** @throws FindingsError exit 2 with all faults of the file, each with its place */
async function readFileOf(
  session: Session,
  path: string,
  { set, env }: Pick<PlannedFile, 'set' | 'env'>,
): Promise<ReadCampaign> {
  const { cwd } = session.context;
  const read = await readCampaignFile(path, { cwd, env, set, words: await wordsOf(session) });
  if ('faults' in read) throw new FindingsError(read.faults.map(findingOf), 'nothing was sent');
  const unused = [...set.keys()].find((name) => !read.usedVariables.has(name));
  if (unused !== undefined)
    throw new UsageError(`--set ${unused}: the file has no variable \${{ ${unused} }}`);
  const spare = Object.keys(env).find((name) => !read.usedVariables.has(`env.${name}`));
  if (spare !== undefined)
    throw new UsageError(`--env ${spare}: the file has no variable \${{ env.${spare} }}`);
  return read;
}

/** The words of the deployment, for the rules about opt-in elements. */
async function wordsOf(session: Session) {
  return (await session.resolved()).naming;
}

const findingOf = ({ file, line, column, message }: CampaignFault): FileFinding => ({
  file,
  line,
  column,
  attribute: '',
  reason: message,
});

function variablesIn(given: readonly string[]): ReadonlyMap<string, string> {
  const set = new Map<string, string>();
  for (const each of given) {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(each) ?? [];
    if (name === undefined || value === undefined)
      throw new UsageError(`--set ${each}: must be name=value`, { hint: 'write --set build=42' });
    set.set(name, value);
  }
  return set;
}

/** @throws UsageError for a name that is not set, or given as `name=value` */
function allowedIn({ context }: Session, names: readonly string[]): PlannedFile['env'] {
  return Object.fromEntries(
    names.map((name) => {
      const value = Object.hasOwn(context.env, name) ? context.env[name] : undefined;
      if (value !== undefined) return [name, value];
      throw new UsageError(`--env ${name}: the environment has no such variable`, {
        hint: name.includes('=')
          ? 'write --env NAME; --set name=value gives a value'
          : `export ${name}=… first`,
      });
    }),
  );
}

/** Contract: "another company is exit 2". */
async function refuseOtherCompany(session: Session, path: string, company: number | null): Promise<void> {
  if (company === null) return;
  const { credentials } = await session.resolved();
  if (credentials.companyId !== undefined && String(credentials.companyId) === String(company)) return;
  throw new UsageError(
    `${path} is for company ${company}, and this is ${credentials.companyId ?? 'none'}; nothing was sent`,
    {
      hint: credentials.kind === 'partner' ? `give --company ${company}` : 'use a profile of that company',
    },
  );
}

/**
 * Returns what goes into the plan's file.
 * @param service where it would be applied
 * @param file of the campaign, from the folder of the plan
 * @param valid seconds
 */
export function partsOf(
  { read, set, env, options, observed, planned }: PlannedFile,
  { origin, naming }: Pick<Resolved, 'origin' | 'naming'>,
  file: string,
  valid: number,
): PlanParts {
  const { account, now } = observed;
  const { overwrite, prune, zone } = options;
  return {
    origin,
    naming: overridesOf(naming) ?? {},
    campaign: read.campaign.campaign,
    company: { id: String(account['id']), name: String(account['name']) },
    made: Math.floor(now),
    validUntil: Math.floor(now) + valid,
    inputs: {
      file,
      files: read.inputs,
      set: Object.fromEntries(set),
      env,
      options: { overwrite, prune, zone },
      wanted: read.campaign,
    },
    observed: observedState(planned),
    steps: planned.steps,
  };
}
