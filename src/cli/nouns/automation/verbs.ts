/** Combines the five kinds of rule under one noun. */

import { titleOf } from '../../../client/record-title.ts';
import type { Resource } from '../../../schema/resource.ts';
import type { Verb } from '../../command/command.ts';
import { confirmOnAccount } from '../../request/account-questions.ts';
import { mustBeConfirmable } from '../../request/guards.ts';
import { idIn } from '../../request/references.ts';
import { recordResult } from '../../request/submit.ts';
import { answersInShort, printWriteNote, written } from '../../request/written.ts';
import { ruleGraphVerb } from './graph.ts';
import { listRules, ruleExists } from './list.ts';
import { pauseVerb, resumeVerb } from './pause.ts';
import { type FoundRule, kindFlag, resolveRule, rulePositional } from './resolve.ts';
import { simulateRule } from './simulate.ts';
import { createRule, updateRule } from './write.ts';

export function automationVerbs(kinds: readonly Resource[]): readonly Verb[] {
  return [
    listRules(kinds),
    getRule(kinds),
    ruleExists(kinds),
    createRule(kinds),
    updateRule(kinds),
    pauseVerb(kinds),
    resumeVerb(kinds),
    deleteRule(kinds),
    simulateRule(kinds),
    ruleGraphVerb(kinds),
  ];
}

function getRule(kinds: readonly Resource[]): Verb {
  return {
    name: 'get',
    summary: 'Show a rule',
    work: 'finds',
    methods: ['GET'],
    example: 'automation get click:1',
    positionals: [rulePositional],
    flags: [kindFlag(kinds)],
    companies: 'reads',
    run: async (session, input) => {
      const { resource, record } = await resolveRule(session, kinds, input);
      return recordResult(resource, record);
    },
  };
}

function deleteRule(kinds: readonly Resource[]): Verb {
  return {
    name: 'delete',
    summary: 'Delete a rule',
    about: 'Deleting a rule drops its queued actions. To let them finish, pause the rule first',
    work: 'changes',
    methods: ['DELETE'],
    example: 'automation delete click:1 --yes',
    positionals: [rulePositional],
    flags: [kindFlag(kinds)],
    companies: 'writes',
    run: async (session, input) => {
      mustBeConfirmable(session, `delete automation ${input.positionals[0] ?? ''}`);
      const { resource, record }: FoundRule = await resolveRule(session, kinds, input);
      const id = idIn(record);
      const title = titleOf(resource, record);
      await confirmOnAccount(session, `delete ${title} and its queued actions`);
      await (await session.client()).remove(resource, { id });
      await printWriteNote(session, `deleted ${title}`);
      return (await answersInShort(session))
        ? written(session, resource, record, 'Deleted')
        : recordResult(resource, { id });
    },
  };
}
