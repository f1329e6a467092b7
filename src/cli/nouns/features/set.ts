import { accountFeatures } from '../../../resources/account-features.ts';
import type { Values } from '../../../schema/resource.ts';
import { companyPositional, type Verb } from '../../command/command.ts';
import { UsageError } from '../../errors/errors.ts';
import { confirmByTypingOnAccount } from '../../request/account-questions.ts';
import { bodyFlags } from '../../request/attribute-flags.ts';
import { readBody } from '../../request/body.ts';
import { finishBody, recordResult } from '../../request/submit.ts';
import type { Session } from '../../session/session.ts';

export const featuresSet: Verb = {
  name: 'set',
  summary: 'Change what a company account may do, as its partner',
  about: '--locked keeps all its users out of the account and of the API',
  example: 'features set 1 --list-limit 300',
  positionals: [companyPositional],
  flags: bodyFlags(accountFeatures, 'PUT'),
  companies: 'writes',
  run: async (session, input) => {
    const draft = await readBody(session, accountFeatures, 'PUT', input);
    if (Object.keys(draft.body).length === 0 && draft.findings.length === 0)
      throw new UsageError('there is nothing to change', { hint: 'see svc features set --help' });
    const company = await companyOf(session);
    const body = await finishBody(session, accountFeatures, 'PUT', draft, { id: company });
    if (body['locked'] === true) {
      await confirmByTypingOnAccount(session, 'lock all users out', String(company), undefined, ' of');
    }
    const whole = await withSubscriptionMo(session, body);
    const client = await session.client();
    return recordResult(accountFeatures, await client.update(accountFeatures, company, whole));
  },
};

async function companyOf(session: Session): Promise<number> {
  const { credentials } = await session.resolved();
  if (credentials.companyId !== undefined) return credentials.companyId;
  throw new UsageError('there is no company to change', { hint: 'give its id: svc features set 100 …' });
}

/** Listed with presence 'Yes': the value now in force is sent when none is given (wire, "Authentication, where open"). */
async function withSubscriptionMo(session: Session, body: Values): Promise<Values> {
  if (Object.hasOwn(body, 'enablesubscriptionmo')) return body;
  const client = await session.client();
  const { enablesubscriptionmo } = await client.single(accountFeatures);
  const inForce = typeof enablesubscriptionmo === 'boolean' ? enablesubscriptionmo : null;
  // Non-null only if enablesms is true: switching SMS off takes it along.
  return { ...body, enablesubscriptionmo: body['enablesms'] === false ? null : inForce };
}
