/** Checks that a plan's campaign equals its files (contract, "A plan can be trusted by whoever signs it"). */
import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { dirname, relative, resolve, sep } from 'node:path';
import { namingWithOverrides } from '../../../service/protocol/naming.ts';
import { CampaignError, KEEP_LINE_ENDS_HINT } from '../errors.ts';
import {
  type ContentFileLimits,
  type ContentFileResult,
  createContentFileReader,
  describeReadError,
  readContentFile,
} from '../file/content-files.ts';
import { readCampaignFile } from '../file/read.ts';
import type { Campaign } from '../model.ts';
import { type PromotedIds, replacePromotedIds } from '../promoted-ids.ts';
import { type Plan, toPlanJsonValue } from './plan-parts.ts';

/** Campaign files and content files have lower limits, which are checked later. */
const MAX_OCTETS = 64 * 1024 * 1024;

export const relativeCampaignPath = (folder: string, file: string): string =>
  relative(folder, file).split(sep).join('/');

/**
 * Looks for the campaign file relative to the folder of the plan and to each folder above, because people may move a plan deeper, and then
 * to the current folder.
 * @returns absolute path of the campaign's file
 * @param limits limits of the files that the campaign may read
 */
export async function requireCampaignFileMatchingPlan(
  path: string,
  cwd: string,
  plan: Pick<Plan, 'inputs' | 'naming'>,
  limits: ContentFileLimits,
): Promise<string> {
  const { file, files } = plan.inputs;
  const found = await firstExisting(
    [...foldersUpFrom(dirname(path)), cwd].map((from) => resolve(from, file)),
  );
  if (found === undefined)
    throw new CampaignError(
      'refused',
      `cannot find ${file}, which the plan was made from; nothing was sent`,
      {
        hint: 'svc looks for the campaign file in the folder of the plan, in the folders above it, and in the current folder. Run the command where the campaign files are, or make a new plan.',
      },
    );
  const readContent = createContentFileReader(dirname(found), limits);
  for (const [index, { file: name, sha256 }] of files.entries()) {
    const read = index === 0 ? await readWhole(found) : await readContent(name);
    if ('fault' in read) throw changed(`${name} ${read.fault}, but the plan was made with this file`);
    if (digestOf(read.octets) === sha256) continue;
    if (withOtherLineEnds(read.octets).some((octets) => digestOf(octets) === sha256))
      throw new CampaignError(
        'refused',
        `the line ends of ${name} differ from those in the plan; nothing was sent`,
        { hint: KEEP_LINE_ENDS_HINT },
      );
    throw changed(`${name} has changed since the plan was made`);
  }
  await checkCampaign(found, plan, limits);
  return found;
}

const digestOf = (octets: Uint8Array): string => createHash('sha256').update(octets).digest('hex');

function withOtherLineEnds(octets: Uint8Array): readonly Uint8Array[] {
  const text = Buffer.from(octets).toString('latin1').replaceAll('\r\n', '\n');
  return [text, text.replaceAll('\n', '\r\n')].map((each) => Buffer.from(each, 'latin1'));
}

async function checkCampaign(
  path: string,
  { inputs, naming }: Pick<Plan, 'inputs' | 'naming'>,
  limits: ContentFileLimits,
): Promise<void> {
  const { set, env, wanted, files } = inputs;
  const read = await readCampaignFile(path, {
    ...{ cwd: dirname(path), env, set: new Map(Object.entries(set)) },
    words: namingWithOverrides(naming),
    limits,
  });
  if ('faults' in read) {
    const [{ line, column, message } = { line: 1, column: 1, message: 'it has faults' }] = read.faults;
    throw forged(`${inputs.file}:${line}:${column}: ${message}`);
  }
  const unusedVariable = [...Object.keys(set), ...Object.keys(env).map((name) => `env.${name}`)].find(
    (name) => !read.usedVariables.has(name),
  );
  if (unusedVariable !== undefined) throw forged(`the files do not use the variable ${unusedVariable}`);
  if (textOf(read.inputs) !== textOf(files))
    throw forged('the campaign file does not refer to the same content files as the plan');
  const campaign = promoted(read.campaign, inputs.ids);
  if (textOf(campaign) !== textOf(wanted)) throw forged(differenceIn(campaign, wanted));
}

function promoted(campaign: Campaign, ids: PromotedIds = {}): Campaign {
  try {
    return replacePromotedIds(campaign, ids);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw forged(cause.message);
  }
}

const textOf = (value: unknown): string => JSON.stringify(toPlanJsonValue(value));

function differenceIn(files: Campaign, plan: Campaign): string {
  for (const [index, said] of plan.items.entries()) {
    const item = files.items[index];
    const name = `${said.kind} ${said.key}`;
    if (item?.kind !== said.kind || item.key !== said.key)
      return `the item ${name} of the plan is missing in the campaign file, or has another position there`;
    if (textOf(item) === textOf(said)) continue;
    const attribute = firstDifference(item, said);
    const value =
      attribute === 'values' && 'values' in item && 'values' in said
        ? firstDifference(item.values, said.values)
        : attribute;
    return `${value} of ${name} differs between the plan and the files`;
  }
  if (textOf(files.renamedFrom) !== textOf(plan.renamedFrom))
    return 'renamed-from of the campaign differs between the plan and the files';
  return 'the plan and the files have different items';
}

function firstDifference(a: object, b: object): string {
  const [one, other] = [new Map(Object.entries(a)), new Map(Object.entries(b))];
  const names = [...new Set([...one.keys(), ...other.keys()])];
  return names.find((name) => textOf([one.get(name)]) !== textOf([other.get(name)])) ?? 'something';
}

const changed = (what: string): CampaignError =>
  new CampaignError('refused', `${what}; nothing was sent`, {
    hint: 'Run svc plan to make a new plan. The new plan must be approved again.',
  });

const forged = (what: string): CampaignError =>
  new CampaignError('refused', `the plan does not match its files: ${what}; nothing was sent`, {
    hint: 'Do not trust this plan. Run svc plan to make a new plan from the same files.',
  });

function foldersUpFrom(folder: string): readonly string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...foldersUpFrom(above)];
}

/** An unreadable file counts, so that svc does not take another one of the same name. */
async function firstExisting(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) {
    const read = await readWhole(path);
    if ('octets' in read || read.fault !== NOT_THERE) return path;
  }
  return undefined;
}

async function readWhole(path: string): Promise<ContentFileResult> {
  try {
    return await readContentFile(await realpath(path), MAX_OCTETS);
  } catch (error) {
    return { fault: describeReadError(error) };
  }
}

const NOT_THERE = 'does not exist';
