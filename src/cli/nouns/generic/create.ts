import { titleOf } from '../../../client/record-title.ts';
import type { JsonObject } from '../../../protocol/envelope.ts';
import type { Resource, Values } from '../../../schema/resource.ts';
import type { Flag, Input, Outcome, Verb } from '../../command/command.ts';
import { bodyFlags } from '../../request/attribute-flags.ts';
import { type Draft, readBody } from '../../request/body.ts';
import { canBeMarked, keyFlag, madeBefore, withMark } from '../../request/idempotency-key.ts';
import { finishBody, shown } from '../../request/submit.ts';
import type { Session } from '../../session/session.ts';
import type { SureClient } from '../../session/sure-client.ts';

/** What a resource does besides when one is made. */
export interface Creation {
  readonly summary?: string;
  readonly about?: string;
  readonly example?: string;
  readonly flags?: readonly Flag[];
  readonly positionals?: Verb['positionals'];
  /** Before anything is checked. */
  readonly prepare?: (session: Session, input: Input, draft: Draft) => Promise<Draft> | Draft;
  /** After all checks, before anything is sent; what it returns has to hold before each attempt. */
  readonly guard?: (
    session: Session,
    input: Input,
    body: Values,
  ) => Promise<(() => Promise<void>) | undefined>;
  /** In place of the session's client. */
  readonly client?: (session: Session, input: Input) => Promise<SureClient>;
  /** What an earlier run with the same `--key` made. */
  readonly found?: (session: Session, input: Input, record: JsonObject) => Promise<void>;
  /** The record that is the result, where it is another one than was made. */
  readonly after?: (session: Session, input: Input, record: JsonObject) => Promise<JsonObject | undefined>;
}

export function createVerb(resource: Resource, own: Creation = {}): Verb {
  return {
    name: resource.verbs?.post ?? 'create',
    summary: own.summary ?? `Make one${resource.methods.post?.only === 'partner' ? ', as a partner' : ''}`,
    example: own.example ?? `${resource.noun} create ${examples[resource.noun] ?? '--data @new.json'}`,
    ...(own.about === undefined ? {} : { about: own.about }),
    ...(own.positionals === undefined ? {} : { positionals: own.positionals }),
    flags: [
      ...(own.flags ?? []),
      ...bodyFlags(resource, 'POST'),
      ...(canBeMarked(resource) ? [keyFlag] : []),
    ],
    run: async (session, input) => {
      const draft = await readBody(session, resource, 'POST', input);
      return createFrom(session, resource, input, draft, own);
    },
  };
}

/** Checks, guards and sends a draft. With `--key` an earlier run's record is the result, and nothing is sent. */
export async function createFrom(
  session: Session,
  resource: Resource,
  input: Input,
  draft: Draft,
  own: Creation = {},
): Promise<Outcome> {
  const marked = { ...draft, body: withMark(input, draft.body) };
  const prepared = own.prepare ? await own.prepare(session, input, marked) : marked;
  const body = await finishBody(session, resource, 'POST', prepared);
  const before = await madeBefore(session, resource, input, body['name']);
  if (before) {
    if (!session.globals.dryRun) await own.found?.(session, input, before);
    return shown(resource, before);
  }
  const beforeAttempt = await own.guard?.(session, input, body);
  const { client, before: isToBeSent } = (await own.client?.(session, input)) ?? {
    client: await session.client(),
  };
  const record = await client.create(resource, body, {
    beforeAttempt: async () => {
      await beforeAttempt?.();
      isToBeSent?.();
    },
  });
  await session.note(`made ${titleOf(resource, record)}`);
  return shown(resource, (await own.after?.(session, input, record)) ?? record);
}

const examples: Readonly<Record<string, string>> = {
  account: '--name "Example Ltd" --contactemail office@example.com',
  user: '--username ada --firstname Ada --lastname Byron --email ada@example.com',
  'sms-message': '--name "Spring sale" --from Example --text "Everything must go"',
  email:
    '--name "Spring sale" --subject "Spring sale" --from news@example.com --from-name Example --reply-to office@example.com --html-file sale.html --text-file sale.txt',
  folder: '--name News',
  'subscriber-data': '--subscriber 17 --field 3 --value blue',
};
