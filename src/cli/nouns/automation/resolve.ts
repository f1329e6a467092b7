/** Finds a rule by `click:12`, by an id with `--kind`, by an id that only one kind has, or by its exact name. */

import { formatRecordId } from '../../../client/record-title.ts';
import type { JsonObject } from '../../../protocol/envelope.ts';
import { readIdText } from '../../../schema/integer.ts';
import type { Resource } from '../../../schema/resource.ts';
import type { Input, Positional } from '../../command/command.ts';
import { choiceFlag, type Flag } from '../../command/flag.ts';
import { CliError, UsageError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import { createReadOptionsToCapture404Error, requireNonEmptyName } from '../../request/references.ts';
import type { ServiceAccess } from '../../session/access.ts';

export interface RuleWithResource {
  readonly resource: Resource;
  readonly record: JsonObject;
}

export const rulePositional: Positional = {
  name: 'id',
  describe: 'Kind and id, such as click:12, or exact name',
  completes: 'automation',
};

export const kindFlag = (kinds: readonly Resource[]): Flag<string | undefined> =>
  choiceFlag('kind', ruleKindNames(kinds), { describe: 'Kind of rule' });

/** Declares the flag for the kind of a new rule. */
export const requiredRuleKindFlag = (kinds: readonly Resource[]): Flag<string> =>
  choiceFlag('kind', ruleKindNames(kinds), { describe: 'Kind of rule', required: true });

export const ruleKindNames = (kinds: readonly Resource[]): readonly string[] =>
  kinds.map(({ variant = '' }) => variant);

export function readOptionalRuleKind(kinds: readonly Resource[], input: Input): Resource | undefined {
  const kind = input.get(kindFlag(kinds));
  return kinds.find(({ variant }) => variant === kind);
}

/** Returns the kind of rule that `--kind` names, for a verb that requires this flag. */
export function readRequiredRuleKind(kinds: readonly Resource[], input: Input): Resource {
  const kind = readOptionalRuleKind(kinds, input);
  if (kind) return kind;
  throw new RangeError('--kind is not declared as required');
}

export async function findRule(
  session: ServiceAccess,
  kinds: readonly Resource[],
  input: Input,
): Promise<RuleWithResource> {
  const [text = ''] = input.positionals;
  requireNonEmptyName('rule', text);
  const { among, word } = readRule(kinds, text, readOptionalRuleKind(kinds, input));
  const client = await session.client();
  const found: RuleWithResource[] = [];
  const look = createReadOptionsToCapture404Error();
  for (const resource of among) {
    const id = readIdText(word);
    if (id !== undefined) {
      const record = await client.get(resource, id, look);
      if (record) found.push({ resource, record });
    } else {
      const records = await client.find(resource, { name: word }, look);
      found.push(...records.map((record) => ({ resource, record })));
    }
  }
  const [rule, ...others] = found;
  if (!rule)
    throw new CliError('not-found', `automation ${text} not found`, {
      exit: EXIT.notFound,
      hint: 'run svc automation list to see the ids',
      cause: look.notFoundError(),
    });
  if (others.length === 0) return rule;
  const names = found.map(({ resource, record }) => formatRecordId(resource, record['id']));
  throw new UsageError(`${JSON.stringify(text)} matches more than one rule: ${names.join(', ')}`, {
    hint: 'give one of these',
  });
}

function readRule(
  kinds: readonly Resource[],
  text: string,
  chosen: Resource | undefined,
): { readonly among: readonly Resource[]; readonly word: string } {
  const [, variant, id] = /^([a-z]+):([0-9]{1,40})$/.exec(text) ?? [];
  if (variant === undefined || id === undefined) return { among: chosen ? [chosen] : kinds, word: text };
  const kind = kinds.find((each) => each.variant === variant);
  if (!kind) throw noSuchKind(kinds, variant);
  if (chosen && chosen !== kind) throw new UsageError(`${text} is not a rule of kind ${chosen.variant}`);
  return { among: [kind], word: id };
}

const noSuchKind = (kinds: readonly Resource[], text: string): UsageError =>
  new UsageError(`unknown kind ${text}`, {
    hint: `kinds: ${kinds.map(({ variant }) => variant).join(', ')}`,
  });
