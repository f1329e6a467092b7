/** Shows the events of a person, with the subjects and texts of the messages. */
import type { Db } from '../../store/open.ts';
import type { PersonEvent } from '../../store/person-history.ts';
import { findOutboxEntry, type OutboxEntry } from './outbox.ts';

/** An event of a person, as `svc sandbox subscriber history` and the page of a subscriber show it. */
export interface ShownPersonEvent {
  /** Unix seconds. */
  readonly time: number;
  /** The event: `sent`, `opened`, `clicked` and so on; `acted` for a rule that changed a list, and `skipped` for one that did not. */
  readonly event: string;
  readonly channel: OutboxEntry['channel'] | null;
  /** Subject of the e-mail, text of the SMS, or action of the rule. */
  readonly title: string | null;
  /** Cause of the message or action: `task:3`, `click:12`, `opt-in` or `sms`. */
  readonly cause: string | null;
  /** Id of the message in the outbox. */
  readonly delivery: string | null;
  /** Name or target of the clicked link, destination of the SMS that the person wrote, or target of the rule's action. */
  readonly target: string | null;
  /** Id of the clicked link. */
  readonly link: number | null;
  /** Reason why a rule did nothing. */
  readonly why: string | null;
  /** Address or number to which the message was sent. Null for other events. */
  readonly address: string | null;
  /** Position of the event. Events before this position are older. */
  readonly place: string;
}

export async function showPersonEvents(
  db: Db,
  accountId: number,
  events: readonly PersonEvent[],
): Promise<readonly ShownPersonEvent[]> {
  const entries = new Map<string, OutboxEntry | undefined>();
  const shown: ShownPersonEvent[] = [];
  for (const event of events) {
    const delivery = deliveryOf(event);
    if (delivery !== null && !entries.has(delivery))
      entries.set(delivery, await findOutboxEntry(db, accountId, delivery));
    shown.push(show(event, delivery, delivery === null ? undefined : entries.get(delivery)));
  }
  return shown;
}

function deliveryOf({ kind, subscriber, a }: PersonEvent): string | null {
  if (kind === 'delivered') return `d${a}`;
  return subscriber === null ? null : `t${a}-${subscriber}`;
}

function show(event: PersonEvent, delivery: string | null, entry: OutboxEntry | undefined): ShownPersonEvent {
  const { time, rank, a, b, kind, link, rule_kind, rule_id, action, why } = event;
  const isWritten = kind === 'wrote';
  return {
    ...{ time, delivery, link, why, place: `${time}-${rank}-${a}-${b}` },
    event: kind === 'acted' && why !== null ? 'skipped' : kind === 'delivered' ? 'sent' : kind,
    channel: entry?.channel ?? null,
    title: entry ? (entry.subject ?? entry.text) : isWritten ? event.title : action,
    target: isWritten ? event.address : event.title,
    cause: rule_kind === null ? causeOf(entry) : `${rule_kind}:${rule_id}`,
    address: entry?.to ?? null,
  };
}

const causeOf = (entry: OutboxEntry | undefined): string | null =>
  entry === undefined ? null : entry.cause.kind === 'task' ? `task:${entry.cause.id}` : entry.cause.kind;
