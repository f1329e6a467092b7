/** A rule is named by `click:12`, by an id with `--kind`, by an id that only one kind has, or by its exact name. */

import { formatRecordId } from '../../../client/requests/record-title.ts';
import { readIdText } from '../../../kit/schema/integer.ts';
import type { Values } from '../../../kit/schema/resource.ts';
import { automations, type RuleRecord, type RuleResource } from '../../../service/resources/rule-kinds.ts';
import type { Input, Positional } from '../../command/command.ts';
import { choiceFlag } from '../../command/flag.ts';
import { UsageError } from '../../errors/errors.ts';
import { willAskForAttributes } from '../../request/ask-missing.ts';
import {
  createReadOptionsToCapture404Error,
  findNamed,
  recordNotFoundError,
  requireNonEmptyName,
} from '../../request/references.ts';
import type { Invocation, ServiceAccess } from '../../session/ports.ts';

export interface RuleWithResource {
  readonly resource: RuleResource;
  readonly record: RuleRecord;
}

export const rulePositional: Positional = {
  name: 'id',
  describe: 'Kind and id, such as click:12, or exact name',
  completes: 'automation',
};

const ruleKindNames: readonly string[] = automations.map(({ variant = '' }) => variant);

export const kindFlag = choiceFlag('kind', ruleKindNames, { describe: 'Kind of rule' });

/** On a terminal svc asks for a missing kind, so only help marks the flag as required. */
export const requiredRuleKindFlag = { ...kindFlag, required: true };

export function readOptionalRuleKind(input: Input): RuleResource | undefined {
  const kind = input.get(kindFlag);
  return automations.find(({ variant }) => variant === kind);
}

/** Asks a person for a missing kind. @throws UsageError if svc cannot ask */
export async function readRequiredRuleKind(
  session: Invocation & ServiceAccess,
  input: Input,
): Promise<RuleResource> {
  const kind = readOptionalRuleKind(input);
  if (kind) return kind;
  if (!willAskForAttributes(session, input))
    throw new UsageError('--kind is required', { hint: `give --kind <${ruleKindNames.join('|')}>` });
  const choices = automations.map((value) => ({ name: `${value.variant}: ${value.describe}`, value }));
  return session.context.prompter.select('Kind of rule (--kind)', choices);
}

/** Returns all kinds without `--kind`. */
export function readRuleKinds(input: Input): readonly RuleResource[] {
  const chosen = readOptionalRuleKind(input);
  return chosen ? [chosen] : automations;
}

/** Ordered by kind and then by id. Each kind has its own collection in the interface. */
export async function readRuleRecords(
  session: ServiceAccess,
  kinds: readonly RuleResource[],
  filters: Values = {},
): Promise<readonly RuleWithResource[]> {
  const client = await session.client();
  const found = await Promise.all(
    kinds.map(async (resource) =>
      (await client.find(resource, filters)).map((record) => ({ resource, record })),
    ),
  );
  return found.flat();
}

/** @throws CliError if there is no such rule, UsageError if there are several */
export async function findRule(session: ServiceAccess, input: Input): Promise<RuleWithResource> {
  const [text = ''] = input.positionals;
  requireNonEmptyName('rule', text);
  const { among, word } = readRule(text, readOptionalRuleKind(input));
  const client = await session.client();
  const look = createReadOptionsToCapture404Error();
  const id = readIdText(word);
  const found: RuleWithResource[] = [];
  if (id === undefined) found.push(...(await findNamed(client, among, word, look)));
  else
    for (const resource of among) {
      const record = await client.get(resource, id, look);
      if (record) found.push({ resource, record });
    }
  const [rule, ...others] = found;
  if (!rule) throw recordNotFoundError(among[0], text, look.notFoundError());
  if (others.length === 0) return rule;
  const names = found.map(({ resource, record }) => formatRecordId(resource, record.id));
  throw new UsageError(`${JSON.stringify(text)} matches more than one rule: ${names.join(', ')}`, {
    hint: 'give one of these',
  });
}

function readRule(text: string, chosen: RuleResource | undefined) {
  const [, variant, id] = /^([a-z]+):([0-9]{1,40})$/.exec(text) ?? [];
  if (variant === undefined || id === undefined)
    return { among: chosen ? [chosen] : automations, word: text };
  const kind = automations.find((each) => each.variant === variant);
  if (!kind) throw new UsageError(`unknown kind ${variant}`, { hint: `kinds: ${ruleKindNames.join(', ')}` });
  if (chosen && chosen !== kind) throw new UsageError(`${text} is not a rule of kind ${chosen.variant}`);
  return { among: [kind], word: id };
}
