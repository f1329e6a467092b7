/** Names the cause of a message: a task, a rule, or a single SMS. */
import type { JsonObject } from '../../protocol/json.ts';
import type { SandboxResource } from '../../resources/companions.ts';
import { capitalizeFirstLetter } from '../../text/words.ts';
import type { CompanyPageRequest } from './page.ts';

export interface MessageCause {
  readonly kind: string;
  readonly id: number | null;
  readonly rule_kind: string | null;
}

/** Maximum number of causes that are shown by name: `Task Spring`, `Click rule Second chance`, `Single SMS`. The rest are shown by id. */
const MAX_NAMED = 30;

const keyOf = ({ kind, id, rule_kind }: MessageCause): string => `${kind}:${rule_kind ?? ''}:${id ?? ''}`;

/** Returns a function that describes the cause of a message, such as `Task Spring`. Looks up each of the given `causes` once. */
export async function describeMessageCauses(
  call: CompanyPageRequest,
  causes: readonly MessageCause[],
): Promise<(cause: MessageCause) => string> {
  const words = new Map<string, string>();
  for (const cause of causes) {
    const key = keyOf(cause);
    if (words.has(key)) continue;
    words.set(key, await causeText(call, cause, words.size < MAX_NAMED));
  }
  return (cause) => words.get(keyOf(cause)) ?? cause.kind;
}

async function causeText(
  call: CompanyPageRequest,
  { kind, id, rule_kind }: MessageCause,
  isNamed: boolean,
): Promise<string> {
  const resource =
    kind === 'task' ? 'task' : kind === 'rule' && rule_kind ? `${rule_kind}Automation` : undefined;
  const [record] =
    isNamed && resource !== undefined && id !== null
      ? await call.find(resource as SandboxResource['name'], { id })
      : [];
  const name = nameIn(record) ?? (id === null ? '' : String(id));
  if (kind === 'task') return `Task ${name}`;
  if (kind === 'rule') return `${capitalizeFirstLetter(rule_kind ?? '')} rule ${name}`;
  if (kind === 'opt-in') return `Confirmation of subscription ${name}`;
  return kind === 'sms' ? 'Single SMS' : `${kind} ${name}`;
}

export const nameIn = (record: JsonObject | undefined): string | undefined =>
  typeof record?.['name'] === 'string' && record['name'] !== '' ? record['name'] : undefined;

/** Returns the rule as filters name it, such as `click:12`. */
export const formatCausingRuleAsFilter = ({ rule_kind, id }: MessageCause): string | undefined =>
  rule_kind === null || id === null ? undefined : `${rule_kind}:${id}`;

/**
 * Returns the key of the send to which a message belongs, such as `task:3` or `click:12`. A message without a task or rule is a send of its
 * own, with `id` as the key.
 * @param id id of the message
 */
export const sendKeyOfMessage = (cause: MessageCause, id: string): string =>
  formatCausingRuleAsFilter(cause) ?? (cause.kind === 'task' && cause.id !== null ? `task:${cause.id}` : id);
