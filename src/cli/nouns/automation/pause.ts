/** Pauses rules: one, those of a kind, all, or those of a record. */
import { titleOf } from '../../../client/record-title.ts';
import type { Resource } from '../../../schema/resource.ts';
import type { Input, Outcome, Positional, Verb } from '../../command/command.ts';
import { fileFlag, switchFlag } from '../../command/flag.ts';
import { UsageError } from '../../errors/errors.ts';
import { idIn } from '../../request/references.ts';
import { tellWritten, written } from '../../request/written.ts';
import type { Session } from '../../session/session.ts';
import { kindFlag, kindIn, resolveRule, rulePositional } from './resolve.ts';

const allPausedFlag = switchFlag('all', {
  describe: 'Every rule that is active; with --kind those of the kind',
});
const allResumedFlag = switchFlag('all', {
  describe: 'Every rule that is paused; with --kind those of the kind',
});
const recordFlag = fileFlag('record', {
  describe: 'With --all or --kind: the file that notes what is paused',
  otherwise: 'a new one beside the journal',
});
const fromFlag = fileFlag('from', { describe: 'What automation pause has noted as paused in this file' });

const positional: Positional = { ...rulePositional, optional: true };

export function pauseRules(kinds: readonly Resource[]): Verb {
  return {
    name: 'pause',
    summary: 'Pause a rule, or all of them: nothing matches until it is resumed',
    about:
      'What is queued is still done. --all and --kind note what they pause: automation resume --from FILE takes that back',
    example: 'automation pause click:1',
    positionals: [positional],
    flags: [kindFlag(kinds), allPausedFlag, recordFlag],
    companies: 'writes',
    run: async (session, input) => {
      const record = input.get(recordFlag);
      if (isOne(input, { all: input.get(allPausedFlag), others: input.has(recordFlag) ? ['--record'] : [] }))
        return changeOne(session, kinds, input, true);
      const chosen = kindIn(kinds, input);
      const { pauseMany } = await import('./pause-many.ts');
      return pauseMany(session, chosen ? [chosen] : kinds, record);
    },
  };
}

export function resumeRules(kinds: readonly Resource[]): Verb {
  return {
    name: 'resume',
    summary: 'Let a paused rule match again, or all that are paused',
    about:
      '--from resumes exactly what a pause of many rules has paused, and nothing that had been paused before',
    example: 'automation resume click:1',
    positionals: [positional],
    flags: [kindFlag(kinds), allResumedFlag, fromFlag],
    companies: 'writes',
    run: async (session, input) => {
      const from = input.get(fromFlag);
      const all = input.get(allResumedFlag);
      if (from !== undefined) {
        refuseBeside(session, input, all);
        const { resumeFrom } = await import('./pause-many.ts');
        return resumeFrom(session, kinds, from);
      }
      if (isOne(input, { all, others: [] })) return changeOne(session, kinds, input, false);
      const chosen = kindIn(kinds, input);
      const { resumeMany } = await import('./pause-many.ts');
      return resumeMany(session, chosen ? [chosen] : kinds);
    },
  };
}

/** Reports whether one rule is named. @throws UsageError when that is ambiguous */
function isOne(
  input: Input,
  { all, others }: { readonly all: boolean; readonly others: readonly string[] },
): boolean {
  const [text] = input.positionals;
  if (text === undefined) {
    if (all || input.has({ name: 'kind' })) return false;
    throw new UsageError('there is nothing that names a rule', { hint: 'name one, or give --all or --kind' });
  }
  const [excluded] = [...(all ? ['--all'] : []), ...others];
  if (excluded !== undefined) throw new UsageError(`a rule by itself and ${excluded} exclude each other`);
  return true;
}

function refuseBeside(session: Session, input: Input, all: boolean): void {
  const other =
    input.positionals.length > 0 ? 'a rule' : all ? '--all' : input.has({ name: 'kind' }) ? '--kind' : '';
  if (other !== '') throw new UsageError(`--from and ${other} exclude each other`);
  if (session.actsFor !== undefined)
    throw new UsageError('--from works on one company, and not with --companies', {
      hint: 'name the company with --company',
    });
}

async function changeOne(
  session: Session,
  kinds: readonly Resource[],
  input: Input,
  paused: boolean,
): Promise<Outcome> {
  const { resource, record } = await resolveRule(session, kinds, input);
  const client = await session.client();
  const changed = await client.update(resource, idIn(record), { paused });
  await tellWritten(session, `${paused ? 'paused' : 'resumed'} ${titleOf(resource, changed)}`);
  return written(session, resource, changed, paused ? 'Paused' : 'Resumed');
}
