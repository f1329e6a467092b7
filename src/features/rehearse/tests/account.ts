/** The accounts in which tests run: the demo company, or a copy of an account, which a snapshot file may hold. */

import type { Field } from '../../../kit/schema/field.ts';
import { isObject } from '../../../kit/text/json-object.ts';
import { explainTooNewFileVersion } from '../../../kit/text/svc-error.ts';
import { formatTime } from '../../../kit/text/timezone.ts';
import type { AccountCopy } from '../../../sandbox/seed/copied-account.ts';
import { lastSubscriberIdPerAudience, seedAccountCopy } from '../../../sandbox/seed/copied-account.ts';
import { seedDemo } from '../../../sandbox/seed/demo.ts';
import { DEMO_RECORD_IDS, DEMO_TIMEZONE } from '../../../sandbox/seed/demo-company.ts';
import { formatJson, parseJson } from '../../../service/protocol/json.ts';
import type { Naming } from '../../../service/protocol/naming.ts';
import { catalogue } from '../../../service/resources/catalogue.ts';
import { RULE_KINDS } from '../../../service/resources/rule-kinds.ts';
import { CampaignError } from '../../campaign/errors.ts';
import type { Campaign } from '../../campaign/model.ts';
import { audienceKey, audiencesOfCampaigns } from '../campaign-audiences.ts';
import type { SeededAccount } from '../copied-service.ts';
import type { AccountReadResult } from '../read-account.ts';

type Random = (octets: number) => Uint8Array;

/** A copied account with the facts that svc knows about it. */
export interface CopiedAccount extends Pick<AccountReadResult, 'copy' | 'guessedSizes' | 'unknownSizes'> {
  /** Sentences about what svc does not know. */
  readonly unknown: readonly string[];
}

export const demoZone = DEMO_TIMEZONE;
export const demoCompanyId = DEMO_RECORD_IDS.company;
export const demoLists: ReadonlySet<number> = new Set(Object.values(DEMO_RECORD_IDS.lists));

export const demoAccount = (at: number, naming: Naming, random: Random): SeededAccount => ({
  at,
  userId: DEMO_RECORD_IDS.users.admin,
  seed: (db) =>
    seedDemo({ db, now: at, naming, key: (octets) => Buffer.from(random(octets)).toString('hex') }),
});

/**
 * Returns 12:00 on the last Sunday up to `now`, in the zone of the demo company. So the tests give the same result at any hour of a week.
 * Both times are Unix seconds.
 */
export function lastSundayNoon(now: number): number {
  const hour = 3600;
  let time = Math.floor(now / hour) * hour;
  while (!/^Sun .* 12:00/.test(formatTime(time, DEMO_TIMEZONE, 'weekday'))) time -= hour;
  return time;
}

/** The copy also has the lists that only the campaign names. They are empty. */
export function copiedAccount(
  { copy, unknownSizes, ...known }: CopiedAccount,
  campaign: Campaign,
  random: Random,
): { readonly seeded: SeededAccount; readonly lists: ReadonlySet<number> } & Pick<
  CopiedAccount,
  'guessedSizes' | 'unknownSizes'
> {
  const named = audiencesOfCampaigns([campaign]);
  const missing = (kind: 'lists' | 'searches') =>
    [...named[kind]].filter((id) => !copy[kind].some((each) => each.id === id)).sort((a, b) => a - b);
  const added = { lists: missing('lists'), searches: missing('searches') };
  const empty = (id: number) => ({ id, email: 0, sms: 0 });
  const lists = [...copy.lists, ...added.lists.map(empty)];
  const complete: AccountCopy = {
    ...{ ...copy, lists },
    searches: [...copy.searches, ...added.searches.map(empty)],
  };
  const unknown = [
    ...added.lists.flatMap((id) => CHANNELS.map((channel) => audienceKey('list', id, channel))),
    ...added.searches.flatMap((id) => CHANNELS.map((channel) => audienceKey('search', id, channel))),
  ];
  return {
    seeded: {
      at: copy.at,
      userId: copy.userId,
      seed: (db) => seedAccountCopy({ db, random }, complete),
    },
    lists: new Set(lists.map(({ id }) => id)),
    guessedSizes: known.guessedSizes,
    unknownSizes: new Set([...unknownSizes, ...unknown]),
  };
}

const CHANNELS = ['email', 'sms'] as const;

const SNAPSHOT_VERSION = 1;

/** Returns the text of a snapshot file. It has no personal data, because the copy has none. */
export const formatSnapshot = ({ copy, guessedSizes, unknownSizes, unknown }: CopiedAccount): string =>
  `${formatJson(
    {
      ...{ version: SNAPSHOT_VERSION, kind: SNAPSHOT_KIND, unknown },
      ...{ guessedSizes: [...guessedSizes], unknownSizes: [...unknownSizes], copy },
    },
    1,
  )}\n`;

/** The tests invent that many people in memory. A snapshot may come from somebody else. */
const MAX_PEOPLE = 10_000_000;

const SNAPSHOT_KIND = 'svc-account-snapshot';

/** Returns the copied account of a snapshot file, or a fault for any other text. */
export function parseSnapshot(text: string): CopiedAccount | { readonly fault: string } {
  const parsed = parsedJson(text);
  if (!isObject(parsed) || parsed['kind'] !== SNAPSHOT_KIND)
    return { fault: 'is no snapshot of an account; make one with svc sandbox clone --to FILE' };
  const newer = explainTooNewFileVersion('it', parsed['version'], SNAPSHOT_VERSION);
  if (newer !== undefined) return { fault: `can't be read: ${newer}` };
  const { copy, guessedSizes, unknownSizes, unknown } = parsed;
  if (!isCopy(copy) || ![guessedSizes, unknownSizes, unknown].every(isTexts))
    return { fault: 'is a damaged snapshot; make it again with svc sandbox clone --to FILE' };
  const people = lastSubscriberIdPerAudience(copy).at(-1) ?? 0;
  if (people > MAX_PEOPLE)
    return {
      fault: `has ${people} people; the maximum is ${MAX_PEOPLE}, so give smaller sizes: svc sandbox clone --list-size ID=N`,
    };
  return {
    copy,
    guessedSizes: new Set(guessedSizes as string[]),
    unknownSizes: new Set(unknownSizes as string[]),
    unknown: unknown as string[],
  };
}

function parsedJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');

const RECORD_LISTS = ['users', 'folders', 'destinations', 'emails', 'links', 'smsMessages', 'tasks'];

/** Checks the members on which the sandbox relies. The error of `withSnapshotError` names records that its tables can't hold. */
function isCopy(value: unknown): value is AccountCopy {
  if (!isObject(value)) return false;
  const { at, userId, account, rules } = value;
  const isRecords = (each: unknown): boolean => Array.isArray(each) && each.every(isObject);
  return (
    Number.isSafeInteger(at) &&
    Number.isSafeInteger(userId) &&
    isObject(account) &&
    isObject(rules) &&
    Object.values(rules).every(isRecords) &&
    RULE_KINDS.every((kind) => kind in rules) &&
    RECORD_LISTS.every((name) => isRecords(value[name])) &&
    [value['lists'], value['searches']].every(areAudiences) &&
    areTimesPlausible(value)
  );
}

const TIME_ATTRIBUTES: ReadonlySet<string> = new Set([
  'at',
  ...catalogue.flatMap(({ fields }) =>
    Object.entries<Field>(fields).flatMap(([name, { format }]) => (format === 'timestamp' ? [name] : [])),
  ),
]);

/** Unix seconds, in the year 9999. Dates of later times have no usual form. */
const LAST_TIME = 253_402_300_799;

/** The engine would move its clock through all days until such a time. */
const areTimesPlausible = (value: unknown): boolean =>
  typeof value !== 'object' ||
  value === null ||
  Object.entries(value).every(([name, each]) =>
    TIME_ATTRIBUTES.has(name) && each !== null
      ? typeof each === 'number' && each >= 0 && each <= LAST_TIME
      : areTimesPlausible(each),
  );

/** @param name path of the snapshot file */
export const withSnapshotError = (account: SeededAccount, name: string): SeededAccount => ({
  ...account,
  seed: async (db) => {
    try {
      await account.seed(db);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new CampaignError('input', `${name} is a damaged snapshot: ${why}`, {
        hint: 'make it again with svc sandbox clone --to FILE',
        cause: error,
      });
    }
  },
});

const areAudiences = (value: unknown): boolean =>
  Array.isArray(value) && value.every((each) => isObject(each) && isAudience(each));

const isAudience = ({ id, email, sms }: Readonly<Record<string, unknown>>): boolean =>
  Number.isSafeInteger(id) && [email, sms].every((size) => Number.isSafeInteger(size) && Number(size) >= 0);
