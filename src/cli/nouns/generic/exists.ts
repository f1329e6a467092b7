import type { JsonObject } from '../../../protocol/envelope.ts';
import type { Resource } from '../../../schema/resource.ts';
import { companyPositional, type Outcome, type Verb } from '../../command/command.ts';
import { UsageError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import { createFilterFlags, createNullFilterFlags, formatFlagNames } from '../../request/attribute-flags.ts';
import { type Id, parseRecordId, requireNonEmptyName } from '../../request/references.ts';
import type { Session } from '../../session/session.ts';
import { idPositional } from './get.ts';
import { readFilters } from './list.ts';

/** Declares `exists`, which sends a HEAD request. Its exit code is 0 if a record matches, and 4 if no record does. */
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

/**
 * Returns the outcome of `exists`. Prints a result if the output is JSON or the run covers many companies; otherwise the exit code is the
 * only result.
 */
export async function createExistenceOutcome(session: Session, exists: boolean): Promise<Outcome> {
  const format = await session.format();
  const value: JsonObject = { exists };
  const isShown = format === 'json' || session.actsFor !== undefined;
  return {
    result: isShown ? { kind: 'object', value, columns: [{ name: 'exists' }] } : { kind: 'nothing' },
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
