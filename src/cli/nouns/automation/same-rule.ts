import { titleOf } from '../../../client/requests/record-title.ts';
import { findSamePairs, findSameRules } from '../../../client/sends/rivals.ts';
import { ruleDelay, ruleEffect } from '../../../client/sends/same-rule.ts';
import type { Values } from '../../../kit/schema/resource.ts';
import {
  RULE_DEFINITIONS,
  RULE_KINDS,
  type RuleKind,
  type RuleRecord,
} from '../../../service/resources/rule-kinds.ts';
import { explainError } from '../../errors/explain-error.ts';
import type { Invocation, ServiceAccess, Tell } from '../../session/ports.ts';
import type { RuleWithResource } from './resolve.ts';

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
  const kind = kindToCheck(session, variant);
  if (kind === undefined) return;
  await unlessUnknown(session, async () => {
    const alike = (await findSameRules(await session.client(), kind, rule)).filter(
      ({ id, paused }) => !paused && id !== rule.id,
    );
    const titles = alike.map((each) => titleOf(RULE_DEFINITIONS[kind].resource, each));
    await warn(session, 'an active rule has', titles);
  });
}

/** Warns if the update makes the rule act as another one does. A pair that acts already is not new. */
export async function warnAboutSameRulesAfterUpdate(
  session: Invocation & Tell & ServiceAccess,
  variant: string | undefined,
  before: RuleRecord,
  body: Values,
): Promise<void> {
  const kind = kindToCheck(session, variant);
  const after = { ...before, ...body };
  if (kind === undefined || after.paused === true) return;
  const didSame =
    before.paused !== true &&
    ruleEffect(kind, before) === ruleEffect(kind, after) &&
    ruleDelay(before) === ruleDelay(after);
  if (!didSame) await warnAboutSameRules(session, kind, after);
}

/** Warns of rules that do the same as another one, if either of the two is resumed. */
export async function warnAboutSameRulesAfterResume(
  session: Invocation & Tell & ServiceAccess,
  resumed: readonly RuleWithResource[],
): Promise<void> {
  await unlessUnknown(session, async () => {
    const client = await session.client();
    const pairs: string[] = [];
    for (const each of RULE_KINDS) {
      const kind = kindToCheck(session, each);
      const records = resumed.filter(({ resource }) => resource.variant === each).map(({ record }) => record);
      if (kind === undefined || records.length === 0) continue;
      const { resource } = RULE_DEFINITIONS[kind];
      for (const pair of await findSamePairs(client, kind, records))
        pairs.push(pair.map((rule) => titleOf(resource, rule)).join(' and '));
    }
    await warn(session, 'some of these rules have, as another rule that is then active,', pairs);
  });
}

const kindToCheck = ({ globals }: Invocation, variant: string | undefined): RuleKind | undefined =>
  globals.validate && !globals.dryRun ? RULE_KINDS.find((each) => each === variant) : undefined;

async function warn(session: Tell, who: string, lines: readonly string[]): Promise<void> {
  if (lines.length === 0) return;
  const more = lines.length > NAMED ? [`      and ${lines.length - NAMED} more`] : [];
  await session.warn([
    `Careful: ${who} the same trigger, action, target and delay, so both act for the same people:`,
    ...lines.slice(0, NAMED).map((line) => `      ${line}`),
    ...more,
  ]);
}

async function unlessUnknown(session: Invocation & Tell, look: () => Promise<void>): Promise<void> {
  try {
    await look();
  } catch (error) {
    if (session.context.signal.aborted) throw error;
    await session.warn(
      `cannot check whether another active rule does the same: ${explainError(error).message}`,
    );
  }
}
