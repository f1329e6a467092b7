/** The stages of every write, whatever verb makes it: what refuses, counts, notes or resumes a write before the service gets it. */

import type { WriteOutcome } from '../../client/journal/entry.ts';
import type { JournalRecorder } from '../../client/journal/recorder.ts';
import type { ResolvedCredentials } from '../../client/profiles/credentials.ts';
import type { Profile } from '../../client/profiles/profile.ts';
import type { Client } from '../../client/requests/client.ts';
import {
  type RawWrite,
  type Stage,
  type Write,
  type Written,
  withStages,
} from '../../client/requests/write.ts';
import type { SendBudgetCounter } from '../../client/sends/budget-counter.ts';
import type { Naming } from '../../service/protocol/naming.ts';
import { API_PREFIX } from '../../service/protocol/wire.ts';
import { resourceNamed } from '../../service/resources/catalogue.ts';
import { UsageError } from '../errors/errors.ts';
import { EXIT } from '../errors/exit-codes.ts';
import { explainError } from '../errors/explain-error.ts';
import type { AccountLabel } from './account-words.ts';
import { findSendKind, refuseUnapprovedWrite, type SendPermission } from './approvals.ts';
import type { DryRunState } from './dry-run.ts';
import { plannedChangeOf } from './planned-change.ts';

export interface WriteGuards {
  readonly profile: ResolvedCredentials['profile'];
  readonly naming: Naming;
  /** Keys and tokens, which no content may hold. */
  readonly secrets: readonly string[];
  readonly dryRun: Pick<DryRunState, 'isOn' | 'end'>;
  /** Approvals of the plan that is applied. If the profile requires approvals, nothing else can schedule tasks. */
  readonly approvals?: SendPermission | undefined;
  readonly announce: AccountLabel['announce'];
  readonly company?: CompanyWrites | undefined;
  /** Returns undefined without a budget. */
  readonly counter: () => Promise<SendBudgetCounter | undefined>;
  /** If the caller does not check each new task against the budget, a budget of recipients or credits refuses new tasks. */
  readonly isChecked?: boolean | undefined;
  readonly journal?: JournalOfWrites | undefined;
  /** Throws once another run has taken over the bulk job. Called before each attempt. */
  readonly checkLock?: (() => void) | undefined;
}

/** Work of a run over many companies around the writes to one of them. */
export interface CompanyWrites {
  /** Set with a checkpoint. */
  readonly resume?: ((client: Client) => Stage) | undefined;
  readonly onWritten: (isDone: boolean) => void;
}

export interface JournalOfWrites {
  /** Returns undefined if nothing is recorded. */
  readonly open: () => Promise<JournalRecorder | undefined>;
  readonly warn: (line: string) => Promise<void>;
  /** Id of the journal entry that the writes undo. */
  readonly undoes?: number | undefined;
}

/** @returns undefined if the stage is off */
type StageOf = (guards: WriteGuards, client: Client) => Stage | undefined;

/** From the first to the last. The service is behind the last one. */
export const WRITE_STAGES: readonly (readonly [name: string, stageOf: StageOf])[] = [
  // First, because a dry run shows the body of a write, and the journal stores it.
  ['keys', refuseKeys],
  // Before the refusals, because a dry run sends nothing and needs no right to send.
  ['dry run', endDryRun],
  // Before all that costs a request or leaves a trace.
  ['read-only', refuseIfReadOnly],
  ['approvals', refuseIfUnapproved],
  // After the refusals, because a refused write concerns no account.
  ['announce', announceAccount],
  // Before the budget and the journal, which already hold what an earlier run sent.
  ['resume', ({ company }, client) => company?.resume?.(client)],
  // After `resume`, because it reports what this run sent.
  ['report', reportToCompanyRun],
  // Before the journal, so that a send over the budget leaves no note.
  ['budget', countInBudget],
  // After everything that may refuse the write: what is noted is sent.
  ['journal', recordWrite],
  // Last, because another run may take over at any time before the request.
  ['lock', checkLockBeforeAttempts],
];

/** Returns the client that commands use. Its writes pass all stages. */
export const guardedClient = (client: Client, guards: WriteGuards): Client =>
  withStages(
    client,
    WRITE_STAGES.map(([, stageOf]) => stageOf(guards, client)).filter((stage) => stage !== undefined),
  );

/** Refuses a write whose body holds a key: a file with the key was probably named by mistake. */
function refuseKeys({ secrets }: WriteGuards): Stage {
  return (next) => async (write) => {
    const texts = write.request === undefined ? Object.values(write.body) : [write.request.body];
    if (!texts.some((text) => typeof text === 'string' && secrets.some((key) => text.includes(key))))
      return next(write);
    throw new UsageError('the request would send an API key or a token of svc; nothing was sent', {
      hint: 'remove the key from the content, and get a new key if others may have seen it',
    });
  };
}

function endDryRun({ dryRun, naming }: WriteGuards): Stage | undefined {
  if (!dryRun.isOn) return undefined;
  return () => async (write) => dryRun.end(plannedChangeOf(write, naming));
}

function refuseIfReadOnly({ profile }: WriteGuards): Stage | undefined {
  if (!profile?.readOnly) return undefined;
  return (next) => async (write) => {
    refuseWriteIfReadOnly(profile);
    return next(write);
  };
}

/** Refuses writes with a read-only profile, whatever the flags (contract, "Partners and many companies"). */
export function refuseWriteIfReadOnly(profile: Profile | undefined): void {
  if (!profile?.readOnly) return;
  throw new UsageError(`profile ${profile.name} is read-only; nothing was sent`, {
    hint: 'to make changes, ask the owner of the profile',
  });
}

function refuseIfUnapproved({ profile, naming, approvals }: WriteGuards): Stage | undefined {
  if (profile?.requireApprovals === undefined) return undefined;
  return (next) => async (write) => {
    await refuseUnapprovedWrite(profile, findSendKind(write, naming), approvals);
    return next(write);
  };
}

function announceAccount({ announce }: WriteGuards): Stage {
  return (next) => async (write) => {
    await announce({ withoutCompany: concernsNoCompany(write) });
    return next(write);
  };
}

function concernsNoCompany(write: Write): boolean {
  const { method, resource } =
    write.request === undefined
      ? write
      : { ...write.request, resource: resourceNamed(write.request.path.slice(API_PREFIX.length)) };
  return method === 'POST' && (resource?.methods.post?.withoutCompany ?? false);
}

function reportToCompanyRun({ company }: WriteGuards): Stage | undefined {
  if (company === undefined) return undefined;
  return (next) => async (write) => {
    let written: Written | undefined;
    try {
      written = await next(write);
      return written;
    } finally {
      company.onWritten(written !== undefined && (written.response?.status ?? 0) < 400);
    }
  };
}

/** Contract, "Budgets". */
function countInBudget(
  { profile, counter, isChecked = false, naming }: WriteGuards,
  client: Client,
): Stage | undefined {
  if (profile?.budget === undefined) return undefined;
  return (next) => async (write) => {
    const budget = await counter();
    if (budget === undefined) return next(write);
    if (write.request !== undefined) refuseUncounted(write, naming);
    return budget.stage(client, isChecked)(next)(write);
  };
}

function refuseUncounted(write: RawWrite, naming: Naming): void {
  const sending = findSendKind(write, naming);
  if (sending !== 'tasks' && sending !== 'sms') return;
  throw new UsageError('budget: svc cannot count what a raw request (svc api) would send; nothing was sent', {
    hint: 'use svc task create, svc task update, svc sms send or svc apply',
  });
}

/** The journal is loaded at the first write, so a command that only reads does not pay for it. */
function recordWrite({ journal, naming }: WriteGuards, client: Client): Stage | undefined {
  if (journal === undefined) return undefined;
  const { open, warn, undoes } = journal;
  return (next) => async (write) => {
    const { recordInJournal } = await import('../../client/journal/stage.ts');
    const stage = recordInJournal(client, {
      open,
      // The line reports the result of a write. A stderr that can't be written must not hide that result.
      printLine: (line) => warn(line).catch(() => undefined),
      naming,
      failureOf,
      undoes,
    });
    return stage(next)(write);
  };
}

function failureOf(error: unknown): WriteOutcome {
  const { kind, exit, message, http } = explainError(error);
  return {
    state: exit === EXIT.unknown ? 'unknown' : 'failed',
    error: { kind, message, ...(http === undefined ? {} : { http }) },
  };
}

/** See `client/bulk/runner-lock.ts`. */
function checkLockBeforeAttempts({ checkLock }: WriteGuards): Stage | undefined {
  if (checkLock === undefined) return undefined;
  return (next) => (write) => {
    if (write.request !== undefined) return next(write);
    const { beforeAttempt } = write.options ?? {};
    // A DELETE has no check before its attempts.
    if (write.method === 'DELETE') checkLock();
    const check = (): Promise<void> | undefined => {
      const asking = beforeAttempt?.();
      if (asking instanceof Promise) return asking.then(checkLock);
      checkLock();
      return undefined;
    };
    return next({ ...write, options: { ...write.options, beforeAttempt: check } });
  };
}
