import { readIdText } from '../../../kit/schema/integer.ts';
import { filtersOf, type Resource, type Values } from '../../../kit/schema/resource.ts';
import { automations } from '../../../service/resources/rule-kinds.ts';
import { clickAutomation } from '../../../service/resources/timed-automations.ts';
import type { Input, Verb } from '../../command/command.ts';
import type { FlagShape } from '../../command/flag.ts';
import { columnsOfResource } from '../../output/columns.ts';
import type { Column } from '../../output/result.ts';
import { createFilterFlags, isAttributeGiven } from '../../request/attribute-flags.ts';
import { requireNonEmptyName } from '../../request/references.ts';
import {
  createListVerbFlags,
  limitRowsWithTruncationNote,
  readFilters,
  readRowLimit,
  readSort,
} from '../generic/list.ts';
import { createExistenceOutcome } from '../generic/read.ts';
import { kindFlag, readOptionalRuleKind, readRuleKinds, rulePositional } from './resolve.ts';

/** SMS rules have no actiononweekend. */
const FILTERS = ['id', 'name', 'paused', 'actiononweekend', 'user_id'];

/** The table omits the kind, which is part of the id. */
const SHARED_ATTRIBUTES = ['kind', 'id', 'name', 'actiontype', 'paused', 'user_id', 'cdate'];
/** A narrow terminal shows these columns before the others. */
const KEPT = ['name', 'paused', 'actiontype'];
const SHOWN = ['id', 'name', 'paused', 'actiontype', 'user_id', 'cdate'];

export const ruleList: Verb = {
  name: 'list',
  summary: 'List automation rules',
  work: 'reads',
  methods: ['GET'],
  example: 'automation list --kind click --paused false',
  flags: [kindFlag, ...filterFlagsOf(FILTERS), ...createListVerbFlags(clickAutomation)],
  companies: 'reads',
  run: async (session, input) => {
    const chosen = readOptionalRuleKind(input);
    const asked = readRuleKinds(input);
    const cut = await readRowLimit(session, input);
    const [sort = { reverse: false }] = asked.map((resource) => readSort(resource, input));
    const client = await session.client();
    async function* all() {
      for (const resource of sort.sort === undefined && sort.reverse ? asked.toReversed() : asked) {
        if (!hasFilterAttributes(resource, input)) continue;
        const filters = await readFilters(session, resource, filtersOf(resource), input);
        const { variant = '' } = resource;
        for await (const row of client.list(resource, { filters, ...sort })) yield { kind: variant, ...row };
      }
    }
    const rows = sort.sort === undefined ? all() : merged(all(), sort.sort, sort.reverse);
    // Sorting needs all rules. Otherwise each kind is a request, and counting the rest is not worth more requests.
    const maxCounted = sort.sort === undefined ? cut.limit + 1 : Number.POSITIVE_INFINITY;
    const bounded = limitRowsWithTruncationNote(rows, { ...cut, maxCounted });
    const shape = chosen ? columnsOfResource(chosen) : columnsOfAllRules;
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

const emptyWords = (isFiltered: boolean): string =>
  isFiltered
    ? 'No rule matches the filters. To list all: svc automation list'
    : 'No rules yet. Create one with: svc automation create (see --help)';

/** Holds all rules in memory, because an account has few. */
async function* merged<T extends Values>(rows: AsyncIterable<T>, sort: string, reverse: boolean) {
  const all: T[] = [];
  for await (const row of rows) all.push(row);
  const order = (a: T, b: T): number => {
    const [x = null, y = null] = [a[sort], b[sort]];
    if (x === y || x === null || y === null) return Number(y === null) - Number(x === null);
    return x < y ? -1 : 1;
  };
  yield* all.sort((a, b) => (reverse ? order(b, a) : order(a, b)));
}

/** A kind of rule without one of the filtered attributes has no matches. */
function hasFilterAttributes(resource: Resource, input: Input): boolean {
  return FILTERS.every((name) => !isAttributeGiven(input, name) || filtersOf(resource).includes(name));
}

function filterFlagsOf(names: readonly string[]): readonly FlagShape[] {
  const resource = automations.find(({ fields }) => names.every((name) => Object.hasOwn(fields, name)));
  return resource ? createFilterFlags(resource, names) : [];
}

const columnsNamed = (names: readonly string[]): readonly Column[] => {
  const known = columnsOfResource(clickAutomation).attributes;
  return names.map((name) => known.find((column) => column.name === name) ?? { name });
};

export const columnsOfAllRules = {
  columns: columnsNamed(SHOWN).map((column) =>
    KEPT.includes(column.name) ? { ...column, keep: true } : column,
  ),
  attributes: columnsNamed(SHARED_ATTRIBUTES),
};

export const ruleExists: Verb = {
  name: 'exists',
  summary: 'Check that a rule exists; exit 4 if not',
  work: 'finds',
  exits: { 4: 'not found' },
  methods: ['HEAD'],
  example: 'automation exists click:1',
  positionals: [{ ...rulePositional, optional: true }],
  flags: [kindFlag, ...filterFlagsOf(FILTERS.filter((name) => name !== 'id'))],
  companies: 'reads',
  run: async (session, input) => {
    const client = await session.client();
    const [text] = input.positionals;
    if (text !== undefined) requireNonEmptyName('rule', text);
    const named = text === undefined ? undefined : partsOf(text);
    for (const resource of named?.kind ? [named.kind] : readRuleKinds(input)) {
      if (!hasFilterAttributes(resource, input)) continue;
      const filters = await readFilters(session, resource, filtersOf(resource), input);
      if (await client.exists(resource, { ...filters, ...named?.filters }))
        return createExistenceOutcome(session, true);
    }
    return createExistenceOutcome(session, false);
  },
};

function partsOf(text: string) {
  const [, variant, rest = text] = /^([a-z]+):(.*)$/s.exec(text) ?? [];
  const kind = automations.find((each) => each.variant === variant);
  const whole = kind ? rest : text;
  const id = readIdText(whole);
  return { kind, filters: id === undefined ? { name: whole } : { id } };
}
