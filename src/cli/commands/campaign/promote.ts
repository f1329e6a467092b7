/** Defines `svc promote FILE --from PROFILE --to PROFILE`, which plans a file with the ids of one account for another account. */

import { type ParsedCampaign, positionOf } from '../../../features/campaign/file/read.ts';
import {
  COMPANY_OF_FILE,
  type IdInCampaign,
  keyOfId,
  listIdsOfCampaign,
  type PromotedIds,
} from '../../../features/campaign/promoted-ids.ts';
import { parseIntegerDigits } from '../../../kit/schema/integer.ts';
import { quoteShellWord } from '../../../kit/text/words.ts';
import { MESSAGE_RESOURCES } from '../../../service/resources/task.ts';
import type { Verb } from '../../command/command.ts';
import { textFlag } from '../../command/flag.ts';
import { type FileFinding, UsageError } from '../../errors/errors.ts';
import { findRecordsByName, readNameWithoutMark } from '../../request/find-by-name.ts';
import { readListNames } from '../../request/list-names.ts';
import type { Ports } from '../../session/ports.ts';
import { openSession } from '../../session/session.ts';
import { PLAN_FLAGS, planFiles } from './plan-make.ts';

const fromFlag = {
  ...textFlag('from', { describe: 'Profile whose ids the file has', value: 'profile', required: true }),
  completes: 'profile',
} as const;
const toFlag = {
  ...textFlag('to', { describe: 'Profile to plan for', value: 'profile', required: true }),
  completes: 'profile',
} as const;

export const promote: Verb = {
  name: 'promote',
  summary: 'Plan a campaign file of one profile for another',
  about:
    'Is svc plan for the profile of --to. An id in the file is one of --from, and so is its company: svc finds the record of the same name, and shows each pair. Lists have the names that svc profile set PROFILE list.NAME ID saved. An id from --values or --set stays. Changes nothing in the services. To apply the plan, run svc apply PLAN --profile PROFILE',
  work: 'reads',
  exits: { 11: 'the plan has changes (with --check)' },
  section: 'task',
  example: 'promote spring.yaml --from staging --to production --out spring.plan',
  positionals: [{ name: 'file', describe: 'Campaign file', variadic: true, completes: 'file' }],
  flags: [
    ...[fromFlag, toFlag],
    ...PLAN_FLAGS.map((flag) =>
      flag.name === 'out' ? { ...flag, describe: 'Save the plan to this file' } : flag,
    ),
  ],
  needsNoCompany: true,
  run: async (session, input) => {
    if (session.globals.profile !== undefined || session.globals.company !== undefined)
      throw new UsageError('svc promote takes its profiles and companies from --from and --to', {
        hint: 'leave out --profile and --company',
      });
    const open = (profile: string): Ports =>
      openSession(session.context, { ...session.globals, profile }, { command: 'plan', run: session.run });
    const from = open(input.get(fromFlag));
    // A dry run of the command ends before it writes the plan.
    const to: Ports = { ...open(input.get(toFlag)), beforeChange: session.beforeChange };
    try {
      await refuseSameAccount(from, to);
      return await planFiles(to, input, async ({ path, parsed }, values) => {
        const ids: Record<string, PromotedIds[string]> = await companyPair(from, to, path, parsed);
        const faults: FileFinding[] = [];
        for (const found of listIdsOfCampaign(parsed.campaign)) {
          if (parsed.variables.get(keyOfId(found))?.some((name) => values.has(name))) continue;
          const other = await findCounterpart(from, to, found);
          if ('fault' in other) faults.push(faultAt(path, parsed, found, other.fault));
          else if (other.id !== found.id) ids[keyOfId(found)] = { from: found.id, to: other.id };
        }
        for (const [key, { from: id, to: other }] of Object.entries(ids))
          await session.info(`${key}: ${other} instead of ${id}`);
        return { ids, faults };
      });
    } finally {
      await from.close();
      await to.close();
    }
  },
};

/** @throws UsageError for a file of a company that neither profile has */
async function companyPair(
  from: Ports,
  to: Ports,
  path: string,
  { campaign: { company } }: ParsedCampaign,
): Promise<Record<string, PromotedIds[string]>> {
  if (company === null) return {};
  const [own, other] = [await companyOf(from), await companyOf(to)];
  if (String(company) === other) return {};
  if (String(company) === own && other !== undefined) return { [COMPANY_OF_FILE]: { from: own, to: other } };
  throw new UsageError(
    `${path} is for company ${company}, which is that of neither --from nor --to; nothing was sent`,
    { hint: 'name a profile of that company with --from' },
  );
}

async function companyOf(session: Ports): Promise<string | undefined> {
  const { companyId } = (await session.resolved()).credentials;
  return companyId === undefined ? undefined : String(companyId);
}

async function refuseSameAccount(from: Ports, to: Ports): Promise<void> {
  const [a, b] = [await from.resolved(), await to.resolved()];
  const isSame = a.origin === b.origin && String(a.credentials.companyId) === String(b.credentials.companyId);
  if (isSame)
    throw new UsageError('--from and --to are the same company of the same service; nothing was sent', {
      hint: 'name two profiles, and unset variables such as SVC_BASE_URL and SVC_COMPANY_ID',
    });
}

function faultAt(
  path: string,
  parsed: ParsedCampaign,
  { item, attribute }: IdInCampaign,
  fault: string,
): FileFinding {
  const place = positionOf(parsed, item.kind, item.key, attribute) ?? {};
  return { file: path, ...place, attribute: '', reason: `${item.kind} ${item.key}: ${fault}` };
}

type Counterpart = { readonly id: string } | { readonly fault: string };

const GIVE_VALUE = `write \${{name}} for the id, and give the other one with --set name=ID`;

async function findCounterpart(from: Ports, to: Ports, found: IdInCampaign): Promise<Counterpart> {
  const { id, names } = found;
  switch (names) {
    case 'list':
      return findList(from, to, id);
    case 'message':
      return findMessage(from, to, found);
    case 'record':
      return { fault: `id ${id} is a record of ${await nameOf(from)}; remove id and hash` };
    case 'search':
    case 'link':
      return {
        fault: `${names} ${id} has no name, so svc cannot find it in ${await nameOf(to)}; ${GIVE_VALUE}`,
      };
  }
}

const nameOf = async (session: Ports): Promise<string> => `profile ${(await session.profileName()) ?? ''}`;

async function findList(from: Ports, to: Ports, id: string): Promise<Counterpart> {
  const [own, others] = [await readListNames(from), await readListNames(to)];
  const name = own.get(id);
  const [here, there] = [await nameOf(from), await nameOf(to)];
  if (name === undefined)
    return {
      fault: `list ${id} has no name in ${here}; ${await nameList(from, 'NAME', id)}, or ${GIVE_VALUE}`,
    };
  const same = (lists: ReadonlyMap<string, string>) =>
    [...lists].filter(([, each]) => each === name).map(([each]) => each);
  if (same(own).length > 1)
    return {
      fault: `list ${id}: ${same(own).length} lists of ${here} are called ${JSON.stringify(name)}; ${GIVE_VALUE}`,
    };
  const called = `list called ${JSON.stringify(name)}`;
  if (same(others).length === 0)
    return {
      fault: `list ${id}: ${there} has no ${called}; ${await nameList(to, name, 'ID')}, or ${GIVE_VALUE}`,
    };
  return only(same(others), `list ${id}`, called, there);
}

async function nameList(session: Ports, name: string, id: string): Promise<string> {
  const profile = quoteShellWord((await session.profileName()) ?? 'PROFILE');
  return `name it with svc profile set ${profile} ${quoteShellWord(`list.${name}`)} ${id}`;
}

async function findMessage(
  from: Ports,
  to: Ports,
  { id, channel = 'email' }: IdInCampaign,
): Promise<Counterpart> {
  const resource = MESSAGE_RESOURCES[channel];
  const record = await (await from.client()).get(resource, parseIntegerDigits(id));
  if (record === undefined) return { fault: `message ${id} not found in ${await nameOf(from)}` };
  const name = readNameWithoutMark(String(record.name));
  const found = await findRecordsByName(await to.client(), [resource], name, {});
  const ids = found.map((each) => String(each.record.id));
  return only(ids, `message ${id}`, `message called ${JSON.stringify(name)}`, await nameOf(to));
}

function only(ids: readonly string[], what: string, called: string, where: string): Counterpart {
  const [id, ...others] = ids;
  if (id === undefined) return { fault: `${what}: ${where} has no ${called}; ${GIVE_VALUE}` };
  return others.length === 0
    ? { id }
    : { fault: `${what}: ${where} has more than one ${called} (${ids.join(', ')}); ${GIVE_VALUE}` };
}
