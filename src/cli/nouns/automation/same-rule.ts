import { titleOf } from '../../../client/requests/record-title.ts';
import { findSameRules } from '../../../client/sends/rivals.ts';
import type { Values } from '../../../kit/schema/resource.ts';
import { RULE_DEFINITIONS, RULE_KINDS } from '../../../service/resources/rule-kinds.ts';
import { explainError } from '../../errors/explain-error.ts';
import type { Invocation, ServiceAccess, Tell } from '../../session/ports.ts';

const NAMED = 3;

/**
 * Two active rules that do the same act twice for the same people. Continues if svc can't check. Does nothing with `--no-validate`, as for
 * tasks (contract, "The same send under two keys").
 * @param rule attributes of an active rule. `id` is that of the rule itself, if it exists
 */
export async function warnAboutSameRules(
  session: Invocation & Tell & ServiceAccess,
  variant: string | undefined,
  rule: Values & { readonly id?: unknown },
): Promise<void> {
  const kind = RULE_KINDS.find((each) => each === variant);
  if (!session.globals.validate || session.globals.dryRun || kind === undefined) return;
  try {
    const alike = (await findSameRules(await session.client(), kind, rule)).filter(
      ({ id, paused }) => !paused && id !== rule.id,
    );
    if (alike.length === 0) return;
    const { resource } = RULE_DEFINITIONS[kind];
    const named = alike.slice(0, NAMED).map((each) => `      ${titleOf(resource, each)}`);
    const more = alike.length > NAMED ? [`      and ${alike.length - NAMED} more`] : [];
    await session.warn([
      'Careful: an active rule has the same trigger, action, target and delay, so both act for the same people:',
      ...named,
      ...more,
    ]);
  } catch (error) {
    if (session.context.signal.aborted) throw error;
    await session.warn(
      `cannot check whether another active rule does the same: ${explainError(error).message}`,
    );
  }
}
