import { pathOf } from '../../protocol/wire.ts';
import type { Resource } from '../../schema/resource.ts';
import { confirmed, mustBeConfirmable } from '../guards.ts';
import { idIn, recordOf } from '../references.ts';
import { rehearsal, shown, titleOf } from '../submit.ts';
import type { Verb } from '../verb.ts';
import { exampleId, idPositional } from './get.ts';

/** Looks the record up first, so that the question names what is about to go. */
export function deleteVerb(resource: Resource): Verb {
  const about = consequences[resource.name];
  return {
    name: 'delete',
    summary: 'Delete one by id or exact name',
    example: `${resource.noun} delete ${exampleId(resource)} --yes`,
    ...(about === undefined ? {} : { about }),
    positionals: [idPositional(resource)],
    flags: [],
    run: async (session, { positionals: [text = ''] }) => {
      mustBeConfirmable(session, `delete ${resource.noun} ${text}`);
      const record = await recordOf(session, resource, text);
      const id = idIn(record);
      await confirmed(session, `delete ${titleOf(resource, record)}`);
      const rehearsed = rehearsal(session, resource, 'DELETE', pathOf(resource.name, id));
      if (rehearsed) return rehearsed;
      const client = await session.client();
      await client.remove(resource, { id });
      await session.note(`deleted ${titleOf(resource, record)}`);
      return shown({ ...resource, columns: ['id'] }, { id });
    },
  };
}

const consequences: Readonly<Record<string, string>> = {
  folder: 'Its lists go with it, as if each had been deleted',
  smsMessage: 'Tasks that send it are not cancelled: cancel them first',
  emailMessage: 'Tasks that send it are not cancelled: cancel them first',
};
