import { fieldOf, type Resource } from '../../../kit/schema/resource.ts';
import type { Outcome, Positional, Verb } from '../../command/command.ts';
import { companyPositional } from '../../command/flag.ts';
import { UsageError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import { createItemResult } from '../../output/result.ts';
import { createFilterFlags, createNullFilterFlags, formatFlagNames } from '../../request/attribute-flags.ts';
import {
  type Id,
  parseRecordId,
  requireNonEmptyName,
  resolveRecordByPartOfName,
} from '../../request/references.ts';
import { createOutcomeFromRecord } from '../../request/write-outcome.ts';
import type { ServiceAccess, Tell } from '../../session/ports.ts';
import { readFilters } from './list.ts';

/** A resource such as `account` has exactly one record per company, so its operand is the company. */
export function createVerbToGetRecord(resource: Resource): Verb {
  const { noun, single, singular, examples } = resource;
  return {
    name: 'get',
    summary: `Show ${single ? singular.replace(/^an? /, 'the ') : describeRecordLookup(resource)}`,
    work: 'finds',
    methods: ['GET'],
    example: examples?.get ?? `${noun} get${single ? '' : ' 1'}`,
    positionals: [single ? companyPositional : idPositional(resource)],
    flags: [],
    companies: 'reads',
    run: async (session, { positionals: [text = ''] }) => {
      const record = single
        ? await (await session.client()).single(resource)
        : await resolveRecordByPartOfName(session, resource, text);
      return createOutcomeFromRecord(resource, record);
    },
  };
}

export function idPositional(resource: Resource): Positional {
  return { name: 'id', describe: describeId(resource), completes: resource.noun };
}

function describeId(resource: Resource): string {
  const { calledBy, compositeId, singular } = resource;
  // The field's own text says how the id is composed.
  if (compositeId !== undefined) return fieldOf(resource, 'id').describe;
  return calledBy === undefined ? `Id of ${singular}` : `Id or exact ${calledBy}`;
}

/** Returns `a folder by id or exact name`. The help of an operand describes a composite id. */
export const describeRecordLookup = ({ singular, calledBy, compositeId }: Resource): string =>
  compositeId === undefined
    ? `${singular} by id${calledBy === undefined ? '' : ` or exact ${calledBy}`}`
    : singular;

/** Sends a HEAD request. The exit code is 0 if a record matches, and 4 if no record does. */
export function createVerbToCheckRecordExists(resource: Resource): Verb {
  const { attributes = [], oneOf } = resource.methods.head ?? {};
  const byId = [{ ...idPositional(resource), optional: true as const }];
  const positionals = resource.single ? [companyPositional] : attributes.length === 0 ? [] : byId;
  return {
    name: 'exists',
    summary: `Check that ${resource.singular} exists; exit 4 if not`,
    work: 'finds',
    exits: { 4: 'not found' },
    methods: ['HEAD'],
    example: resource.examples?.exists ?? `${resource.noun} exists${attributes.length === 0 ? '' : ' 1'}`,
    positionals,
    flags: [...createFilterFlags(resource, attributes), ...createNullFilterFlags(resource, attributes)],
    companies: 'reads',
    run: async (session, input) => {
      const filters = await readFilters(session, resource, attributes, input);
      const [text] = input.positionals;
      if (text !== undefined && !resource.single) Object.assign(filters, named(resource, text));
      if (oneOf && Object.keys(filters).length === 0)
        throw new UsageError(
          `${resource.noun} exists needs at least one of ${formatFlagNames(resource, oneOf)}`,
        );
      const client = await session.client();
      return createExistenceOutcome(session, await client.exists(resource, filters));
    },
  };
}

/** Except in JSON and in a run over many companies, the exit code is the only result. */
export async function createExistenceOutcome(
  session: Tell & ServiceAccess,
  exists: boolean,
): Promise<Outcome> {
  const format = await session.format();
  const isShown = format === 'json' || session.actsFor !== undefined;
  return {
    result: isShown ? createItemResult({ exists }) : { kind: 'nothing' },
    exit: exists ? EXIT.done : EXIT.notFound,
  };
}

function named(resource: Resource, text: string): Record<string, Id> {
  requireNonEmptyName(resource.noun, text);
  const id = parseRecordId(resource, text);
  if (id !== undefined) return { id };
  if (resource.calledBy === undefined) throw new UsageError(`${JSON.stringify(text)} is not an id`);
  return { [resource.calledBy]: text };
}
