import { titleOf } from '../../../client/record-title.ts';
import type { JsonObject } from '../../../protocol/envelope.ts';
import type { Resource } from '../../../schema/resource.ts';
import type { Verb } from '../../command/command.ts';
import { confirmedOnAccount } from '../../request/account-questions.ts';
import { mustBeConfirmable } from '../../request/guards.ts';
import { idIn, recordOf } from '../../request/references.ts';
import { shown } from '../../request/submit.ts';
import { exampleId, idPositional } from './get.ts';

/** Looks the record up first, so that the question names what is about to go. */
export function deleteVerb(resource: Resource): Verb {
  const about = ABOUT[resource.name];
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
      await confirmedOnAccount(
        session,
        `delete ${titleOf(resource, record)}${consequenceOf(resource, record)}`,
      );
      const client = await session.client();
      await client.remove(resource, { id });
      await session.note(`deleted ${titleOf(resource, record)}`);
      return shown({ ...resource, columns: ['id'] }, { id });
    },
  };
}

/** What goes with it, or stays, as the end of a question. */
function consequenceOf({ name }: Resource, record: JsonObject): string {
  switch (name) {
    case 'folder':
      return `, ${counted(record['list_count'], 'list')} with ${counted(record['subscription_count'], 'subscription')}`;
    case 'smsMessage':
    case 'emailMessage':
      return record['used'] === true ? ', whose tasks are not cancelled' : '';
    case 'user':
      return ', who can no longer act';
    case 'form':
      return ', which takes no more subscriptions';
    default:
      return '';
  }
}

const counted = (count: unknown, what: string): string =>
  typeof count === 'number' ? `${count} ${what}${count === 1 ? '' : 's'}` : `an unknown number of ${what}s`;

const ABOUT: Readonly<Record<string, string>> = {
  folder: 'Its lists go with it, as if each had been deleted',
  smsMessage: 'Tasks that send it are not cancelled: cancel them first',
  emailMessage: 'Tasks that send it are not cancelled: cancel them first',
};
