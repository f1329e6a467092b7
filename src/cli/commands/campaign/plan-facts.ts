/**
 * Reads facts for a plan's page that only the service knows: the company's name, and messages that the campaign refers to but did not
 * create.
 */
import { computePossibleHashesOfMessage } from '../../../campaign/content.ts';
import type { ObservedCompanyRecords } from '../../../campaign/model.ts';
import type { Plan } from '../../../campaign/plan-file/plan-file.ts';
import type { JsonObject } from '../../../protocol/envelope.ts';
import { account } from '../../../resources/account.ts';
import { emailMessage } from '../../../resources/email-message.ts';
import { smsMessage } from '../../../resources/sms-message.ts';
import { CHANNELS, type Channel } from '../../../resources/task.ts';
import { parseIntegerDigits } from '../../../schema/integer.ts';
import type { Session } from '../../session/session.ts';

/** Facts that a plan's page shows and that only the service knows. */
export interface ServiceFactsForPlan {
  /** Name of the company in the service. Undefined if svc did not request the name. */
  readonly company: string | undefined;
  /** Messages that the campaign refers to but did not create. Each key names the reference in the plan, such as `task KEY message`. */
  readonly messages: ReadonlyMap<string, ReferencedMessage>;
}

export interface ReferencedMessage {
  readonly channel: Channel;
  readonly record: JsonObject;
}

/** Empty set of facts, with which svc shows a plan's page without requests to the service. */
export const EMPTY_SERVICE_FACTS_FOR_PLAN: ServiceFactsForPlan = { company: undefined, messages: new Map() };

/**
 * Returns the facts that the plan's page shows: the company's name, and messages that the campaign refers to. Takes them from records that
 * svc has already read. Omits messages that were changed since the plan was made.
 */
export function collectCompanyAndMessagesForPlan(
  plan: Plan,
  { account, messages }: Pick<ObservedCompanyRecords, 'account' | 'messages'>,
): ServiceFactsForPlan {
  return {
    company: String(account['name']),
    messages: new Map(
      referencesIn(plan).flatMap(([name, reference]) => {
        const found = CHANNELS.flatMap((channel) =>
          messages[channel]
            .filter(({ id }) => String(id) === reference.id)
            .map((record) => ({ channel, record })),
        ).find((each) => isUnchangedMessage(each, reference.content));
        return found ? [[name, found] as const] : [];
      }),
    ),
  };
}

/**
 * Requests the facts that a plan's page shows, with one request for each fact. Returns `EMPTY_SERVICE_FACTS_FOR_PLAN` if svc has no
 * credentials for the plan's service and company. Returns the same value if the service is unreachable or a request fails.
 */
export async function requestServiceFactsForPlan(session: Session, plan: Plan): Promise<ServiceFactsForPlan> {
  try {
    const { origin, credentials } = await session.resolved();
    if (origin !== plan.origin || String(credentials.companyId) !== plan.company.id)
      return EMPTY_SERVICE_FACTS_FOR_PLAN;
    const client = await session.client();
    const { name } = await client.single(account);
    const messages = new Map<string, ReferencedMessage>();
    for (const [reference, { id, content }] of referencesIn(plan))
      for (const channel of CHANNELS) {
        const record = await client.get(
          channel === 'email' ? emailMessage : smsMessage,
          parseIntegerDigits(id),
        );
        if (record && isUnchangedMessage({ channel, record }, content))
          messages.set(reference, { channel, record });
      }
    return { company: String(name), messages };
  } catch (error) {
    session.context.signal.throwIfAborted();
    await session.info(
      `cannot check the plan against the service: ${error instanceof Error ? error.message : ''}`,
    );
    return EMPTY_SERVICE_FACTS_FOR_PLAN;
  }
}

const referencesIn = ({ observed }: Plan) => Object.entries(observed.references);

/** Reports whether the message is still the same as when the plan was made. */
const isUnchangedMessage = ({ channel, record }: ReferencedMessage, content: string): boolean =>
  computePossibleHashesOfMessage(channel, String(record['name']), record, [])[0] === content;
