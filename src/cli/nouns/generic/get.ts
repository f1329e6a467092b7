import type { Resource } from '../../../schema/resource.ts';
import { companyPositional, type Positional, type Verb } from '../../command/command.ts';
import { resolveRecord } from '../../request/references.ts';
import { createRecordOutcome } from '../../request/submit.ts';

export function createVerbToGetRecord(resource: Resource): Verb {
  if (resource.single) return getSingleVerb(resource);
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
      createRecordOutcome(resource, await resolveRecord(session, resource, text)),
  };
}

/** Declares `get` for a resource that has exactly one record per company, such as `account`. */
function getSingleVerb(resource: Resource): Verb {
  return {
    name: 'get',
    summary: `Show ${resource.singular.replace(/^an? /, 'the ')}`,
    work: 'finds',
    methods: ['GET'],
    example: resource.examples?.get ?? `${resource.noun} get`,
    positionals: [companyPositional],
    flags: [],
    companies: 'reads',
    run: async (session) => createRecordOutcome(resource, await (await session.client()).single(resource)),
  };
}

export function idPositional(resource: Resource): Positional {
  const { calledBy, noun, singular } = resource;
  const describe = calledBy === undefined ? `Id of ${singular}` : `Id or exact ${calledBy}`;
  return { name: 'id', describe, completes: noun };
}

/** Returns `a folder by id or exact name`. */
export const describeRecordLookup = ({ singular, calledBy }: Resource): string =>
  `${singular} by id${calledBy === undefined ? '' : ` or exact ${calledBy}`}`;
