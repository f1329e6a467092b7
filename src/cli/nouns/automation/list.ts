/** Lists rules of all five kinds together. */
import type { JsonObject } from '../../../protocol/envelope.ts';
import { readIdText } from '../../../schema/integer.ts';
import { filtersOf, type Resource } from '../../../schema/resource.ts';
import type { Input, Verb } from '../../command/command.ts';
import type { FlagShape } from '../../command/flag.ts';
import { columnsOfResource } from '../../output/columns.ts';
import { createFilterFlags, isAttributeGiven } from '../../request/attribute-flags.ts';
import { requireNonEmptyName } from '../../request/references.ts';
import { createExistenceOutcome } from '../generic/exists.ts';
import {
  createListVerbFlags,
  limitRowsWithTruncationNote,
  readFilters,
  readRowLimit,
  readSort,
} from '../generic/list.ts';
import { kindFlag, readOptionalRuleKind, rulePositional } from './resolve.ts';

/** Attributes by which rules can be filtered. SMS rules have no actiononweekend. */
const FILTERS = ['id', 'name', 'paused', 'actiononweekend', 'user_id'];

/** Attributes that the list shows for all five kinds of rule. The table omits the kind, which is part of the id. */
const SHARED_ATTRIBUTES = ['kind', 'id', 'name', 'actiontype', 'paused', 'user_id', 'cdate'];
const SHOWN = ['id', 'name', 'paused', 'actiontype', 'user_id', 'cdate'];

export function createVerbToListRules(kinds: readonly Resource[]): Verb {
  const [first] = kinds;
  return {
    name: 'list',
    summary: 'List automation rules',
    work: 'reads',
    methods: ['GET'],
    example: 'automation list --kind click --paused false',
    flags: [kindFlag(kinds), ...filterFlagsOf(kinds, FILTERS), ...(first ? createListVerbFlags(first) : [])],
    companies: 'reads',
    run: async (session, input) => {
      const chosen = readOptionalRuleKind(kinds, input);
      const asked = chosen ? [chosen] : kinds;
      const { limit, showsNote } = await readRowLimit(session, input);
      const [sort = { reverse: false }] = asked.map((resource) => readSort(resource, input));
      const client = await session.client();
      async function* all(): AsyncGenerator<JsonObject> {
        for (const resource of asked) {
          if (!hasFilterAttributes(resource, input)) continue;
          const filters = await readFilters(session, resource, filtersOf(resource), input);
          const { variant = '' } = resource;
          for await (const row of client.list(resource, { filters, ...sort }))
            yield { kind: variant, ...row };
        }
      }
      const rows = sort.sort === undefined ? all() : merged(all(), sort.sort, sort.reverse);
      // Sorting needs all rules. Otherwise each kind is a request, and counting the rest is not worth more requests.
      const maxCounted = sort.sort === undefined ? limit + 1 : Number.POSITIVE_INFINITY;
      const bounded = limitRowsWithTruncationNote(rows, { limit, showsNote, maxCounted });
      const shape = chosen ? columnsOfResource(chosen) : columnsOfRuleKinds(kinds);
      return {
        result: {
          kind: 'rows',
          ...bounded,
          ofRules: true,
          ...shape,
          empty: emptyWords(chosen !== undefined || FILTERS.some((name) => isAttributeGiven(input, name))),
        },
      };
    },
  };
}

const emptyWords = (isFiltered: boolean): string =>
  isFiltered
    ? 'No rule matches the filters. To list all: svc automation list'
    : 'No rules yet. Create one with: svc automation create (see --help)';

/** Yields the rules of all kinds in one sorted list. All rules are held in memory, because an account has few. */
async function* merged(
  rows: AsyncIterable<JsonObject>,
  sort: string,
  reverse: boolean,
): AsyncGenerator<JsonObject> {
  const all: JsonObject[] = [];
  for await (const row of rows) all.push(row);
  const order = (a: JsonObject, b: JsonObject): number => {
    const [x = null, y = null] = [a[sort], b[sort]];
    if (x === y || x === null || y === null) return Number(y === null) - Number(x === null);
    return x < y ? -1 : 1;
  };
  yield* all.sort((a, b) => (reverse ? order(b, a) : order(a, b)));
}

/**
 * Reports whether one kind of rule has every attribute by which the user filters. If the kind lacks one of these attributes, no rule of
 * this kind matches the filters. @param resource the declaration of the kind of rule
 */
function hasFilterAttributes(resource: Resource, input: Input): boolean {
  return FILTERS.every((name) => !isAttributeGiven(input, name) || filtersOf(resource).includes(name));
}

function filterFlagsOf(kinds: readonly Resource[], names: readonly string[]): readonly FlagShape[] {
  const resource = kinds.find(({ fields }) => names.every((name) => fields[name]));
  return resource ? createFilterFlags(resource, names) : [];
}

/** Returns the columns for rules of several kinds. */
export function columnsOfRuleKinds(kinds: readonly Resource[]) {
  const [first] = kinds;
  const known = first ? columnsOfResource(first).attributes : [];
  const columnsNamed = (names: readonly string[]) =>
    names.map((name) => known.find((column) => column.name === name) ?? { name });
  return { columns: columnsNamed(SHOWN), attributes: columnsNamed(SHARED_ATTRIBUTES) };
}

export function createVerbToCheckRuleExists(kinds: readonly Resource[]): Verb {
  return {
    name: 'exists',
    summary: 'Check that a rule exists; exit 4 if not',
    work: 'finds',
    exits: { 4: 'not found' },
    methods: ['HEAD'],
    example: 'automation exists click:1',
    positionals: [{ ...rulePositional, optional: true }],
    flags: [
      kindFlag(kinds),
      ...filterFlagsOf(
        kinds,
        FILTERS.filter((name) => name !== 'id'),
      ),
    ],
    companies: 'reads',
    run: async (session, input) => {
      const client = await session.client();
      const chosen = readOptionalRuleKind(kinds, input);
      const [text] = input.positionals;
      if (text !== undefined) requireNonEmptyName('rule', text);
      const named = text === undefined ? undefined : partsOf(kinds, text);
      for (const resource of named?.kind ? [named.kind] : chosen ? [chosen] : kinds) {
        if (!hasFilterAttributes(resource, input)) continue;
        const filters = await readFilters(session, resource, filtersOf(resource), input);
        if (await client.exists(resource, { ...filters, ...named?.filters }))
          return createExistenceOutcome(session, true);
      }
      return createExistenceOutcome(session, false);
    },
  };
}

function partsOf(kinds: readonly Resource[], text: string) {
  const [, variant, rest = text] = /^([a-z]+):(.*)$/s.exec(text) ?? [];
  const kind = kinds.find((each) => each.variant === variant);
  const whole = kind ? rest : text;
  const id = readIdText(whole);
  return { kind, filters: id === undefined ? { name: whole } : { id } };
}
