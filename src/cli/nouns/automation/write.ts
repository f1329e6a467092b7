/** Creates and changes rules. The kind decides which attributes a rule has. */
import { RULE_DEFINITIONS, RULE_KINDS } from '../../../resources/rule-kinds.ts';
import type { Resource } from '../../../schema/resource.ts';
import type { Input, Verb } from '../../command/command.ts';
import type { Flag, FlagShape } from '../../command/flag.ts';
import { UsageError } from '../../errors/errors.ts';
import { createBodyFlags } from '../../request/attribute-flags.ts';
import { readBody } from '../../request/body.ts';
import { idempotencyKeyFlag } from '../../request/name-marks.ts';
import { readRecordId } from '../../request/references.ts';
import { createRecordFromDraft } from '../generic/create.ts';
import { updateRecordFromDraft } from '../generic/update.ts';
import {
  findRule,
  kindFlag,
  readRequiredRuleKind,
  requiredRuleKindFlag,
  ruleKindNames,
  rulePositional,
} from './resolve.ts';

export function createVerbToCreateRule(kinds: readonly Resource[]): Verb {
  return {
    name: 'create',
    summary: 'Create an automation rule of the chosen kind',
    about: 'svc converts --after and --before to minutes or seconds, as the kind of rule requires',
    work: 'changes',
    methods: ['POST'],
    example: exampleOf('click'),
    flags: [requiredRuleKindFlag(kinds), ...unionFlags(kinds, 'POST'), idempotencyKeyFlag],
    companies: 'writes',
    variants: {
      flag: kindFlag(kinds),
      of: (kind) => pageOf(kinds, kind),
      note: `Each kind has its own flags: svc automation create --kind ${ruleKindNames(kinds).join('|')} --help`,
    },
    run: async (session, input) => {
      const resource = readRequiredRuleKind(kinds, input);
      refuseForeign(kinds, resource, 'POST', input);
      return createRecordFromDraft(
        session,
        resource,
        input,
        await readBody(session, resource, 'POST', input),
      );
    },
  };
}

/**
 * Returns the flags and the example of `svc automation create` for one kind of rule. If `kind` is undefined, returns only the flags that
 * all kinds of rule share, and an example.
 */
function pageOf(kinds: readonly Resource[], kind: string | undefined): Pick<Verb, 'flags' | 'example'> {
  const having = kind === undefined ? kinds : kinds.filter(({ variant }) => variant === kind);
  const flags = [requiredRuleKindFlag(kinds), ...sharedFlags(having), idempotencyKeyFlag];
  return { flags, example: exampleOf(kind ?? 'click') };
}

/** Returns the flags for the attributes of a new rule that all of these kinds of rule have. */
function sharedFlags(kinds: readonly Resource[]): readonly FlagShape[] {
  const [first = [], ...others] = kinds.map((resource) => createBodyFlags(resource, 'POST'));
  return first.filter(({ name }) => others.every((flags) => flags.some((flag) => flag.name === name)));
}

function exampleOf(text: string): string {
  const kind = RULE_KINDS.find((each) => each === text);
  return `automation create --kind ${text} --name Follow-up ${kind === undefined ? '' : RULE_DEFINITIONS[kind].example}`;
}

export function createVerbToUpdateRule(kinds: readonly Resource[]): Verb {
  return {
    name: 'update',
    summary: 'Update a rule',
    work: 'changes',
    methods: ['PUT'],
    example: 'automation update click:1 --name Espresso',
    positionals: [rulePositional],
    flags: [kindFlag(kinds), ...unionFlags(kinds, 'PUT')],
    companies: 'writes',
    run: async (session, input) => {
      const { resource, record } = await findRule(session, kinds, input);
      refuseForeign(kinds, resource, 'PUT', input);
      const draft = await readBody(session, resource, 'PUT', input);
      return updateRecordFromDraft(session, resource, draft, async () => readRecordId(record));
    },
  };
}

/** Returns the flags of all kinds without duplicates. The verb refuses a flag that the rule's kind lacks. */
function unionFlags(kinds: readonly Resource[], method: 'POST' | 'PUT'): readonly Flag<unknown>[] {
  const flags = new Map<string, Flag<unknown>>();
  for (const flag of kinds.flatMap((resource) => createBodyFlags(resource, method))) {
    const known = flags.get(flag.name);
    if (!known) flags.set(flag.name, flag);
    else if (known.choices && flag.choices) {
      const choices = [...new Set([...known.choices, ...flag.choices])];
      flags.set(flag.name, { ...known, choices });
    }
  }
  return [...flags.values()].map((flag) =>
    flag.name === 'actiontimediff'
      ? { ...flag, describe: 'Delay of the action, in seconds (kind subscription: in minutes)' }
      : flag,
  );
}

function refuseForeign(
  kinds: readonly Resource[],
  resource: Resource,
  method: 'POST' | 'PUT',
  input: Input,
): void {
  const own = new Set(createBodyFlags(resource, method).map((flag) => flag.name));
  const foreign = unionFlags(kinds, method).find((flag) => input.has(flag) && !own.has(flag.name));
  if (!foreign) return;
  const having = kinds.filter((kind) =>
    createBodyFlags(kind, method).some(({ name }) => name === foreign.name),
  );
  throw new UsageError(`a rule of kind ${resource.variant} has no --${foreign.name}`, {
    hint: `--${foreign.name} works with kind ${having.map(({ variant }) => variant).join(', ')}`,
  });
}
