import { pagedRows, pagesOf, type RowSource } from '../../../client/paging/paged-rows.ts';
import type { JsonObject } from '../../../protocol/envelope.ts';
import { MAX_COUNT } from '../../../protocol/query.ts';
import type { Scalar } from '../../../schema/field.ts';
import { type Finding, filtersOf, type Resource, sortsOf } from '../../../schema/resource.ts';
import type { Input, Verb } from '../../command/command.ts';
import { countFlag, type Flag, switchFlag } from '../../command/flag.ts';
import { FindingsError, UsageError } from '../../errors/errors.ts';
import { columnsOf } from '../../output/columns.ts';
import type { Rows } from '../../output/result.ts';
import { ROWS_ON_TERMINAL } from '../../output/rows-on-terminal.ts';
import {
  explainFilter,
  fieldOf,
  filterFlags,
  flagName,
  flagsFor,
  givenFor,
  isGiven,
  nullFilterFlags,
  nullsIn,
  reverseFlag,
  sortFlag,
  sortFlags,
} from '../../request/attribute-flags.ts';
import { emptyValue, readValue } from '../../request/values.ts';
import type { Session } from '../../session/session.ts';
import { nextFirst } from './next-first.ts';
import { nothingFound } from './nothing-found.ts';

/** Declares `list`, such as `svc folder list`: a page of rows on a terminal, all of them elsewhere. */
export function listVerb(resource: Resource): Verb {
  return {
    name: 'list',
    summary: `List ${resource.plural}`,
    example: `${resource.noun} list ${exampleFlags(resource)}`,
    flags: [...filterFlags(resource), ...nullFilterFlags(resource), ...listFlags(resource)],
    companies: 'reads',
    explainUnknown: explainFilter(resource),
    run: async (session, input) => {
      const filters = await readFilters(session, resource, filtersOf(resource), input);
      const needed = resource.methods.get?.oneOf;
      if (needed && !needed.some((attribute) => Object.hasOwn(filters, attribute)))
        throw new UsageError(`${resource.noun} list needs at least one of ${flagsFor(resource, needed)}`);
      const client = await session.client();
      const cut = limitOf(session, input);
      const order = readSort(resource, input);
      const next = await nextFor(session, resource, input);
      const probe = Object.hasOwn(resource.fields, 'html') ? cut.limit + 1 : MAX_COUNT;
      const most = cut.noted ? Math.max(probe, cut.limit + 1) : cut.limit;
      const limit = Number.isFinite(most) ? { limit: most } : {};
      const rows = next
        ? nextFirst(client, resource, next, { filters, most })
        : client.list(resource, { filters, ...order, ...limit });
      const turned = order.sort === undefined && !order.reverse && sortsOf(resource).includes('id');
      const other = turned && !next ? 'newest first: --sort id --reverse' : undefined;
      const shown = cutRows(rows, { ...cut, most, other });
      return {
        result: {
          kind: 'rows',
          ...shown,
          ...columnsOf(resource),
          empty: nothingFound(resource, Object.keys(filters).length > 0),
        },
      };
    },
  };
}

/** Returns the order for people. Scripts, and callers that name an order, get that of the service. */
async function nextFor(
  session: Session,
  resource: Resource,
  input: Input,
): Promise<Resource['nextFirst'] | undefined> {
  if (!resource.nextFirst || !session.context.stdout.isTTY) return undefined;
  const isAsked = input.has(sortFlag(resource)) || input.has(reverseFlag);
  return !isAsked && (await session.format()) === 'table' ? resource.nextFirst : undefined;
}

const limitFlag = countFlag('limit', {
  describe: 'Maximum number of rows',
  short: 'L',
  min: 1,
  otherwise: `${ROWS_ON_TERMINAL} on a terminal`,
});
const allFlag = switchFlag('all', { describe: 'Show all rows' });

export function listFlags(resource: Resource): readonly Flag<unknown>[] {
  return [...sortFlags(resource), limitFlag, allFlag];
}

/** Reads the given filters. Names are resolved to ids. */
export async function readFilters(
  session: Session,
  resource: Resource,
  attributes: readonly string[],
  input: Input,
): Promise<Record<string, Scalar>> {
  const findings: Finding[] = [];
  const filters: Record<string, Scalar> = {};
  const later: [string, Extract<Awaited<ReturnType<typeof readValue>>, { later: unknown }>['later']][] = [];
  for (const attribute of attributes) {
    const given = givenFor(input, resource, attribute);
    if (given === undefined) continue;
    const field = fieldOf(resource, attribute);
    if (given === '') {
      findings.push(emptyValue(attribute, field));
      continue;
    }
    const reading = await readValue(session, attribute, field, given);
    if ('finding' in reading) findings.push(reading.finding);
    else if ('later' in reading) later.push([attribute, reading.later]);
    else filters[attribute] = reading.value;
  }
  for (const attribute of nullsIn(input)) {
    const isNullable = attributes.includes(attribute) && fieldOf(resource, attribute).nullable;
    if (!isNullable) findings.push({ attribute, reason: 'cannot be null, or is not a filter' });
    else if (isGiven(input, attribute)) findings.push({ attribute, reason: 'is given twice' });
    else filters[attribute] = null;
  }
  if (findings.length > 0) throw new FindingsError(findings);
  for (const [attribute, ask] of later) {
    const read = await ask(filters);
    if ('finding' in read) throw new FindingsError([read.finding]);
    filters[attribute] = read.value;
  }
  return filters;
}

export function readSort(
  resource: Resource,
  input: Input,
): { readonly sort?: string; readonly reverse: boolean } {
  const sort = input.get(sortFlag(resource))?.replaceAll('-', '_');
  const sorts = sortsOf(resource);
  if (sort !== undefined && !sorts.includes(sort))
    throw new UsageError(`cannot sort ${resource.noun} by ${sort}`, {
      hint: sorts.length > 0 ? `sorts: ${sorts.join(', ')}` : `${resource.noun} cannot be sorted`,
    });
  return { ...(sort === undefined ? {} : { sort }), reverse: input.get(reverseFlag) };
}

/** Returns the maximum number of rows, and whether a note reports further ones. */
export function limitOf(session: Session, input: Input): { readonly limit: number; readonly noted: boolean } {
  const limit = input.get(limitFlag);
  const isAll = input.get(allFlag);
  if (limit !== undefined) {
    if (isAll) throw new UsageError('cannot combine --limit with --all');
    return { limit, noted: false };
  }
  const short = session.context.stdout.isTTY && !isAll;
  return { limit: short ? ROWS_ON_TERMINAL : Number.POSITIVE_INFINITY, noted: short };
}

/**
 * Returns the first `limit` rows. If there are more, a note after them says how many.
 * @param most the maximum number of rows to read: those that one page holds anyway, so that the note costs no request
 */
export function cutRows(
  rows: RowSource,
  cut: {
    readonly limit: number;
    readonly noted: boolean;
    readonly most: number;
    readonly other?: string | undefined;
  },
): Pick<Rows, 'rows' | 'notes'> {
  const { limit, noted, most, other } = cut;
  const end = noted ? most : limit;
  let count = 0;
  async function* shown(): AsyncGenerator<readonly JsonObject[]> {
    for await (const page of pagesOf(rows)) {
      const room = Math.max(0, limit - count);
      yield page.length > room ? page.slice(0, room) : page;
      count = Math.min(end, count + page.length);
      if (count >= end) return;
    }
  }
  const notes = (): readonly string[] => {
    if (!noted || count <= limit) return [];
    const of = count < most ? `${count}` : `${count} or more`;
    return [`showing the first ${limit} of ${of}; use --all to see all${other ? `, ${other}` : ''}`];
  };
  return { rows: pagedRows(shown), notes };
}

function exampleFlags(resource: Resource): string {
  const needed = resource.methods.get?.oneOf?.[1];
  if (needed !== undefined) return `--${fieldOf(resource, needed).flag ?? flagName(needed)} 17`;
  return `--sort ${sortsOf(resource).at(-1) ?? 'id'} --reverse -o json`;
}
