import { fieldOf, type Resource } from '../../../schema/resource.ts';
import { companyPositional, type Positional, type Verb } from '../../command/command.ts';
import { resolveRecord } from '../../request/references.ts';
import { createOutcomeFromRecord } from '../../request/write-outcome.ts';

export function createVerbToGetRecord(resource: Resource): Verb {
  if (resource.single) return createVerbToGetSingleRecord(resource);
  return {
    name: 'get',
    summary: `Show ${describeRecordLookup(resource)}`,
    work: 'finds',
    methods: ['GET'],
    example: resource.examples?.get ?? `${resource.noun} get 1`,
    positionals: [idPositional(resource)],
    flags: [],
    companies: 'reads',
    run: async (session, { positionals: [text = ''] }) =>
      createOutcomeFromRecord(resource, await resolveRecord(session, resource, text)),
  };
}

/** Declares `get` for a resource that has exactly one record per company, such as `account`. */
function createVerbToGetSingleRecord(resource: Resource): Verb {
  return {
    name: 'get',
    summary: `Show ${resource.singular.replace(/^an? /, 'the ')}`,
    work: 'finds',
    methods: ['GET'],
    example: resource.examples?.get ?? `${resource.noun} get`,
    positionals: [companyPositional],
    flags: [],
    companies: 'reads',
    run: async (session) =>
      createOutcomeFromRecord(resource, await (await session.client()).single(resource)),
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

/**
 * Returns the end of a command's summary, which says how the user can name the record: `a folder by id or exact name`. For a resource with
 * a composite id, returns only `singular`, because the help of the operand describes the id.
 */
export const describeRecordLookup = ({ singular, calledBy, compositeId }: Resource): string =>
  compositeId === undefined
    ? `${singular} by id${calledBy === undefined ? '' : ` or exact ${calledBy}`}`
    : singular;
