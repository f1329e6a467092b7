/** A change of features: what is checked once the features in force are known, and what is sent. */
import type { JsonObject } from '../../../protocol/envelope.ts';
import { formatJson } from '../../../protocol/json.ts';
import { accountFeatures } from '../../../resources/account-features.ts';
import type { Scalar } from '../../../schema/field.ts';
import type { Values } from '../../../schema/resource.ts';
import { FindingsError } from '../../errors/errors.ts';
import type { Session } from '../../session/session.ts';

/**
 * The conditional settings of accountFeatures PUT, by what would be in force: `--enablesplittest` alone depends on
 * `enablesendbulkemail` as it is now. With `--no-validate` the service judges.
 * @throws FindingsError all faults at once; nothing is sent
 */
export async function checkAgainst(session: Session, current: JsonObject, body: Values): Promise<void> {
  if (!session.globals.validate) return;
  const { checkRules } = await import('../../../schema/validator.ts');
  // What the change leaves as it is was not asked for, and is not refused.
  const broken = checkRules(accountFeatures, { ...scalarsOf(current), ...body }).filter(({ attribute }) =>
    Object.hasOwn(body, attribute),
  );
  if (broken.length > 0)
    throw new FindingsError(
      broken.map((each) => ({ ...each, reason: `${each.reason}, and it is false now` })),
    );
}

/** On stderr, what a feature takes along when it is switched off (interface, accountFeatures: "non-null only if"). */
export async function tellLost(session: Session, current: JsonObject, body: Values): Promise<void> {
  for (const { attributes } of accountFeatures.rules ?? []) {
    const [dependent = '', condition = ''] = attributes;
    const value = current[dependent] ?? null;
    if (body[condition] !== false || current[condition] === false) continue;
    if (value === null || Object.hasOwn(body, dependent)) continue;
    await session.info(
      `${dependent} is ${formatJson(value)} now, and has no value while ${condition} is false`,
    );
  }
}

/**
 * PUT lists enablesubscriptionmo with presence 'Yes': the value now in force is sent where none is given (wire,
 * "Authentication, where open").
 */
export function withSubscriptionMo({ enablesubscriptionmo: now }: JsonObject, body: Values): Values {
  if (Object.hasOwn(body, 'enablesubscriptionmo')) return body;
  const inForce = typeof now === 'boolean' ? now : null;
  // Non-null only if enablesms is true: switching SMS off takes it along.
  return { ...body, enablesubscriptionmo: body['enablesms'] === false ? null : inForce };
}

const scalarsOf = (record: JsonObject): Values =>
  Object.fromEntries(
    Object.entries(record).filter(
      (entry): entry is [string, Scalar] => typeof entry[1] !== 'object' || entry[1] === null,
    ),
  );
