import { titleOf } from '../../../client/requests/record-title.ts';
import type { Input, Outcome, Positional, Verb } from '../../command/command.ts';
import { fileFlag, switchFlag, writtenFileFlag } from '../../command/flag.ts';
import { UsageError } from '../../errors/errors.ts';
import { readRecordId } from '../../request/references.ts';
import { createWriteOutcome, printNoteAboutWrite } from '../../request/write-outcome.ts';
import type { Clocks, Invocation, ServiceAccess, Tell } from '../../session/ports.ts';
import { findRule, kindFlag, readRuleKinds, rulePositional } from './resolve.ts';

const allPausedFlag = switchFlag('all', {
  describe: 'Pause all active rules; with --kind, only rules of that kind',
});
const allResumedFlag = switchFlag('all', {
  describe: 'Resume all paused rules; with --kind, only rules of that kind',
});
const recordFlag = writtenFileFlag('record', {
  writes: 'file',
  describe: 'File to list the paused rules in (with --all or --kind)',
  defaultText: 'a new file next to the journal',
});
const fromFlag = fileFlag('from', {
  describe: 'Resume only the rules that this file lists; the command svc automation pause wrote the file',
});

const positional: Positional = { ...rulePositional, optional: true };

export const rulePause: Verb = {
  name: 'pause',
  summary: 'Pause one rule or all rules',
  about:
    'Events do not trigger a paused rule. Queued actions still run. With --all or --kind, svc writes a list of the paused rules to a file; automation resume --from FILE resumes exactly those rules',
  work: 'changes',
  asks: true,
  methods: ['PUT'],
  example: 'automation pause click:1',
  positionals: [positional],
  flags: [kindFlag, allPausedFlag, recordFlag],
  companies: 'writes',
  run: async (session, input) => {
    const record = input.get(recordFlag);
    const excluded = record === undefined ? undefined : '--record';
    if (namesOneRule(input, input.get(allPausedFlag), excluded)) return changeOne(session, input, true);
    const { pauseRules } = await import('./pause-many.ts');
    return pauseRules(session, readRuleKinds(input), record);
  },
};

export const ruleResume: Verb = {
  name: 'resume',
  summary: 'Resume one rule or all paused rules',
  about:
    '--from resumes only the rules that automation pause wrote to the file. All other paused rules stay paused',
  work: 'changes',
  does: 'sends',
  asks: true,
  methods: ['PUT'],
  example: 'automation resume click:1',
  positionals: [positional],
  flags: [kindFlag, allResumedFlag, fromFlag],
  companies: 'writes',
  run: async (session, input) => {
    const from = input.get(fromFlag);
    const all = input.get(allResumedFlag);
    if (from !== undefined) {
      refuseBeside(session, input, all);
      const { resumeRulesFromFile } = await import('./pause-many.ts');
      return resumeRulesFromFile(session, from);
    }
    if (namesOneRule(input, all)) return changeOne(session, input, false);
    const { resumeRules } = await import('./pause-many.ts');
    return resumeRules(session, readRuleKinds(input));
  },
};

/** Without an operand, `--all` or `--kind` selects the rules. @throws UsageError for both, or for no choice */
function namesOneRule(input: Input, all: boolean, excluded?: string): boolean {
  const [text] = input.positionals;
  if (text === undefined) {
    if (all || input.has({ name: 'kind' })) return false;
    throw new UsageError('no rule was given', { hint: 'give a rule, --all or --kind' });
  }
  const other = all ? '--all' : excluded;
  if (other !== undefined) throw new UsageError(`cannot combine a rule with ${other}`);
  return true;
}

function refuseBeside(session: ServiceAccess, input: Input, all: boolean): void {
  const other =
    input.positionals.length > 0 ? 'a rule' : all ? '--all' : input.has({ name: 'kind' }) ? '--kind' : '';
  if (other !== '') throw new UsageError(`cannot combine --from with ${other}`);
  if (session.actsFor !== undefined)
    throw new UsageError('cannot combine --from with --companies: the file is for one company', {
      hint: 'choose the company with --company',
    });
}

async function changeOne(
  session: Invocation & Tell & ServiceAccess & Clocks,
  input: Input,
  paused: boolean,
): Promise<Outcome> {
  const { resource, record } = await findRule(session, input);
  if (!paused && record.paused === true) {
    const { warnAboutSameRules } = await import('./same-rule.ts');
    await warnAboutSameRules(session, resource.variant, record);
  }
  const client = await session.client();
  const changed = await client.update(resource, readRecordId(record), { paused });
  await printNoteAboutWrite(session, `${paused ? 'paused' : 'resumed'} ${titleOf(resource, changed)}`);
  return createWriteOutcome(session, resource, changed, paused ? 'Paused' : 'Resumed');
}
