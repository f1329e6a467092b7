/** Making and changing a rule, whose kind decides which attributes there are. */
import type { Resource } from '../../../schema/resource.ts';
import type { Input, Verb } from '../../command/command.ts';
import type { Flag } from '../../command/flag.ts';
import { UsageError } from '../../errors/errors.ts';
import { bodyFlags } from '../../request/attribute-flags.ts';
import { readBody } from '../../request/body.ts';
import { keyFlag } from '../../request/idempotency-key.ts';
import { idIn } from '../../request/references.ts';
import { createFrom } from '../generic/create.ts';
import { updateFrom } from '../generic/update.ts';
import { kindFlag, kindGiven, requiredKindFlag, resolveRule, rulePositional } from './resolve.ts';

export function createRule(kinds: readonly Resource[]): Verb {
  return {
    name: 'create',
    summary: 'Create a rule of one kind',
    about: 'With --after and --before a time is turned into the unit of the kind',
    example:
      'automation create --kind click --name "Clicked sale" --message "Spring sale" --actiontype addtolist --actiontarget 7 --after 1d --actiononweekend',
    flags: [requiredKindFlag(kinds), ...unionFlags(kinds, 'POST'), keyFlag],
    run: async (session, input) => {
      const resource = kindGiven(kinds, input);
      refuseForeign(kinds, resource, 'POST', input);
      return createFrom(session, resource, input, await readBody(session, resource, 'POST', input));
    },
  };
}

export function updateRule(kinds: readonly Resource[]): Verb {
  return {
    name: 'update',
    summary: 'Update a rule',
    example: 'automation update click:12 --name "Clicked sale"',
    positionals: [rulePositional],
    flags: [kindFlag(kinds), ...unionFlags(kinds, 'PUT')],
    run: async (session, input) => {
      const { resource, record } = await resolveRule(session, kinds, input);
      refuseForeign(kinds, resource, 'PUT', input);
      const draft = await readBody(session, resource, 'PUT', input);
      return updateFrom(session, resource, draft, async () => idIn(record));
    },
  };
}

/** Each flag that any kind has, once; which kinds have it is told by the kind's refusal. */
function unionFlags(kinds: readonly Resource[], method: 'POST' | 'PUT'): readonly Flag<unknown>[] {
  const flags = new Map<string, Flag<unknown>>();
  for (const flag of kinds.flatMap((resource) => bodyFlags(resource, method))) {
    const known = flags.get(flag.name);
    if (!known) flags.set(flag.name, flag);
    else if (known.choices && flag.choices) {
      const choices = [...new Set([...known.choices, ...flag.choices])];
      const describe = known.describe.replace(/ \([^()]*, [^()]*\)$/, ` (${choices.join(', ')})`);
      flags.set(flag.name, { ...known, describe, choices });
    }
  }
  return [...flags.values()].map((flag) =>
    flag.name === 'actiontimediff'
      ? { ...flag, describe: 'Time between event and action, in the unit of the kind' }
      : flag,
  );
}

function refuseForeign(
  kinds: readonly Resource[],
  resource: Resource,
  method: 'POST' | 'PUT',
  input: Input,
): void {
  const own = new Set(bodyFlags(resource, method).map((flag) => flag.name));
  const foreign = unionFlags(kinds, method).find((flag) => input.has(flag) && !own.has(flag.name));
  if (!foreign) return;
  const having = kinds.filter((kind) => bodyFlags(kind, method).some(({ name }) => name === foreign.name));
  throw new UsageError(`a rule of kind ${resource.variant} has no --${foreign.name}`, {
    hint: `kinds that have it: ${having.map(({ variant }) => variant).join(', ')}`,
  });
}
