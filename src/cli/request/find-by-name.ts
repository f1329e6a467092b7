/** svc adds marks to names, such as ` [svc-…]`. */

import type { Client } from '../../client/requests/client.ts';
import type { ReadOptions } from '../../client/requests/reads.ts';
import { parseKeyMark } from '../../client/requests/record-title.ts';
import { type RecordOf, type Resource, sortAttributesOf } from '../../kit/schema/resource.ts';
import { normaliseContactdata } from '../../kit/text/address.ts';
import { MAX_RECORDS_PER_PAGE } from '../../service/protocol/wire.ts';
import {
  CANCELLED_DUPLICATE_MARK_LETTER,
  isPartOfShownName,
  parseCampaignMark,
  REPLACED_RECORD_MARK_LETTER,
} from '../../service/resources/campaign-mark.ts';
import { resourceNamed } from '../../service/resources/catalogue.ts';

interface FoundRecord<R extends Resource> {
  readonly resource: R;
  readonly record: RecordOf<R>;
}

/** `message` covers the messages of both channels. */
export function referenceTargets(refersTo: string, channel: unknown): readonly Resource[] {
  const names =
    refersTo !== 'message'
      ? [refersTo]
      : channel === 'sms'
        ? ['smsMessage']
        : channel === 'email'
          ? ['emailMessage']
          : ['emailMessage', 'smsMessage'];
  return names.map(resourceNamed).filter((each) => each !== undefined);
}

/** Without an exact name, returns records with the name and a mark, if possible those no campaign has replaced. */
export async function findRecordsByName<R extends Resource>(
  client: Pick<Client, 'find' | 'list'>,
  resources: readonly R[],
  name: string,
  look: ReadOptions,
): Promise<readonly FoundRecord<R>[]> {
  const exact = await inEach(resources, (resource) => {
    const { calledBy = 'name' } = resource;
    const value = calledBy === 'contactdata' ? (normaliseContactdata(name)?.value ?? name) : name;
    return client.find(resource, { [calledBy]: value }, look);
  });
  if (exact.length > 0) return exact;
  const [, bare = name, tag] = TAGGED.exec(name) ?? [];
  const marked = await inEach(resources, (resource) => findMarked(client, resource, bare, tag));
  const current = marked.filter(({ record }) => !isReplaced(nameOf(record)));
  return current.length > 0 ? current : marked;
}

async function inEach<R extends Resource>(
  resources: readonly R[],
  find: (resource: R) => Promise<readonly RecordOf<R>[]>,
): Promise<readonly FoundRecord<R>[]> {
  const found: FoundRecord<R>[] = [];
  for (const resource of resources)
    found.push(...(await find(resource)).map((record) => ({ resource, record })));
  return found;
}

/** A mark must have the hash `tag` of a campaign, as tables show it, if `tag` is given. */
async function findMarked<R extends Resource>(
  client: Pick<Client, 'list'>,
  resource: R,
  bare: string,
  tag: string | undefined,
): Promise<readonly RecordOf<R>[]> {
  if (resource.calledBy !== 'name' || !sortAttributesOf(resource).includes('name')) return [];
  const options = { sort: 'name', from: `${bare} [svc-`, pageSize: ROWS_PER_PAGE };
  const found: RecordOf<R>[] = [];
  // The order of names is the service's own, so a single other name does not end the search.
  for await (const rows of client.list<R>(resource, options).pages()) {
    const matching = rows.filter((row) => isMarkedName(nameOf(row), bare, tag));
    if (matching.length === 0) break;
    found.push(...matching);
  }
  return found;
}

/** Returns the newest records whose visible name contains the text, ignoring case. Sends one request. */
export async function findRecordsByPartOfName<R extends Resource>(
  client: Pick<Client, 'list'>,
  resource: R,
  part: string,
): Promise<readonly RecordOf<R>[]> {
  const pageSize = Object.hasOwn(resource.fields, 'html') ? ROWS_PER_PAGE : MAX_RECORDS_PER_PAGE;
  for await (const rows of client.list<R>(resource, { sort: 'id', reverse: true, pageSize }).pages())
    return rows.filter((row) => isPartOfShownName(part, String(nameOf(row) ?? '')));
  return [];
}

const nameOf = (record: { readonly name?: unknown }): unknown => record.name;

/** A message has tens of kilobytes, and few records have one name. */
const ROWS_PER_PAGE = 20;

function isMarkedName(name: unknown, bare: string, tag: string | undefined): boolean {
  const marked = parseCampaignMark(name);
  if (tag !== undefined) return marked?.name === bare && marked.mark.campaignHash === tag;
  return (marked?.name ?? parseKeyMark(name)) === bare;
}

/** The mark is that of a campaign or a key. */
export const readNameWithoutMark = (name: string): string =>
  parseCampaignMark(name)?.name ?? parseKeyMark(name) ?? name;

function isReplaced(name: unknown): boolean {
  const letter = parseCampaignMark(name)?.mark.contentHashOrReason;
  return letter === REPLACED_RECORD_MARK_LETTER || letter === CANCELLED_DUPLICATE_MARK_LETTER;
}

/** Matches `Spring sale ⟨9aw0rm⟩`, as tables show names. */
const TAGGED = /^(.+) ⟨([0-9a-z]{6})⟩$/s;
