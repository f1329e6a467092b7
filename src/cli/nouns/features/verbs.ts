import { accountFeatures } from '../../../service/resources/account-features.ts';
import type { Verb } from '../../command/command.ts';
import { companyPositional } from '../../command/flag.ts';
import { UsageError } from '../../errors/errors.ts';
import { createBodyFlags } from '../../request/attribute-flags.ts';
import { finishRequestBody, readBody } from '../../request/body.ts';
import { requireCompanyId } from '../../request/company-rows.ts';
import { createLineOrRecordOutcome } from '../../request/write-outcome.ts';
import { featuresApply } from './apply.ts';
import {
  addSmsSubscriptionFeatureIfMissing,
  allowCompanyLockFlag,
  checkFeatureChange,
  confirmCompanyLock,
  printLostFeatureValues,
} from './change.ts';
import { featuresDiff } from './diff.ts';

const featuresSet: Verb = {
  name: 'set',
  summary: 'Change the features of a company account, as its partner',
  about: "--locked locks all users out of the account and the API. Type the company's name to confirm",
  work: 'changes',
  asks: true,
  methods: ['PUT'],
  example: 'features set 1 --list-limit 300',
  positionals: [companyPositional],
  flags: [...createBodyFlags(accountFeatures, 'PUT'), allowCompanyLockFlag],
  companies: 'writes',
  run: async (session, input) => {
    const draft = await readBody(session, accountFeatures, 'PUT', input);
    if (Object.keys(draft.body).length === 0 && draft.findings.length === 0)
      throw new UsageError('nothing to change', { hint: 'run svc features set --help to see the flags' });
    const company = await requireCompanyId(session, 'svc features set 100 …');
    const body = await finishRequestBody(session, accountFeatures, 'PUT', draft, { id: company });
    if (body.locked === true) await confirmCompanyLock(session, input);
    const client = await session.client();
    const current = await client.single(accountFeatures);
    await checkFeatureChange(session, current, body);
    await printLostFeatureValues(session, current, body);
    const whole = addSmsSubscriptionFeatureIfMissing(current, body);
    const changed = await client.update(accountFeatures, company, whole);
    const line = `Updated the features of company ${company}.`;
    return createLineOrRecordOutcome(session, line, accountFeatures, changed);
  },
};

export const featuresVerbs: readonly Verb[] = [featuresSet, featuresDiff, featuresApply];
