/**
 * Reads facts for a plan's page that only the service knows. They are the company's name, and messages that the campaign refers to but did
 * not make.
 */
import { foundMessageContents } from '../../../campaign/content.ts';
import type { Channel, Observed } from '../../../campaign/model.ts';
import type { Plan } from '../../../campaign/plan-file/plan-file.ts';
import type { JsonObject } from '../../../protocol/envelope.ts';
import { account } from '../../../resources/account.ts';
import { emailMessage } from '../../../resources/email-message.ts';
import { smsMessage } from '../../../resources/sms-message.ts';
import { integerOf } from '../../../schema/integer.ts';
import type { Session } from '../../session/session.ts';

export interface PlanFacts {
  /** Company name. Undefined if no request was sent. */
  readonly company: string | undefined;
  /** Messages that the campaign refers to but did not make. The keys name the reference in the plan: `task KEY message`. */
  readonly messages: ReadonlyMap<string, FoundMessage>;
}

export interface FoundMessage {
  readonly channel: Channel;
  readonly record: JsonObject;
}

export const NO_FACTS: PlanFacts = { company: undefined, messages: new Map() };

export function planFactsFrom(
  plan: Plan,
  { account, messages }: Pick<Observed, 'account' | 'messages'>,
): PlanFacts {
  return {
    company: String(account['name']),
    messages: new Map(
      referencesIn(plan).flatMap(([name, reference]) => {
        const found = CHANNELS.flatMap((channel) =>
          messages[channel]
            .filter(({ id }) => String(id) === reference.id)
            .map((record) => ({ channel, record })),
        ).find((each) => isThis(each, reference.content));
        return found ? [[name, found] as const] : [];
      }),
    ),
  };
}

/**
 * Requests the facts that `planFactsFrom` takes from observed records, with few requests. Returns `NO_FACTS` without credentials for the
 * plan's service, and if the service is unreachable.
 */
export async function requestPlanFacts(session: Session, plan: Plan): Promise<PlanFacts> {
  try {
    const { origin, credentials } = await session.resolved();
    if (origin !== plan.origin || String(credentials.companyId) !== plan.company.id) return NO_FACTS;
    const client = await session.client();
    const { name } = await client.single(account);
    const messages = new Map<string, FoundMessage>();
    for (const [reference, { id, content }] of referencesIn(plan))
      for (const channel of CHANNELS) {
        const record = await client.get(channel === 'email' ? emailMessage : smsMessage, integerOf(id));
        if (record && isThis({ channel, record }, content)) messages.set(reference, { channel, record });
      }
    return { company: String(name), messages };
  } catch (error) {
    session.context.signal.throwIfAborted();
    await session.info(
      `cannot check the plan against the service: ${error instanceof Error ? error.message : ''}`,
    );
    return NO_FACTS;
  }
}

const CHANNELS: readonly Channel[] = ['email', 'sms'];

const referencesIn = ({ observed }: Plan) => Object.entries(observed.references);

/** Reports whether the message is still the same as when the plan was made. */
const isThis = ({ channel, record }: FoundMessage, content: string): boolean =>
  foundMessageContents(channel, String(record['name']), record, [])[0] === content;
