import type { Resource } from '../../../schema/resource.ts';
import type { Positional, Verb } from '../../command/command.ts';
import { recordOf } from '../../request/references.ts';
import { shown } from '../../request/submit.ts';

export function getVerb(resource: Resource): Verb {
  if (resource.single) return getSingleVerb(resource);
  return {
    name: 'get',
    summary: 'Show one by id or exact name',
    example: `${resource.noun} get ${exampleId(resource)}`,
    positionals: [idPositional(resource)],
    flags: [],
    run: async (session, { positionals: [text = ''] }) =>
      shown(resource, await recordOf(session, resource, text)),
  };
}

/** The one record of a company. */
function getSingleVerb(resource: Resource): Verb {
  return {
    name: 'get',
    summary: 'Show it',
    example: resource.partnerOnly ? `${resource.noun} get --company 42` : `${resource.noun} get`,
    flags: [],
    run: async (session) => shown(resource, await (await session.client()).single(resource)),
  };
}

export function idPositional(resource: Resource): Positional {
  if (resource.calledBy === undefined) return { name: 'id', describe: 'Its id' };
  return { name: 'id', describe: `Its id, or its exact ${resource.calledBy}` };
}

export function exampleId(resource: Resource): string {
  if (resource.calledBy === 'contactdata') return 'someone@example.com';
  return resource.fields['id']?.kind === 'string' ? '3_17' : '12';
}
