/** Finds a small audience for which a statement still fails: fewer kinds of reactions, and fewer people on each list. */

import { listRowsOfAccount } from '../../../sandbox/store/rows.ts';
import { listSubscriberIdsOn, shortenList } from '../../../sandbox/store/timeline.ts';
import {
  REACTION_SHARE_PRESETS,
  RECIPIENT_REACTIONS,
  type RecipientReactionShares,
} from '../../../service/protocol/control/audience.ts';
import type { Campaign } from '../../campaign/model.ts';
import type { PlanOptions } from '../../campaign/plan/situation.ts';
import type { CampaignTest, CampaignTestFile } from '../../campaign/test-file/test-file.ts';
import { judgeTest } from './judge.ts';
import { playTests } from './play.ts';
import { applyInCopy, type PreparedAccount } from './prepare.ts';

export interface SmallestAudience {
  readonly shares: RecipientReactionShares;
  /** Numbers of other people by list. Lists that are not in the map are as they were. */
  readonly lists: ReadonlyMap<number, number>;
}

export interface FailedStatement {
  readonly file: CampaignTestFile;
  readonly test: CampaignTest;
  readonly campaign: Campaign;
  readonly planOptions: PlanOptions;
  readonly seed: number;
  /** Index of the statement in the test. */
  readonly index: number;
}

/** More plays for one statement would take too long on a large account. */
const MAX_PLAYS = 60;

export async function findSmallestAudience(
  account: PreparedAccount,
  failed: FailedStatement,
): Promise<SmallestAudience> {
  let plays = 0;
  const stillFails = async (audience: SmallestAudience): Promise<boolean> => {
    plays += 1;
    return plays <= MAX_PLAYS && (await failsWith(account, failed, audience));
  };
  const sizes = await listSizes(account);
  const nobody: SmallestAudience = {
    shares: REACTION_SHARE_PRESETS.none,
    lists: new Map(sizes.map(({ id }) => [id, 0])),
  };
  if (await stillFails(nobody)) return nobody;
  let smallest: SmallestAudience = { shares: failed.file.shares, lists: new Map() };
  const accept = async (audience: SmallestAudience): Promise<boolean> => {
    if (!(await stillFails(audience))) return false;
    smallest = audience;
    return true;
  };
  for (const reaction of RECIPIENT_REACTIONS)
    if (smallest.shares[reaction] > 0)
      await accept({ ...smallest, shares: { ...smallest.shares, [reaction]: 0 } });
  const used = RECIPIENT_REACTIONS.filter((reaction) => smallest.shares[reaction] > 0);
  if (used.length > 0 && !used.includes('bounce'))
    await accept({
      ...smallest,
      shares: { ...smallest.shares, ...Object.fromEntries(used.map((reaction) => [reaction, 1])) },
    });
  for (const { id, size } of sizes) {
    let fails = size;
    let holds = -1;
    while (fails - holds > 1) {
      const size = holds < 0 ? 0 : Math.floor((fails + holds) / 2);
      if (await accept({ ...smallest, lists: new Map([...smallest.lists, [id, size]]) })) fails = size;
      else holds = size;
      if (plays > MAX_PLAYS) break;
    }
  }
  return smallest;
}

/** Returns the lists with their numbers of other people, the largest first. */
async function listSizes({ service, companyId, people }: PreparedAccount) {
  const { db } = service.store;
  const named = new Set(people.values());
  const sizes: { id: number; size: number }[] = [];
  for (const { id } of await listRowsOfAccount(db, 'list', companyId)) {
    const size = (await listSubscriberIdsOn(db, id)).filter((each) => !named.has(each)).length;
    if (size > 0) sizes.push({ id, size });
  }
  return sizes.sort((a, b) => b.size - a.size);
}

async function failsWith(
  account: PreparedAccount,
  { file, test, campaign, planOptions, seed, index }: FailedStatement,
  { shares, lists }: SmallestAudience,
): Promise<boolean> {
  const { store } = account.service;
  let fails = false;
  await store.revertAfter(async () => {
    const named = [...account.people.values()];
    for (const [list, most] of lists) await store.transaction((db) => shortenList(db, list, most, named));
    const applied = await applyInCopy(account, withoutExpectedSizes(campaign), planOptions);
    if (applied.obstacles.length > 0) return;
    const stage = {
      ...{ account, campaign: applied, people: file.people, shares, seed },
      end: account.start + file.length,
    };
    await playTests(stage, [test], async (_, played) => {
      const [judged] = await judgeTest(test, played, index);
      const holds = judged?.contradiction === undefined;
      return {
        holds,
        record: () => {
          fails = !holds;
        },
      };
    });
  });
  return fails;
}

/** A smaller audience contradicts `expect-size`, which is no cause of a failure. */
export const withoutExpectedSizes = (campaign: Campaign): Campaign => ({
  ...campaign,
  items: campaign.items.map((item) => (item.kind === 'task' ? { ...item, expectSize: null } : item)),
});
