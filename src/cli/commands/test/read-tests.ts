/** Reads test files, their campaigns and their accounts. All faults of all files are reported together. */

import { readdir, realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import {
  decodeText,
  describeReadError,
  HIDDEN_FILE_FAULT,
  isInside,
  readContentFile,
} from '../../../features/campaign/file/content-files.ts';
import type { ParsedCampaign } from '../../../features/campaign/file/read.ts';
import { MAX_CAMPAIGN_FILE_OCTETS } from '../../../features/campaign/file/versioned-file.ts';
import type { Campaign } from '../../../features/campaign/model.ts';
import {
  type CampaignTestFile,
  isTestFileName,
  readTestFile,
  type TestFileHead,
  type TestSurroundings,
} from '../../../features/campaign/test-file/test-file.ts';
import type { CopiedAccount } from '../../../features/rehearse/tests/account.ts';
import type { TestAccount } from '../../../features/rehearse/tests/run.ts';
import { codeOf } from '../../../kit/files/errors.ts';
import { parseTimePhrase } from '../../../kit/text/time-phrase.ts';
import { readTimezone } from '../../../kit/text/timezone.ts';
import type { Input } from '../../command/command.ts';
import { type FileFinding, UsageError } from '../../errors/errors.ts';
import { once } from '../../session/once.ts';
import type { Ports } from '../../session/ports.ts';
import { readCampaignFiles } from '../campaign/read.ts';
import { findingOf, readGivenValues, valuesFor } from '../campaign/values.ts';
import { sayWithIds } from '../rehearse/sentences.ts';

export interface ReadTests {
  readonly file: CampaignTestFile;
  readonly campaign: Campaign;
  /** Name of the account for people: `demo`, `profile`, or the path of a snapshot. */
  readonly accountName: string;
  readonly account: TestAccount;
  readonly unknown: readonly string[];
  /** Absolute paths of all files on which the results depend. */
  readonly paths: readonly string[];
}

const MAX_SNAPSHOT_OCTETS = 1024 * 1024 * 1024;

/** Returns the test files that the operands name: files, and those in or below folders. Without an operand, those below this folder. */
export async function findTestFiles(
  { context: { cwd } }: Ports,
  operands: readonly string[],
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const operand of operands.length === 0 ? ['.'] : operands) {
    const stats = await stat(resolve(cwd, operand)).catch(() => undefined);
    if (!stats?.isDirectory()) found.push(operand);
    else found.push(...(await testFilesBelow(cwd, operand)));
  }
  if (found.length > 0) return [...new Set(found)];
  throw new UsageError(
    `no test file (*.test.yaml) in ${operands.length === 0 ? 'this folder' : operands.join(', ')} or below`,
    {
      hint: 'svc explain campaign-test shows how to write one',
    },
  );
}

async function testFilesBelow(cwd: string, folder: string): Promise<readonly string[]> {
  const entries = await readdir(resolve(cwd, folder), { withFileTypes: true }).catch(() => []);
  const found: string[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = folder === '.' ? entry.name : join(folder, entry.name);
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
    if (entry.isDirectory()) found.push(...(await testFilesBelow(cwd, path)));
    else if (isTestFileName(entry.name)) found.push(path);
  }
  return found;
}

/** Reads one file after the other. The account of the profile is read at most once. */
export async function readTests(
  session: Ports,
  input: Input,
  paths: readonly string[],
): Promise<{ readonly tests: readonly ReadTests[]; readonly faults: readonly FileFinding[] }> {
  const tests: ReadTests[] = [];
  const faults: FileFinding[] = [];
  const profileAccount = once(() => readProfileAccount(session));
  for (const path of paths) {
    const read = await readOne(session, input, path, profileAccount);
    if ('faults' in read) faults.push(...read.faults);
    else tests.push(read);
  }
  return { tests, faults };
}

async function readProfileAccount(session: Ports): Promise<CopiedAccount> {
  const { readAccountCopy } = await import('../../../features/rehearse/read-account.ts');
  const read = await session.waiting('while the account is read', async () =>
    readAccountCopy(await session.client(), { keepsNotificationTargets: true }),
  );
  return { ...read, unknown: read.unknown.map(sayWithIds) };
}

async function readOne(
  session: Ports,
  input: Input,
  path: string,
  profileAccount: () => Promise<CopiedAccount>,
): Promise<ReadTests | { readonly faults: readonly FileFinding[] }> {
  const others: FileFinding[] = [];
  let surroundings: Surroundings | undefined;
  const read = await readWith(session, path, async (head, fault) => {
    surroundings = await surroundingsOf(session, input, { path, head, fault, others, profileAccount });
    return surroundings;
  });
  if ('faults' in read || others.length > 0 || !surroundings?.ready)
    return { faults: [...others, ...('faults' in read ? read.faults : [])] };
  const { campaign, account, accountName, unknown, paths } = surroundings.ready;
  const own = resolve(session.context.cwd, path);
  return { file: read.file, campaign, account, accountName, unknown, paths: [own, ...paths] };
}

/** Checks a test file and its campaign without the account, which needs no request. */
export async function findTestFileFaults(
  session: Ports,
  input: Input,
  path: string,
): Promise<readonly FileFinding[]> {
  const others: FileFinding[] = [];
  const read = await readWith(session, path, async (head) => {
    const named = await campaignOf(session, input, { path, head });
    others.push(...(named?.faults ?? []));
    return { ...NOTHING_KNOWN, campaign: named?.parsed?.campaign };
  });
  return [...others, ...('faults' in read ? read.faults : [])];
}

async function readWith(
  { context: { cwd } }: Ports,
  path: string,
  surroundings: Parameters<typeof readTestFile>[1],
): Promise<{ readonly file: CampaignTestFile } | { readonly faults: readonly FileFinding[] }> {
  const octets = await readFileOctets(resolve(cwd, path), MAX_CAMPAIGN_FILE_OCTETS);
  if ('fault' in octets)
    return { faults: [findingOf({ file: path, line: 1, column: 1, message: `the file ${octets.fault}` })] };
  const read = await readTestFile({ path, octets: octets.octets }, surroundings);
  return 'faults' in read ? { faults: read.faults.map(findingOf) } : read;
}

export async function readFileOctets(path: string, most: number) {
  try {
    return await readContentFile(await realpath(path), most);
  } catch (error) {
    return { fault: describeReadError(error), code: codeOf(error) };
  }
}

type Surroundings = Omit<TestSurroundings, 'fault'> & { readonly ready?: Omit<ReadTests, 'file'> };

interface Request {
  readonly path: string;
  readonly head: TestFileHead;
  readonly fault: TestSurroundings['fault'];
  /** Gets the faults of the campaign file. */
  readonly others: FileFinding[];
  readonly profileAccount: () => Promise<CopiedAccount>;
}

const NOTHING_KNOWN = { campaign: undefined, start: undefined, zone: 'UTC', lists: undefined } as const;

/** Reads the campaign file that a test file names. */
async function campaignOf(session: Ports, input: Input, { path, head }: Pick<Request, 'path' | 'head'>) {
  if (!head.campaign) return undefined;
  const campaignPath = pathBeside(path, head.campaign.path);
  const refusal = await refusalOfCampaignPath(session, path, head.campaign.path);
  if (refusal !== undefined) {
    const message = `campaign: ${head.campaign.path} ${refusal}`;
    const fault = findingOf({ file: path, ...head.campaign.place, message });
    return { path: campaignPath, faults: [fault], parsed: undefined };
  }
  const { files, faults } = await readCampaignFiles(
    session,
    [campaignPath],
    await session.naming(),
    valuesFor(await readGivenValues(session, input), undefined),
  );
  return { path: campaignPath, faults, parsed: files[0]?.parsed };
}

/** Faults of YAML quote the file, and a test file may come from somebody else. So it must not name `.git/config` or `.env`. */
async function refusalOfCampaignPath(
  { context: { cwd, confined } }: Ports,
  testPath: string,
  campaign: string,
): Promise<string | undefined> {
  const folder = await realPathOf(dirname(resolve(cwd, testPath)));
  const found = await realPathOf(resolve(folder, campaign));
  const parts = [...(isAbsolute(campaign) ? [] : campaign.split('/')), ...relative(folder, found).split(sep)];
  if (parts.some((part) => /^\.(?!\.?$)/.test(part))) return HIDDEN_FILE_FAULT;
  if (confined !== undefined && !isInside(found, await realPathOf(cwd)))
    return 'is not in the working folder';
  const stats = await stat(found).catch(() => undefined);
  if (!stats) return 'does not exist';
  return stats.isDirectory() ? 'is a folder' : undefined;
}

const realPathOf = (path: string): Promise<string> => realpath(path).catch(() => path);

async function surroundingsOf(session: Ports, input: Input, request: Request): Promise<Surroundings> {
  const { cwd } = session.context;
  const { head, others, fault } = request;
  const named = await campaignOf(session, input, request);
  others.push(...(named?.faults ?? []));
  const parsed = named?.parsed;
  if (!head.campaign || !named || named.faults.length > 0 || !parsed) return NOTHING_KNOWN;
  const campaignPath = named.path;
  const found = await accountOf(session, request, parsed.campaign);
  if (!found) return { ...NOTHING_KNOWN, campaign: parsed.campaign };
  const { company, uncheckable, ...account } = found;
  const own = parsed.campaign.company;
  if (own !== null && String(own) !== String(company))
    fault(
      head.campaign.place,
      `${campaignPath} is for company ${String(own)}, and the tests use company ${String(company)}`,
    );
  const { withoutUncheckableSizes } = await import('../../../features/rehearse/rehearse.ts');
  const campaign = withoutUncheckableSizes(parsed.campaign, uncheckable);
  return {
    ...{ campaign, start: account.account.start, zone: account.account.zone, lists: account.lists },
    ready: { campaign, ...account, paths: [...account.paths, ...pathsOf(cwd, campaignPath, parsed)] },
  };
}

/** Returns a path as the user would type it. */
const pathBeside = (path: string, other: string): string =>
  isAbsolute(other) ? other : relative('', join(dirname(path), other)) || other;

function pathsOf(cwd: string, campaignPath: string, { inputs }: ParsedCampaign): readonly string[] {
  const folder = dirname(resolve(cwd, campaignPath));
  return inputs.map(({ file }) => join(folder, file));
}

interface FoundAccount extends Pick<ReadTests, 'account' | 'accountName' | 'unknown' | 'paths'> {
  readonly company: unknown;
  readonly lists: ReadonlySet<number>;
  readonly uncheckable: Pick<CopiedAccount, 'guessedSizes' | 'unknownSizes'>;
}

async function accountOf(
  session: Ports,
  { head, path, fault, profileAccount }: Request,
  campaign: Campaign,
): Promise<FoundAccount | undefined> {
  const { random, clock, cwd } = session.context;
  const accounts = await import('../../../features/rehearse/tests/account.ts');
  const { copiedAccount, demoAccount, demoCompanyId, demoLists, demoZone, lastSundayNoon } = accounts;
  if (head.account === 'demo') {
    const now = Math.floor(clock.now() / 1000);
    const start = startOf({ head, fault }, demoZone, now) ?? lastSundayNoon(now);
    const seeded = demoAccount(start, await session.naming(), random);
    return {
      ...{ account: { seeded, zone: demoZone, start }, accountName: 'demo', unknown: [], paths: [] },
      ...{ company: demoCompanyId, lists: demoLists },
      uncheckable: { guessedSizes: new Set(), unknownSizes: new Set() },
    };
  }
  const isProfile = head.account === 'profile';
  const snapshotPath = head.account === 'profile' ? '' : pathBeside(path, head.account.snapshot);
  const known =
    head.account === 'profile'
      ? await profileAccount()
      : await readSnapshot(resolve(cwd, snapshotPath), snapshotPath, head.account.place, fault);
  if (!known) return undefined;
  const { seeded, lists, ...uncheckable } = copiedAccount(known, campaign, random);
  const zone =
    readTimezone(known.copy.account.timezone) ?? (isProfile ? await session.requiredZone() : 'UTC');
  const given = startOf({ head, fault }, zone, seeded.at);
  if (given !== undefined && given < seeded.at && head.starts)
    fault(head.starts.place, `starts: ${head.starts.text} is before the account was copied`);
  return {
    account: {
      seeded: isProfile ? seeded : accounts.withSnapshotError(seeded, snapshotPath),
      ...{ zone, start: given ?? seeded.at },
    },
    accountName: isProfile ? 'profile' : snapshotPath,
    unknown: known.unknown,
    paths: isProfile ? [] : [resolve(cwd, snapshotPath)],
    ...{ company: known.copy.account.id, lists, uncheckable },
  };
}

/** The service takes later times for milliseconds. */
const MAX_START_AHEAD = 100 * 366 * 86_400;

function startOf(
  { head: { starts }, fault }: Pick<Request, 'head' | 'fault'>,
  zone: string,
  now: number,
): number | undefined {
  if (!starts) return undefined;
  const read = parseTimePhrase(starts.text, { now, zone });
  const isFar = read.ok && read.time > now + MAX_START_AHEAD;
  if (read.ok && !isFar) return read.time;
  const reason = read.ok ? `"${starts.text}" is more than 100 years ahead; check the year` : read.reason;
  fault(starts.place, `starts: ${reason}`);
  return undefined;
}

async function readSnapshot(
  full: string,
  name: string,
  place: { readonly line: number; readonly column: number },
  fault: Request['fault'],
): Promise<CopiedAccount | undefined> {
  const read = await readFileOctets(full, MAX_SNAPSHOT_OCTETS);
  const text = 'fault' in read ? undefined : decodeText(read.octets);
  if (text === undefined) {
    const why = 'fault' in read ? read.fault : 'is not UTF-8 text';
    fault(place, `account: ${name} ${why}; write demo, profile, or a file of svc sandbox clone --to`);
    return undefined;
  }
  const { parseSnapshot } = await import('../../../features/rehearse/tests/account.ts');
  const parsed = parseSnapshot(text);
  if (!('fault' in parsed)) return parsed;
  fault(place, `account: ${name} ${parsed.fault}`);
  return undefined;
}
