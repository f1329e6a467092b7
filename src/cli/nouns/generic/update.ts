import { titleOf } from '../../../client/record-title.ts';
import type { JsonObject } from '../../../protocol/envelope.ts';
import type { Resource, Values } from '../../../schema/resource.ts';
import type { Flag, Input, Outcome, Verb } from '../../command/command.ts';
import { UsageError } from '../../errors/errors.ts';
import { bodyFlags } from '../../request/attribute-flags.ts';
import { type Draft, readBody } from '../../request/body.ts';
import { type Id, idOf } from '../../request/references.ts';
import { finishBody, shown } from '../../request/submit.ts';
import type { Session } from '../../session/session.ts';
import { exampleId, idPositional } from './get.ts';

/** What a resource does besides when one is changed. */
export interface Change {
  readonly about?: string;
  readonly example?: string;
  readonly flags?: readonly Flag[];
  readonly prepare?: (session: Session, input: Input, draft: Draft) => Promise<Draft> | Draft;
  readonly guard?: (
    session: Session,
    input: Input,
    body: Values,
  ) => Promise<(() => Promise<void>) | undefined>;
  readonly after?: (session: Session, body: Values, record: JsonObject) => Promise<void>;
}

export function updateVerb(resource: Resource, own: Change = {}): Verb {
  return {
    name: 'update',
    summary: 'Change one by id or exact name',
    example:
      own.example ?? `${resource.noun} update ${exampleId(resource)} ${examples[resource.noun] ?? ''}`.trim(),
    ...(own.about === undefined ? {} : { about: own.about }),
    positionals: [idPositional(resource)],
    flags: [...(own.flags ?? []), ...bodyFlags(resource, 'PUT')],
    run: async (session, input) => {
      const [text = ''] = input.positionals;
      const draft = await readBody(session, resource, 'PUT', input);
      const prepared = own.prepare ? await own.prepare(session, input, draft) : draft;
      return updateFrom(session, resource, input, prepared, () => idOf(session, resource, text), own);
    },
  };
}

/** @param whose the id; asked for only once all local checks have passed */
export async function updateFrom(
  session: Session,
  resource: Resource,
  input: Input,
  draft: Draft,
  whose: () => Promise<Id>,
  own: Change = {},
): Promise<Outcome> {
  if (Object.keys(draft.body).length === 0 && draft.findings.length === 0)
    throw new UsageError('there is nothing to change', { hint: `see svc ${resource.noun} update --help` });
  if (Object.hasOwn(draft.body, 'id'))
    throw new UsageError('--data must not hold an id', { hint: 'give it after the verb' });
  const known = { id: resource.fields['id']?.kind === 'string' ? '1_1' : 1 };
  const body = await finishBody(session, resource, 'PUT', draft, known);
  const id = await whose();
  const beforeAttempt = await own.guard?.(session, input, body);
  const client = await session.client();
  const record = await client.update(resource, id, body, beforeAttempt ? { beforeAttempt } : {});
  await session.note(`changed ${titleOf(resource, record)}`);
  await own.after?.(session, body, record);
  return shown(resource, record);
}

const examples: Readonly<Record<string, string>> = {
  user: '--email ada@example.com',
  'sms-message': '--text "Everything must go"',
  'sms-destination': '--keyword SALE',
  email: '--subject "Spring sale"',
  folder: '--name Archive',
  'subscriber-data': '--value green',
};
