import { titleOf } from '../../../client/record-title.ts';
import type { JsonObject } from '../../../protocol/envelope.ts';
import type { Resource } from '../../../schema/resource.ts';
import type { Outcome, Verb } from '../../command/command.ts';
import { confirmActionWithAccountShown, requireYesFlagOrTerminal } from '../../request/guards.ts';
import { readRecordId, resolveRecord } from '../../request/references.ts';
import {
  createOutcomeFromRecord,
  createWriteOutcome,
  shouldSummarizeWriteInOneLine,
} from '../../request/write-outcome.ts';
import type { Session } from '../../session/session.ts';
import { describeRecordLookup, idPositional } from './get.ts';

/** Function that prints the side effects of a deletion before the confirmation. */
export type DeletionEffectsPrinter = (session: Session, record: JsonObject) => Promise<void>;

/** Returns the result of a deletion: the id for scripts, the name for a person. */
export async function createOutcomeAfterDeletion(
  session: Session,
  resource: Resource,
  record: JsonObject,
  otherValues: JsonObject,
): Promise<Outcome> {
  if (await shouldSummarizeWriteInOneLine(session))
    return createWriteOutcome(session, resource, record, 'Deleted');
  await session.info(`deleted ${titleOf(resource, record)}`);
  return createOutcomeFromRecord({ ...resource, columns: ['id'] }, otherValues);
}

/** Declares `delete`. Reads the record first, so that the confirmation names it. */
export function createVerbToDeleteRecord(resource: Resource, beforeDelete?: DeletionEffectsPrinter): Verb {
  const { about, consequence } = resource.deleteWarning ?? {};
  return {
    name: 'delete',
    summary: `Delete ${describeRecordLookup(resource)}`,
    work: 'changes',
    methods: ['DELETE'],
    example: resource.examples?.delete ?? `${resource.noun} delete 1 --yes`,
    about,
    positionals: [idPositional(resource)],
    flags: [],
    companies: 'writes',
    run: async (session, { positionals: [text = ''] }) => {
      requireYesFlagOrTerminal(session, `delete ${resource.noun} ${text}`);
      const record = await resolveRecord(session, resource, text);
      const id = readRecordId(record);
      await beforeDelete?.(session, record);
      await confirmActionWithAccountShown(
        session,
        `delete ${titleOf(resource, record)}${consequence?.(record) ?? ''}`,
      );
      const client = await session.client();
      await client.remove(resource, { id });
      return createOutcomeAfterDeletion(session, resource, record, { id });
    },
  };
}
