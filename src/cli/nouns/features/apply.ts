import { formatCountWithNoun } from '../../../kit/text/words.ts';
import type { AccountId } from '../../../service/auth/credentials.ts';
import { formatJson } from '../../../service/protocol/json.ts';
import { type AccountFeaturesBody, accountFeatures } from '../../../service/resources/account-features.ts';
import type { Input, Outcome, Verb } from '../../command/command.ts';
import { createVerbWithPrepareStep } from '../../command/run-verb.ts';
import { CliError, UsageError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import { readCompanyIdAndNameColumns, requireCompanyId } from '../../request/company-rows.ts';
import { confirmActionWithAccountShown, requireYesFlagOrTerminal } from '../../request/guards.ts';
import {
  createTextLinesOutcome,
  printNoteAboutWrite,
  shouldSummarizeWriteInOneLine,
} from '../../request/write-outcome.ts';
import type { Invocation, Ports, Profiles, ServiceAccess } from '../../session/ports.ts';
import {
  addSmsSubscriptionFeatureIfMissing,
  allowCompanyLockFlag,
  checkFeatureChange,
  confirmCompanyLock,
  printLostFeatureValues,
} from './change.ts';
import {
  baselineFilePositional,
  createFeatureDifferenceRows,
  type FeatureDifference,
  findFeatureDifferences,
} from './diff.ts';

export const featuresApply: Verb = createVerbWithPrepareStep({
  name: 'apply',
  summary: 'Change the features of a company to the values in a baseline file',
  about:
    "Shows the differences, asks for confirmation, and writes only the attributes that differ. If a change locks all users out, svc asks you to type the company's name",
  work: 'changes',
  asks: true,
  exits: { 8: 'some companies failed' },
  methods: ['PUT'],
  example: 'features apply baseline.yaml --company 1 --yes',
  positionals: [baselineFilePositional],
  flags: [allowCompanyLockFlag],
  companies: 'writes',
  prepare: async (session, input) => {
    const { readFeatureBaseline } = await import('./baseline.ts');
    const baseline = await readFeatureBaseline(session, input.positionals[0] ?? '');
    refuseToLockMany(session, input, baseline);
    /** Text shown before the confirmation, by company. */
    const shown = new Map<AccountId, string>();
    return {
      preview: async (acting) => {
        const { company, current, found } = await differing(acting, baseline);
        await checkFeatureChange(acting, current, changeIn(found));
        await printLostFeatureValues(acting, current, changeIn(found));
        shown.set(company, formatJson(found));
        return { result: await createFeatureDifferenceRows(acting, found) };
      },
      run: (acting) => applyTo(acting, input, baseline, shown),
    };
  },
});

/** A person cannot type the names of several companies as a confirmation. */
function refuseToLockMany({ globals }: Invocation, input: Input, baseline: AccountFeaturesBody): void {
  if (globals.companies === undefined || globals.dryRun || baseline.locked !== true) return;
  if (!input.get(allowCompanyLockFlag))
    throw new UsageError('to lock all users out of several companies needs --lock-ok; nothing was sent');
}

async function applyTo(
  session: Ports,
  input: Input,
  baseline: AccountFeaturesBody,
  shown: ReadonlyMap<AccountId, string>,
): Promise<Outcome> {
  const isOneOfMany = session.actsFor !== undefined;
  if (!isOneOfMany) requireYesFlagOrTerminal(session, 'change the features of a company');
  const { company, current, found } = await differing(session, baseline);
  if (isOneOfMany && !session.globals.dryRun && shown.get(company) !== formatJson(found))
    throw new CliError(
      'changed-since',
      'the features have changed since they were shown; nothing was written',
      { exit: EXIT.conflict, hint: 'run the command again and check the new differences' },
    );
  const body = changeIn(found);
  const count = formatCountWithNoun(found.length, 'feature');
  if (found.length > 0) {
    if (!isOneOfMany) {
      const { showBeforeConfirmation } = await import('../../request/page.ts');
      await showBeforeConfirmation(session, await createFeatureDifferenceRows(session, found));
    }
    await checkFeatureChange(session, current, body);
    if (!shown.has(company)) await printLostFeatureValues(session, current, body);
    const action = `change ${count}`;
    if (body.locked === true) await confirmCompanyLock(session, input, `${action} and lock all users out`);
    else await confirmActionWithAccountShown(session, action);
    const whole = addSmsSubscriptionFeatureIfMissing(current, body);
    await (await session.client()).update(accountFeatures, company, whole);
  }
  if (found.length > 0 && (await shouldSummarizeWriteInOneLine(session)))
    return createTextLinesOutcome(session, `Changed ${count} of company ${company}.`);
  if (found.length > 0) await printNoteAboutWrite(session, `changed ${count}`);
  else if (!isOneOfMany) await session.info('No differences.');
  const { columns, values } = await readCompanyIdAndNameColumns(session);
  return {
    result: {
      kind: 'object',
      value: { ...values, changed: found.map(({ attribute }) => attribute) },
      columns: [...columns, { name: 'changed' }],
    },
  };
}

async function differing(session: ServiceAccess & Profiles, baseline: AccountFeaturesBody) {
  const company = await requireCompanyId(session, 'svc features apply baseline.yaml --company 100');
  const { credentials } = await session.resolved();
  if (credentials.kind !== 'partner')
    throw new UsageError('only a partner can change features', {
      hint: 'use a partner profile, or SVC_PARTNER_ID and SVC_PARTNER_API_KEY',
    });
  const current = await (await session.client()).single(accountFeatures);
  return { company, current, found: findFeatureDifferences(current, baseline) };
}

const changeIn = (found: readonly FeatureDifference[]): AccountFeaturesBody =>
  Object.fromEntries(found.map(({ attribute, wanted }) => [attribute, wanted]));
