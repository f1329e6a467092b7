import {
  createPagedRows,
  type PagedRows,
  pagesOf,
  type RowSource,
  scalarOf,
} from '../../../client/requests/paging/page.ts';
import { flagName, type Scalar } from '../../../kit/schema/field.ts';
import {
  defaultSortAttributesOf,
  type Finding,
  fieldOf,
  filtersOf,
  orderOf,
  type Resource,
  sortAttributesOf,
  type Values,
} from '../../../kit/schema/resource.ts';
import { MAX_RECORDS_PER_PAGE } from '../../../service/protocol/wire.ts';
import type { Input, Verb } from '../../command/command.ts';
import {
  choiceFlag,
  type Flag,
  type FlagShape,
  switchFlag,
  textFlag,
  wholeNumberFlag,
} from '../../command/flag.ts';
import { InvalidInputError, UsageError } from '../../errors/errors.ts';
import { columnsOfResource } from '../../output/columns.ts';
import { DEFAULT_ROWS_ON_TERMINAL, type Rows } from '../../output/result.ts';
import {
  createFilterFlags,
  createNullFilterFlags,
  createSortFlag,
  createUnsupportedFilterExplainer,
  formatFlagNames,
  isAttributeGiven,
  readAttributesSetToNull,
  readUnparsedAttributeFlagValue,
  reverseFlag,
} from '../../request/attribute-flags.ts';
import { findNamesWithPart, namesWithPart } from '../../request/references.ts';
import { emptyValueFinding, type FlagReadResult, readAttributeFlagValue } from '../../request/values.ts';
import type { Clocks, Invocation, Ports, ServiceAccess, Tell } from '../../session/ports.ts';
import { chooseRowLimit, limitRowsForAgent, type RowLimit } from '../../session/row-limit.ts';

/** Unix seconds. A record is inside the span if its time is at or after `from` and before `end`. */
export interface TimeSpan {
  readonly from: number;
  readonly end: number;
}

/** For a resource whose interface has no filter for this time. */
interface SpanFlags {
  /** The resource can be sorted by it. */
  readonly attribute: string;
  readonly flags: readonly FlagShape[];
  /** Undefined if no flag is given. */
  readonly read: (session: Ports, input: Input) => Promise<TimeSpan | undefined>;
}

/** Prints the first rows on a terminal, and all rows to a file or a pipe. */
export function createVerbToListRecords(resource: Resource, spanFlags?: SpanFlags): Verb {
  const status = statusFlag(resource);
  return {
    name: 'list',
    summary: `List ${resource.plural}`,
    work: 'reads',
    methods: ['GET'],
    example: `${resource.noun} list ${exampleFlags(resource)}`,
    flags: [
      ...createFilterFlags(resource),
      ...createNullFilterFlags(resource),
      ...(status === undefined ? [] : [status]),
      ...(spanFlags?.flags ?? []),
      ...createListVerbFlags(resource),
      startFlag,
    ],
    companies: 'reads',
    explainUnknown: createUnsupportedFilterExplainer(resource),
    run: async (session, input) => {
      const wanted = status && input.get(status);
      const filters = {
        ...(wanted === undefined ? {} : resource.status?.common[wanted]),
        ...(await readFilters(session, resource, filtersOf(resource), input)),
      } as Values;
      const needed = resource.methods.get?.oneOf;
      if (needed && !needed.some((attribute) => Object.hasOwn(filters, attribute)))
        throw new UsageError(
          `${resource.noun} list needs at least one of ${formatFlagNames(resource, needed)}`,
        );
      const client = await session.client();
      const cut = await readRowLimit(session, input);
      const order = readSort(resource, input);
      const start = readStart(resource, order, input.get(startFlag));
      const probe = Object.hasOwn(resource.fields, 'html') ? cut.limit + 1 : MAX_RECORDS_PER_PAGE;
      const maxCounted = cut.showsNote ? Math.max(probe, cut.limit + 1) : cut.limit;
      const limit = Number.isFinite(maxCounted) ? { limit: maxCounted } : {};
      const span = await spanFlags?.read(session, input);
      const list: ListRecords = (more) => client.list(resource, { filters, ...order, ...start, ...more });
      const inSpan =
        span === undefined || spanFlags === undefined
          ? list(wanted === undefined ? limit : {})
          : withinSpan(list, spanFlags.attribute, span, { ...order, ...start });
      const rows = wanted === undefined ? inSpan : withStatus(session, resource, wanted, inSpan);
      const isOldestFirst =
        order.sort === undefined && !order.reverse && sortAttributesOf(resource).includes('id');
      const hint = isOldestFirst ? 'newest first: --sort id --reverse' : undefined;
      const shown = limitRowsWithTruncationNote(rows, {
        ...cut,
        maxCounted,
        hint,
        startsBy: startAttribute(resource, order.sort),
      });
      const part = cut.showsNote ? filters['name'] : undefined;
      return {
        result: {
          kind: 'rows',
          ...(typeof part === 'string' ? withNamesLike(session, resource, part, shown) : shown),
          ...columnsOfResource(resource),
          empty: emptyListText(resource, Object.keys(filters).length > 0 || span !== undefined),
        },
      };
    },
  };
}

function statusFlag({ status, plural }: Resource): Flag<string | undefined> | undefined {
  if (status === undefined) return undefined;
  return choiceFlag('status', Object.keys(status.common), {
    describe: `Only ${plural} with this status`,
    group: 'Filters',
  });
}

/** Uses the service's current time. */
function withStatus(session: Clocks, { status }: Resource, wanted: string, rows: PagedRows): PagedRows {
  return createPagedRows(async function* () {
    const now = await session.serviceNow();
    for await (const page of rows.pages()) yield page.filter((row) => status?.of(row, now) === wanted);
  });
}

type ListRecords = (more: { readonly limit?: number; readonly from?: number }) => PagedRows;

/** If the rows are in the order of the span's attribute, the requests begin and end with the span. */
function withinSpan(
  list: ListRecords,
  attribute: string,
  { from, end }: TimeSpan,
  order: ReturnType<typeof readSort> & Partial<ListStart>,
): PagedRows {
  const isOrdered = order.sort === attribute;
  const begin = Number(order.from ?? (order.reverse ? Number.POSITIVE_INFINITY : 0));
  const first = order.reverse ? Math.min(end, begin) : Math.max(from, begin);
  const isPast = (time: number): boolean => (order.reverse ? time < from : time >= end);
  return createPagedRows(async function* () {
    const pages = list(isOrdered && Number.isFinite(first) ? { from: first } : {}).pages();
    for await (const page of pages) {
      yield page.filter((row) => Number(row[attribute]) >= from && Number(row[attribute]) < end);
      const last = page.at(-1)?.[attribute];
      if (isOrdered && last !== undefined && isPast(Number(last))) return;
    }
  });
}

const limitFlag = wholeNumberFlag('limit', {
  describe: 'Maximum number of rows',
  short: 'L',
  min: 1,
  defaultText: `${DEFAULT_ROWS_ON_TERMINAL} on a terminal`,
});
const allFlag = switchFlag('all', { describe: 'Show all rows' });

const startFlag = textFlag('start', {
  describe: 'Begin with the record that has this value of the sort attribute, or the next one',
  value: 'value',
});

/** The list begins at this value of the sort attribute. */
interface ListStart {
  readonly sort: string;
  readonly from: Scalar;
}

/** @throws UsageError if the resource has no order by one attribute, or the attribute cannot have this value */
function readStart(
  resource: Resource,
  { sort = 'id' }: ReturnType<typeof readSort>,
  text: string | undefined,
): ListStart | undefined {
  if (text === undefined) return undefined;
  if (!sortAttributesOf(resource).includes(sort)) throw new UsageError('--start needs --sort');
  const field = fieldOf(resource, sort);
  const from = field.kind === 'bool' ? text === 'true' : scalarOf(field, text);
  if (field.kind === 'bool' && !['true', 'false'].includes(text))
    throw new UsageError(`--start ${text}: ${sort} is true or false`);
  if ((field.kind === 'int' || field.kind === 'decimal') && typeof from === 'string')
    throw new UsageError(`--start ${text}: ${sort} is a number`);
  return { sort, from };
}

/** Returns the attribute of `--start` in this order, or undefined if a list in it cannot begin at a value. */
function startAttribute(resource: Resource, sort: string | undefined): string | undefined {
  const attribute = sort ?? 'id';
  const isOrder = sort !== undefined || defaultSortAttributesOf(resource).join() === 'id';
  return isOrder && sortAttributesOf(resource).includes(attribute) ? attribute : undefined;
}

export function createListVerbFlags(resource: Resource): readonly Flag<unknown>[] {
  return [createSortFlag(resource), reverseFlag, limitFlag, allFlag];
}

/** Looks up the ids of names. */
export async function readFilters(
  session: Ports,
  resource: Resource,
  attributes: readonly string[],
  input: Input,
): Promise<Record<string, Scalar>> {
  const findings: Finding[] = [];
  const filters: Record<string, Scalar> = {};
  const later: [string, Extract<FlagReadResult, { lookUp: unknown }>['lookUp']][] = [];
  for (const attribute of attributes) {
    const given = readUnparsedAttributeFlagValue(input, resource, attribute);
    if (given === undefined) continue;
    const field = fieldOf(resource, attribute);
    if (given === '') {
      findings.push(emptyValueFinding(attribute, field));
      continue;
    }
    const reading = await readAttributeFlagValue(session, attribute, field, given);
    if ('finding' in reading) findings.push(reading.finding);
    else if ('lookUp' in reading) later.push([attribute, reading.lookUp]);
    else filters[attribute] = reading.value;
  }
  for (const attribute of readAttributesSetToNull(input)) {
    const isNullable = attributes.includes(attribute) && fieldOf(resource, attribute).nullable;
    if (!isNullable) findings.push({ attribute, reason: 'cannot be null, or is not a filter' });
    else if (isAttributeGiven(input, attribute)) findings.push({ attribute, reason: 'is given twice' });
    else filters[attribute] = null;
  }
  if (findings.length > 0) throw new InvalidInputError(findings);
  for (const [attribute, ask] of later) {
    const read = await ask(filters);
    if ('finding' in read) throw new InvalidInputError([read.finding]);
    filters[attribute] = read.value;
  }
  return filters;
}

/** Without `--sort`, `newestBy` lists the newest records first. @throws UsageError for an unsortable attribute */
export function readSort(resource: Resource, input: Input): ReturnType<typeof orderOf> {
  const sort = input.get(createSortFlag(resource))?.replaceAll('-', '_');
  const sorts = sortAttributesOf(resource);
  // Another tool's way to reverse: --sort -name.
  const reversed = sort?.startsWith('_') ? sort.slice(1) : undefined;
  if (reversed !== undefined && sorts.includes(reversed))
    throw new UsageError(`cannot sort ${resource.noun} by -${reversed}`, {
      hint: `write --sort ${reversed} --reverse`,
    });
  if (sort !== undefined && !sorts.includes(sort))
    throw new UsageError(`cannot sort ${resource.noun} by ${sort}`, {
      hint: sorts.length > 0 ? `sorts: ${sorts.join(', ')}` : `${resource.noun} cannot be sorted`,
    });
  return orderOf(resource, sort, input.get(reverseFlag));
}

/** @throws UsageError for `--limit` with `--all` */
export async function readRowLimit(
  session: Invocation & Tell & ServiceAccess,
  input: Input,
): Promise<RowLimit> {
  const limit = input.get(limitFlag);
  const isAll = input.get(allFlag);
  if (limit !== undefined && isAll) throw new UsageError('cannot combine --limit with --all');
  return isAll ? { limit: Number.POSITIVE_INFINITY, showsNote: false } : chooseRowLimit(session, limit);
}

/**
 * Counting needs requests, so svc counts at most `maxCounted` rows, and then says `1000 or more`.
 * @param limits.startsBy attribute at whose next value the command for an assistant continues
 */
export function limitRowsWithTruncationNote(
  rows: RowSource,
  limits: RowLimit & {
    readonly maxCounted: number;
    readonly hint?: string | undefined;
    readonly startsBy?: string | undefined;
  },
): Pick<Rows, 'rows' | 'notes' | 'continuation'> {
  const { limit, showsNote, maxCounted, hint, startsBy } = limits;
  if (limits.isForAgent) return limitRowsForAgent(rows, limit, startsBy);
  const end = showsNote ? maxCounted : limit;
  let count = 0;
  async function* shown() {
    for await (const page of pagesOf(rows)) {
      const room = Math.max(0, limit - count);
      yield page.length > room ? page.slice(0, room) : page;
      count = Math.min(end, count + page.length);
      if (count >= end) return;
    }
  }
  const notes = (): readonly string[] => {
    if (!showsNote || count <= limit) return [];
    const of = count < maxCounted ? `${count}` : `${count} or more`;
    return [`showing the first ${limit} of ${of}; use --all to see all${hint ? `, ${hint}` : ''}`];
  };
  return { rows: createPagedRows(shown), notes };
}

/** The filter `--name` is exact. On a terminal, a list without rows names the records that have the text in their visible names. */
function withNamesLike(
  session: ServiceAccess,
  resource: Resource,
  part: string,
  shown: Pick<Rows, 'rows' | 'notes' | 'continuation'>,
): Pick<Rows, 'rows' | 'notes' | 'continuation'> {
  const similar: string[] = [];
  async function* rows() {
    let count = 0;
    for await (const page of pagesOf(shown.rows)) {
      count += page.length;
      yield page;
    }
    const found = count > 0 ? [] : await findNamesWithPart(session, resource, part);
    if (found.length > 0) similar.push(namesWithPart(resource, found));
  }
  return {
    ...shown,
    rows: createPagedRows(rows),
    notes: () => [...(shown.notes?.() ?? []), ...similar],
  };
}

function exampleFlags(resource: Resource): string {
  const needed = resource.methods.get?.oneOf?.[1];
  if (needed !== undefined) return `--${fieldOf(resource, needed).flag ?? flagName(needed)} 17`;
  return `--sort ${sortAttributesOf(resource).at(-1) ?? 'id'} --reverse -o json`;
}

function emptyListText(resource: Resource, isFiltered: boolean): string {
  const { noun, methods, announced = [], comesFrom, verbs } = resource;
  if (isFiltered)
    return methods.get?.oneOf
      ? `No ${noun} matches the filters.`
      : `No ${noun} matches the filters. To list all: svc ${noun} list`;
  const none = `No ${resource.plural.replace(/^the /, '')} yet.`;
  if (comesFrom !== undefined) return `${none} ${comesFrom}`;
  if (methods.post === undefined || announced.includes('POST')) return none;
  return `${none} Create one with: svc ${noun} ${verbs?.post ?? 'create'} (see --help)`;
}
