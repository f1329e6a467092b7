import type { Values } from '../../../kit/schema/resource.ts';
import { escapeForTerminal } from '../../../kit/text/terminal.ts';
import { formatJson } from '../../../service/protocol/json.ts';
import {
  type AccountFeaturesBody,
  type AccountFeaturesRecord,
  accountFeatures,
} from '../../../service/resources/account-features.ts';
import type { Input } from '../../command/command.ts';
import { switchFlag } from '../../command/flag.ts';
import { InvalidInputError } from '../../errors/errors.ts';
import { confirmByTypingWithAccountShown, willAskUser } from '../../request/guards.ts';
import type { Invocation, Notes, Profiles, ServiceAccess } from '../../session/ports.ts';

/** Checks features that depend on others, after the change. @throws InvalidInputError with all faults */
export async function checkFeatureChange(
  session: Invocation,
  current: AccountFeaturesRecord,
  body: AccountFeaturesBody,
): Promise<void> {
  if (!session.globals.validate) return;
  const { checkValidationRules } = await import('../../../kit/schema/validator.ts');
  // Faults in attributes that the change does not touch are ignored.
  const broken = checkValidationRules(accountFeatures, { ...current, ...body }).filter(({ attribute }) =>
    Object.hasOwn(body, attribute),
  );
  if (broken.length > 0)
    throw new InvalidInputError(broken, 'the present features do not allow this; nothing was sent');
}

/** Switching a feature off clears the features that depend on it (interface, accountFeatures: "non-null only if"). */
export async function printLostFeatureValues(session: Notes, current: Values, body: Values): Promise<void> {
  for (const { attributes } of accountFeatures.rules ?? []) {
    const [dependent = '', condition = ''] = attributes;
    const value = current[dependent] ?? null;
    if (body[condition] !== false || current[condition] === false) continue;
    if (value === null || Object.hasOwn(body, dependent)) continue;
    await session.info(
      `${dependent} has the value ${formatJson(value)}, but cannot have a value while ${condition} is false`,
    );
  }
}

/**
 * A PUT always has `enablesubscriptionmo`, subscription by SMS (wire, "Authentication, where open"): the
 * current value, or null if the body switches SMS off.
 */
export function addSmsSubscriptionFeatureIfMissing(
  { enablesubscriptionmo: now }: AccountFeaturesRecord,
  body: AccountFeaturesBody,
): AccountFeaturesBody {
  if (Object.hasOwn(body, 'enablesubscriptionmo')) return body;
  const inForce = typeof now === 'boolean' ? now : null;
  return { ...body, enablesubscriptionmo: body.enablesms === false ? null : inForce };
}

export const allowCompanyLockFlag = switchFlag('lock-ok', {
  describe: 'Allow --yes to lock out all users of the company',
});

/**
 * The user types the company's name, or its id if the name can't be typed, because the lock keeps everybody
 * out (interface, accountFeatures, `locked`). Without a terminal, requires `--yes --lock-ok`. `action` is an
 * infinitive without the company.
 */
export async function confirmCompanyLock(
  session: Invocation & ServiceAccess & Profiles,
  input: Input,
  action = 'lock all users out',
): Promise<void> {
  const also = { flag: '--lock-ok', given: input.get(allowCompanyLockFlag) };
  const word = willAskUser(session) ? await wordOf(session) : '';
  await confirmByTypingWithAccountShown(session, action, word, also, ' of');
}

async function wordOf(session: ServiceAccess & Profiles): Promise<string> {
  const name = await session.accountLabel.name();
  if (name !== undefined && escapeForTerminal(name) === name) return name.trim();
  return String((await session.resolved()).credentials.companyId);
}
