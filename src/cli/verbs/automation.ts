/** The five kinds of rule under one noun. */
import type { Resource } from '../../schema/resource.ts';
import { confirmedOnAccount } from '../account-questions.ts';
import { mustBeConfirmable } from '../guards.ts';
import { titleOf } from '../output/title.ts';
import { idIn } from '../references.ts';
import { shown } from '../submit.ts';
import type { Verb } from '../verb.ts';
import { listRules, ruleExists } from './automation-list.ts';
import { kindFlag, type Rule, resolveRule, rulePositional } from './automation-rule.ts';
import { createRule, updateRule } from './automation-write.ts';

export function automationVerbs(kinds: readonly Resource[]): readonly Verb[] {
  return [
    listRules(kinds),
    getRule(kinds),
    ruleExists(kinds),
    createRule(kinds),
    updateRule(kinds),
    pausing(kinds, 'pause', 'Pause one: nothing matches until it is resumed', true),
    pausing(kinds, 'resume', 'Let a paused one match again', false),
    deleteRule(kinds),
  ];
}

function getRule(kinds: readonly Resource[]): Verb {
  return {
    name: 'get',
    summary: 'Show one',
    example: 'automation get click:12',
    positionals: [rulePositional],
    flags: [kindFlag(kinds)],
    run: async (session, input) => {
      const { resource, record } = await resolveRule(session, kinds, input);
      return shown(resource, record);
    },
  };
}

function pausing(kinds: readonly Resource[], name: string, summary: string, paused: boolean): Verb {
  return {
    name,
    summary,
    example: `automation ${name} click:12`,
    positionals: [rulePositional],
    flags: [kindFlag(kinds)],
    run: async (session, input) => {
      const { resource, record } = await resolveRule(session, kinds, input);
      const id = idIn(record);
      const client = await session.client();
      const changed = await client.update(resource, id, { paused });
      await session.note(`${paused ? 'paused' : 'resumed'} ${titleOf(resource, changed)}`);
      return shown(resource, changed);
    },
  };
}

function deleteRule(kinds: readonly Resource[]): Verb {
  return {
    name: 'delete',
    summary: 'Delete one',
    about: 'What it has queued is not done any more; pause it first to let that finish',
    example: 'automation delete click:12 --yes',
    positionals: [rulePositional],
    flags: [kindFlag(kinds)],
    run: async (session, input) => {
      mustBeConfirmable(session, `delete automation ${input.positionals[0] ?? ''}`);
      const { resource, record }: Rule = await resolveRule(session, kinds, input);
      const id = idIn(record);
      const title = titleOf(resource, record);
      await confirmedOnAccount(session, `delete ${title}, and what it has queued`);
      await (await session.client()).remove(resource, { id });
      await session.note(`deleted ${title}`);
      return shown(resource, { id });
    },
  };
}
