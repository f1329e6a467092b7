/** Makes the copy in which tests are played: the account, the people of the test file, and the campaign. */

import { ClientError } from '../../../client/requests/errors.ts';
import { SendError } from '../../../client/sends/errors.ts';
import { advanceClockTo } from '../../../sandbox/engine/tick.ts';
import { accountById } from '../../../sandbox/store/accounts.ts';
import { openSqliteInMemory, type RevertibleStore } from '../../../sandbox/store/open.ts';
import { addProfileData, createField } from '../../../sandbox/store/profile-data.ts';
import { listRowsOfAccount } from '../../../sandbox/store/rows.ts';
import { createSubscriber, findSubscriber, subscribe } from '../../../sandbox/store/subscribers.ts';
import { listNamedRows, type NamedRow, shortenList } from '../../../sandbox/store/timeline.ts';
import { REACTION_SHARE_PRESETS } from '../../../service/protocol/control/audience.ts';
import { ServiceError } from '../../../service/protocol/service-errors.ts';
import { CampaignError } from '../../campaign/errors.ts';
import type { FilePosition } from '../../campaign/file/document.ts';
import type { Campaign, ItemKind, WantedItem } from '../../campaign/model.ts';
import { readNameWithoutCampaignMark } from '../../campaign/plan/adoption.ts';
import type { PlanOptions } from '../../campaign/plan/situation.ts';
import { createItemFinder } from '../../campaign/renames.ts';
import { expandSeries, keyInFile } from '../../campaign/series.ts';
import type { Reference } from '../../campaign/test-file/statement.ts';
import type { TestPerson } from '../../campaign/test-file/test-file.ts';
import { type SeededAccount, type ServiceWithAccountCopy, startSeededService } from '../copied-service.ts';
import { addSenders } from '../rehearse.ts';

export interface PreparedAccount {
  readonly service: ServiceWithAccountCopy & { readonly store: RevertibleStore };
  readonly companyId: number;
  /** Unix seconds at which every test begins. */
  readonly start: number;
  readonly zone: string;
  readonly signal: AbortSignal;
  /** Subscribers by the names of their people. */
  readonly people: ReadonlyMap<string, number>;
}

export interface PreparationOptions {
  readonly account: SeededAccount;
  readonly zone: string;
  /** Not before the account's own time. */
  readonly start: number;
  readonly people: readonly TestPerson[];
  /** Numbers of other people by list, if the list has more. */
  readonly listSizes: ReadonlyMap<number, number>;
  readonly random: (octets: number) => Uint8Array;
  readonly signal: AbortSignal;
  readonly fault: (place: FilePosition, message: string) => void;
}

const SILENCE = { shares: REACTION_SHARE_PRESETS.none, seed: 1 };

/** The caller closes the service. */
export async function prepareAccount({
  account,
  zone,
  start,
  people,
  listSizes,
  random,
  signal,
  fault,
}: PreparationOptions): Promise<PreparedAccount> {
  const service = await startSeededService(openSqliteInMemory(), account, {
    ...{ random, signal, simulatedRecipients: SILENCE },
  });
  const { store, companyId } = service;
  try {
    if (start > account.at) await service.advanceTo(start);
    const added = await addPeople(store, companyId, { people, start, fault });
    for (const [list, most] of listSizes)
      await store.transaction((db) => shortenList(db, list, most, [...added.values()]));
    return { service, companyId, start, zone, signal, people: added };
  } catch (error) {
    await service.close();
    throw error;
  }
}

async function addPeople(
  store: RevertibleStore,
  companyId: number,
  { people, start, fault }: Pick<PreparationOptions, 'people' | 'start' | 'fault'>,
): Promise<ReadonlyMap<string, number>> {
  const added = new Map<string, number>();
  for (const { name, place, lists, email, msisdn, fields } of people)
    try {
      await store.transaction(async (db) => {
        const contact = { email, msisdn };
        const known = await findSubscriber(db, companyId, contact);
        const id = known?.id ?? (await createSubscriber(db, companyId, contact, start));
        for (const list of lists) await subscribe(db, list.id, id, start);
        for (const [field, value] of Object.entries(fields)) {
          const all = await listRowsOfAccount(db, 'profile_field', companyId);
          const company = await accountById(db, companyId);
          if (!company) continue;
          const own = all.find((each) => each.name === field);
          const fieldId = own?.id ?? (await createField(db, company, { name: field, cdate: start }));
          await addProfileData(db, companyId, { fieldId, subscriberId: id }, value);
        }
        added.set(name, id);
      });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      fault(place, `person ${name}: ${error.message}`);
    }
  return added;
}

/** The records of the campaign in the copy. */
export interface PreparedCampaign {
  /** Sentences such as `task spring is blocked: …`. The tests can't be played then. */
  readonly obstacles: readonly string[];
  readonly targets: (reference: Reference) => Targets;
  /** Returns the key of a record in the campaign file, or else its name in quotes, or else its kind and id. */
  readonly nameOf: (kind: NamedRow['kind'], id: number) => string;
  /** Returns `newsletter (task 5)`. */
  readonly labelOf: (kind: NamedRow['kind'], id: number) => string;
  /** Ids of all tasks. */
  readonly tasks: readonly number[];
}

/** The records that a reference means. Several, for example, if a message has versions. */
export interface Targets {
  readonly tasks: ReadonlySet<number>;
  readonly emails: ReadonlySet<number>;
  readonly sms: ReadonlySet<number>;
  /** Kinds and ids: `click:3`. */
  readonly rules: ReadonlySet<string>;
}

export async function applyInCopy(
  { service, companyId, zone }: PreparedAccount,
  campaign: Campaign,
  options: PlanOptions,
): Promise<PreparedCampaign> {
  await addSenders(service, [{ campaign }]);
  const obstacles = await applyAndListObstacles(service, campaign, options);
  const rows = await listNamedRows(service.store.db, companyId);
  const keys = keysByRow(rows, campaign, zone);
  const titleOf = (kind: NamedRow['kind'], id: number): string =>
    kind.startsWith('rule ') ? `${kind.slice(5)}:${id}` : `${kind} ${id}`;
  const nameOf = (kind: NamedRow['kind'], id: number): string => {
    const row = rows.find((each) => each.kind === kind && each.id === id);
    const name = row && `"${readNameWithoutCampaignMark({ name: row.name })}"`;
    return keys.get(`${kind} ${id}`)?.key ?? name ?? titleOf(kind, id);
  };
  return {
    obstacles,
    targets: (reference) => targetsOf(reference, rows, keys),
    nameOf,
    labelOf: (kind, id) => {
      const [title, name] = [titleOf(kind, id), nameOf(kind, id)];
      return name === title ? title : `${name} (${title})`;
    },
    tasks: rows.flatMap(({ kind, id }) => (kind === 'task' ? [id] : [])),
  };
}

async function applyAndListObstacles(
  service: ServiceWithAccountCopy,
  campaign: Campaign,
  options: PlanOptions,
): Promise<readonly string[]> {
  try {
    const applied = await service.apply(campaign, options);
    return applied.flatMap(({ step: { action, kind, key, id, name, reason = 'no reason is known' } }) =>
      action === 'blocked' ? [`${kind} ${key ?? id ?? name} is blocked: ${reason}`] : [],
    );
  } catch (error) {
    if (error instanceof ClientError && error.kind === 'interrupted') throw error;
    if (error instanceof ClientError || error instanceof CampaignError || error instanceof SendError)
      return [error.message];
    throw error;
  }
}

type KeysByRow = ReadonlyMap<string, WantedItem>;

/** Finds the items of the campaign by the marks in names, and adopted records by their ids. */
function keysByRow(rows: readonly NamedRow[], campaign: Campaign, zone: string): KeysByRow {
  const items = expandSeries(campaign.items, zone);
  const findItem = createItemFinder({ ...campaign, items });
  const found = new Map<string, WantedItem>();
  for (const { kind, id, name } of rows) {
    const item = findItem(itemKindOf(kind), name);
    if (item) found.set(`${kind} ${id}`, item);
  }
  for (const item of items) {
    if (item.kind === 'folder' || !item.adopted) continue;
    const kind = item.kind === 'message' ? item.channel : item.kind === 'task' ? 'task' : `rule ${item.rule}`;
    found.set(`${kind} ${item.adopted.id}`, item);
  }
  return found;
}

function itemKindOf(kind: NamedRow['kind']): ItemKind {
  if (kind === 'task') return kind;
  return kind === 'email' || kind === 'sms' ? 'message' : 'automation';
}

function targetsOf(reference: Reference, rows: readonly NamedRow[], keys: KeysByRow): Targets {
  const targets = {
    tasks: new Set<number>(),
    emails: new Set<number>(),
    sms: new Set<number>(),
    rules: new Set<string>(),
  };
  const add = (kind: NamedRow['kind'], id: number): void => {
    if (kind === 'task') targets.tasks.add(id);
    else if (kind === 'email') targets.emails.add(id);
    else if (kind === 'sms') targets.sms.add(id);
    else targets.rules.add(`${kind.slice('rule '.length)}:${id}`);
  };
  if ('record' in reference) {
    const { kind, id } = reference.record;
    if (kind === 'task' || kind === 'email' || (kind === 'sms' && !reference.text.includes(':')))
      add(kind, id);
    else if (kind !== 'link') targets.rules.add(`${kind}:${id}`);
    return targets;
  }
  for (const { kind, id } of rows) {
    const item = keys.get(`${kind} ${id}`);
    if (item?.kind === reference.item.kind && keyInFile(item.key) === reference.item.key) add(kind, id);
  }
  return targets;
}

/** Moves the clock of the copy. The people of the test file react only as the test says. */
export async function moveTo(
  { service, start, signal, people }: PreparedAccount,
  time: number,
  audience: { readonly shares: (typeof SILENCE)['shares']; readonly seed: number },
): Promise<void> {
  const simulatedRecipients = { ...audience, silent: new Set(people.values()) };
  // An error ends the tests, so the steps of the engine need no savepoints, which take a sixth of their time.
  const store = { ...service.store, transaction: service.store.alone };
  await advanceClockTo(store, time, {
    machineNow: () => start * 1000,
    signal,
    simulatedRecipients,
  }).catch((error) => {
    signal.throwIfAborted();
    throw error;
  });
}
