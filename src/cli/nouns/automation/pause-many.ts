/** Changes rules one after the other, and records the paused rules in a file. */

import { join, resolve } from 'node:path';
import { JournalError, journalFolder, makeJournalFolder } from '../../../client/journal/file.ts';
import {
  createPausedRulesFileAndWriter,
  createRulePauseStateWriter,
  type PausedRules,
  parsePausedRules,
  type RulePauseStateWriter,
} from '../../../client/journal/paused-rules-file.ts';
import { ClientError, isRefusalOfRecord } from '../../../client/requests/errors.ts';
import { formatRecordId, titleOf } from '../../../client/requests/record-title.ts';
import { formatCountWithNoun, quoteShellWord } from '../../../kit/text/words.ts';
import { automations, type RuleRecord, type RuleResource } from '../../../service/resources/rule-kinds.ts';
import type { Outcome } from '../../command/command.ts';
import { CliError, ItemError, UsageError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import { explainError } from '../../errors/explain-error.ts';
import { confirmActionWithAccountShown, requireYesFlagOrTerminal } from '../../request/guards.ts';
import { readText } from '../../request/input-text.ts';
import { readRecordId } from '../../request/references.ts';
import { countsCompaniesOnTerminal } from '../../session/globals.ts';
import { toPlannedChange } from '../../session/planned-change.ts';
import type {
  Changes,
  Invocation,
  Notes,
  Ports,
  Profiles,
  ServiceAccess,
  Tell,
} from '../../session/ports.ts';
import { columnsOfAllRules } from './list.ts';
import { type RuleWithResource, readRuleRecords } from './resolve.ts';
import { warnAboutSameRulesAfterResume } from './same-rule.ts';

const SHOWN = ['id', 'name', 'paused', 'actiontype'];

const MAX_OCTETS = 64 * 1024 * 1024;

/** Records the rules in the file, or in a new file beside the journal. */
export async function pauseRules(
  session: Ports,
  kinds: readonly RuleResource[],
  file: string | undefined,
): Promise<Outcome> {
  requireYesFlagOrTerminal(session, `pause ${manyWords(kinds)}`);
  const rules = await readRuleRecords(session, kinds, { paused: false });
  if (rules.length === 0) return changedRules([], 0, 'No rule is active. Nothing was paused.');
  await confirmChange(session, rules, true);
  await session.beforeWrite();
  const { path, note } = await openRecord(session, rules, file);
  const flags = session.accountFlags;
  await session.warn([
    `To resume them: svc undo${flags}`,
    `Later, give this file to svc automation resume${flags} --from:`,
    quoteShellWord(path),
  ]);
  return changeAll(session, rules, true, note);
}

export async function resumeRules(
  session: Invocation & Tell & ServiceAccess & Changes,
  kinds: readonly RuleResource[],
): Promise<Outcome> {
  requireYesFlagOrTerminal(session, `resume ${manyWords(kinds)}`);
  const rules = await readRuleRecords(session, kinds, { paused: true });
  if (rules.length === 0) return changedRules([], 0, 'No rule is paused. Nothing was resumed.');
  await warnAboutSameRulesAfterResume(session, rules);
  await confirmChange(session, rules, false);
  return changeAll(session, rules, false, () => undefined);
}

/** Resumes only rules that are still paused. */
export async function resumeRulesFromFile(session: Ports, file: string): Promise<Outcome> {
  const record = await readRecord(session, file);
  requireYesFlagOrTerminal(session, `resume the rules that ${file} lists as paused`);
  // The service may have paused a rule whose outcome is unknown.
  const wanted = record.rules.filter(({ state }) => state === 'paused' || state === 'begun');
  const among = automations.filter(({ variant }) => wanted.some(({ kind }) => kind === variant));
  const paused = await readRuleRecords(session, among, { paused: true });
  const byRef = new Map(paused.map((rule) => [refOf(rule), rule]));
  const rules = wanted.flatMap(({ kind, id }) => byRef.get(`${kind}:${String(id)}`) ?? []);
  const others = wanted.filter(({ kind, id }) => !byRef.has(`${kind}:${String(id)}`));
  const gone = await goneAmong(session, others);
  for (const { kind, id, name } of gone)
    await session.report(
      new CliError(
        'not-found',
        `automation rule ${kind}:${id} (${name}) no longer exists and cannot be resumed`,
        { exit: EXIT.notFound },
      ),
    );
  const active = others.length - gone.length;
  if (active > 0) await session.info(`${active === 1 ? '1 rule is' : `${active} rules are`} already active`);
  if (rules.length === 0)
    return changedRules([], gone.length, `All rules in ${file} are active. Nothing was resumed.`);
  await warnAboutSameRulesAfterResume(session, rules);
  await confirmChange(session, rules, false);
  return changeAll(session, rules, false, openResumeRecorder(session, file), gone.length);
}

/** A failed write warns once: a second run could then resume a rule that someone has paused again by hand. */
function openResumeRecorder(session: Invocation & Tell, file: string): RulePauseStateWriter {
  const { context } = session;
  const note = createRulePauseStateWriter(resolve(context.cwd, file), context.platform);
  let isReported = false;
  return (rule, state) => {
    if (state !== 'paused' && state !== 'resumed') return;
    try {
      note(rule, state);
    } catch (error) {
      if (!isReported)
        void session.info(`cannot record the resumed rules in ${file}: ${explainError(error).message}`);
      isReported = true;
    }
  };
}

async function confirmChange(
  session: Invocation & ServiceAccess & Changes,
  rules: readonly RuleWithResource[],
  paused: boolean,
): Promise<void> {
  await confirmActionWithAccountShown(session, `${paused ? 'pause' : 'resume'} ${countWords(rules)}`);
  if (!session.dryRun.isOn) return;
  const changes = rules.map(({ resource, record }) =>
    toPlannedChange({ method: 'PUT', resource, id: readRecordId(record), body: { paused } }),
  );
  session.dryRun.end(...changes);
}

/** Rules that no longer exist (`missing`) count as failed. */
async function changeAll(
  session: Invocation & Tell & ServiceAccess,
  rules: readonly RuleWithResource[],
  paused: boolean,
  note: RulePauseStateWriter,
  missing = 0,
): Promise<Outcome> {
  const [verb, done] = paused ? ['pause', 'paused'] : ['resume', 'resumed'];
  const rows: (RuleRecord & { readonly kind: string })[] = [];
  const failed: string[] = [];
  await session.waiting(`for ${rules.length} rules to be ${done}, one at a time`, async () => {
    for (const [index, rule] of rules.entries()) {
      try {
        const changed = await changeOne(session, rule, paused, note);
        if (changed !== undefined) rows.push({ kind: rule.resource.variant ?? '', ...changed });
      } catch (error) {
        if (!isRefusalOfRecord(error)) {
          const [at, ...others] = rules.slice(index).map(refOf);
          await session.warn(`stopped at ${at}; not ${done}: ${others.join(', ') || 'nothing else'}`);
          throw error;
        }
        failed.push(refOf(rule));
        await session.report(
          new ItemError(`cannot ${verb} ${titleOf(rule.resource, rule.record)}`, { cause: error }),
        );
      }
    }
  });
  const others = failed.length === 0 ? '' : `; not ${done}: ${failed.join(', ')}`;
  if (!countsCompaniesOnTerminal(session.context, session.globals))
    await session.info(`${done} ${formatCountWithNoun(rows.length, 'rule')}${others}`);
  return changedRules(rows, missing + failed.length, `No rule was ${done}.`);
}

/** Undefined if the rule is gone or already in the wanted state. */
async function changeOne(
  session: ServiceAccess & Notes,
  { resource, record }: RuleWithResource,
  paused: boolean,
  note: RulePauseStateWriter,
): Promise<RuleRecord | undefined> {
  const client = await session.client();
  const id = readRecordId(record);
  const current = await client.get(resource, id);
  const title = titleOf(resource, record);
  if (current === undefined || current.paused === paused) {
    await session.info(
      `${title} ${current ? `is already ${paused ? 'paused' : 'active'}` : 'no longer exists'}`,
    );
    return undefined;
  }
  const rule = { kind: resource.variant ?? '', id };
  if (paused) note(rule, 'begun');
  try {
    const changed = await client.update(resource, id, { paused });
    note(rule, paused ? 'paused' : 'resumed');
    return changed;
  } catch (error) {
    if (paused && error instanceof ClientError && error.kind === 'refused') note(rule, 'refused');
    throw error;
  }
}

function changedRules(rows: readonly RuleRecord[], failed: number, empty: string): Outcome {
  const { columns, attributes } = columnsOfAllRules;
  const shown = columns.filter(({ name }) => SHOWN.includes(name));
  return {
    result: { kind: 'rows', rows, ofRules: true, columns: shown, attributes, empty },
    exit: failed > 0 ? EXIT.partial : EXIT.done,
  };
}

/** Runs before any rule is paused. @throws an error if the file can't be written */
async function openRecord(
  session: Invocation & Profiles,
  rules: readonly RuleWithResource[],
  file: string | undefined,
) {
  const { context } = session;
  const { origin, credentials } = await session.resolved();
  const time = new Date(context.clock.now()).toISOString();
  const header = { time, origin, company: credentials.companyId ?? null };
  const listed = rules.map(({ resource, record }) => ({
    kind: resource.variant ?? '',
    id: readRecordId(record),
    name: String(record.name ?? ''),
  }));
  try {
    const path = file === undefined ? placeBesideJournal(session, time) : resolve(context.cwd, file);
    return {
      path: file ?? path,
      note: createPausedRulesFileAndWriter(path, context.platform, header, listed),
    };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new JournalError('journal', `cannot record which rules to pause: ${why}; nothing was paused`, {
      hints: ['Choose a file that does not exist yet, with --record FILE.'],
      cause,
    });
  }
}

function placeBesideJournal({ context }: Invocation, time: string): string {
  const folder = journalFolder(context);
  if (folder === undefined)
    throw new Error('svc found no home folder in which to save the list of paused rules');
  makeJournalFolder(folder, context.platform);
  const stamp = time.replace(/[^0-9]/g, '').slice(0, 14);
  return join(folder, `paused-${stamp}-${Buffer.from(context.random(4)).toString('hex')}.ndjson`);
}

async function readRecord(session: Invocation & Profiles, file: string): Promise<PausedRules> {
  const record = parsePausedRules(await readText(session.context, file, MAX_OCTETS), file);
  if (record === undefined)
    throw new UsageError(`${file} was not written by svc automation pause; nothing was sent`, {
      hint: 'use the file that svc automation pause --all named',
    });
  const { origin, credentials } = await session.resolved();
  const { companyId = null } = credentials;
  if (record.origin === origin && record.company === companyId) return record;
  throw new UsageError(
    `${file} is for company ${record.company ?? '(none)'} at ${record.origin}, not for company ${companyId ?? '(none)'} at ${origin}; nothing was sent`,
    { hint: 'choose the account with --profile and --company' },
  );
}

async function goneAmong(session: ServiceAccess, rules: PausedRules['rules']): Promise<PausedRules['rules']> {
  const client = await session.client();
  const gone: PausedRules['rules'][number][] = [];
  for (const rule of rules) {
    const resource = automations.find(({ variant }) => variant === rule.kind);
    if (resource === undefined || (await client.get(resource, rule.id)) === undefined) gone.push(rule);
  }
  return gone;
}

const refOf = ({ resource, record }: RuleWithResource): string => formatRecordId(resource, record.id);

/** Returns `12 rules (3 click, 9 subscription)`. */
function countWords(rules: readonly RuleWithResource[]): string {
  const counts = new Map<string, number>();
  for (const { resource } of rules) {
    const kind = resource.variant ?? '';
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  const each = [...counts].map(([kind, count]) => `${count} ${kind}`).join(', ');
  return `${formatCountWithNoun(rules.length, 'rule')} (${each})`;
}

const manyWords = (kinds: readonly RuleResource[]): string =>
  kinds.length === 1 ? `the rules of kind ${kinds[0]?.variant ?? ''}` : 'all rules';
