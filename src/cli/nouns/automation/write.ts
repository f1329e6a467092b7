/** The kind of a rule decides which attributes it has. */

import type { Resource } from '../../../kit/schema/resource.ts';
import { automations, RULE_DEFINITIONS, RULE_KINDS } from '../../../service/resources/rule-kinds.ts';
import type { Input, Verb } from '../../command/command.ts';
import type { Flag, FlagShape } from '../../command/flag.ts';
import { UsageError } from '../../errors/errors.ts';
import { askForMissingAttributes } from '../../request/ask-missing.ts';
import { createBodyFlags } from '../../request/attribute-flags.ts';
import { readBody, withTargetByName } from '../../request/body.ts';
import { bothFlag, idempotencyKeyFlag } from '../../request/key.ts';
import { readRecordId } from '../../request/references.ts';
import { createRecordFromDraft, updateRecordFromDraft } from '../generic/write.ts';
import { findRule, kindFlag, readRequiredRuleKind, requiredRuleKindFlag, rulePositional } from './resolve.ts';

export const ruleCreate: Verb = {
  name: 'create',
  summary: 'Create an automation rule of the chosen kind',
  about: '--target takes a message by id or exact name; remove-from-list needs none',
  work: 'changes',
  does: 'sends',
  methods: ['POST'],
  example: exampleOf('click'),
  flags: [requiredRuleKindFlag, ...unionFlags('POST'), idempotencyKeyFlag, bothFlag],
  companies: 'writes',
  variants: {
    flag: kindFlag,
    of: pageOf,
    note: 'Each kind has its own flags: svc automation create --kind click --help',
  },
  run: async (session, input) => {
    const resource = await readRequiredRuleKind(session, input);
    refuseForeign(resource, 'POST', input);
    const draft = await readBody(session, resource, 'POST', input);
    const asked = await askForMissingAttributes(session, resource, input, draft, {
      sources: {
        // Automation rules 10: the target of a removal can only be 0.
        actiontarget: async ({ actiontype }) => (actiontype === 'removefromlist' ? '0' : undefined),
      },
    });
    return createRecordFromDraft(session, resource, input, withTargetByName(session, input, asked), {
      before: async (body) => {
        // With --key, svc looks itself, and refuses the rule.
        if (body['paused'] === true || input.find(idempotencyKeyFlag) !== undefined) return;
        const { warnAboutSameRules } = await import('./same-rule.ts');
        await warnAboutSameRules(session, resource.variant, body);
      },
    });
  },
};

/** Undefined gives the flags that all kinds share. */
function pageOf(kind: string | undefined): Pick<Verb, 'flags' | 'example'> {
  const having = kind === undefined ? automations : automations.filter(({ variant }) => variant === kind);
  const flags = [requiredRuleKindFlag, ...sharedFlags(having), idempotencyKeyFlag, bothFlag];
  return { flags, example: exampleOf(kind ?? 'click') };
}

function sharedFlags(kinds: readonly Resource[]): readonly FlagShape[] {
  const [first = [], ...others] = kinds.map((resource) => createBodyFlags(resource, 'POST'));
  return first.filter(({ name }) => others.every((flags) => flags.some((flag) => flag.name === name)));
}

function exampleOf(text: string): string {
  const kind = RULE_KINDS.find((each) => each === text);
  return `automation create --kind ${text} --name Follow-up ${kind === undefined ? '' : RULE_DEFINITIONS[kind].example}`;
}

export const ruleUpdate: Verb = {
  name: 'update',
  summary: 'Update a rule',
  work: 'changes',
  does: 'sends',
  methods: ['PUT'],
  example: 'automation update click:1 --name Espresso',
  positionals: [rulePositional],
  flags: [kindFlag, ...unionFlags('PUT')],
  companies: 'writes',
  run: async (session, input) => {
    const { resource, record } = await findRule(session, input);
    refuseForeign(resource, 'PUT', input);
    const draft = await readBody(session, resource, 'PUT', input);
    return updateRecordFromDraft(session, resource, draft, async () => readRecordId(record), {
      before: async (body) => {
        const { warnAboutSameRulesAfterUpdate } = await import('./same-rule.ts');
        await warnAboutSameRulesAfterUpdate(session, resource.variant, record, body);
      },
    });
  },
};

/** The verb refuses a flag that the rule's kind lacks. */
function unionFlags(method: 'POST' | 'PUT'): readonly Flag<unknown>[] {
  const flags = new Map<string, Flag<unknown>>();
  for (const flag of automations.flatMap((resource) => createBodyFlags(resource, method))) {
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

function refuseForeign(resource: Resource, method: 'POST' | 'PUT', input: Input): void {
  const own = new Set(createBodyFlags(resource, method).map((flag) => flag.name));
  const foreign = unionFlags(method).find((flag) => input.has(flag) && !own.has(flag.name));
  if (!foreign) return;
  const having = automations.filter((kind) =>
    createBodyFlags(kind, method).some(({ name }) => name === foreign.name),
  );
  throw new UsageError(`a rule of kind ${resource.variant} has no --${foreign.name}`, {
    hint: `--${foreign.name} works with kind ${having.map(({ variant }) => variant).join(', ')}`,
  });
}
