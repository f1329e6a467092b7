/** Writes the profiles of a started sandbox: one for its company, and one for its partner. */

import type { Profile } from '../../../client/profiles/profile.ts';
import type { SandboxReadyMessage } from '../../../sandbox/start.ts';
import { UsageError } from '../../errors/errors.ts';
import type { Invocation, Ports, Profiles } from '../../session/ports.ts';

export interface SandboxProfileNames {
  readonly company: string;
  readonly partner: string;
}

/**
 * Returns `--profile`, or `sandbox`, and the same with `-partner`. Returns undefined for `--profile none`.
 * @throws UsageError if the name is invalid, or if a profile of another service has one of the names
 */
export async function chooseSandboxProfileNames(
  session: Invocation & Profiles,
): Promise<SandboxProfileNames | undefined> {
  const company = session.globals.profile ?? 'sandbox';
  if (company === 'none') return undefined;
  const names = { company, partner: `${company}-partner` };
  const { isProfileName } = await import('../../../client/profiles/errors.ts');
  if (!isProfileName(names.partner))
    throw new UsageError(`--profile: ${company} can't be the name of a sandbox's profile`, {
      hint: 'use 1 to 24 characters from a-z, 0-9, _ and -, starting with a letter or a digit',
    });
  const store = await session.store();
  for (const name of [names.company, names.partner]) {
    const profile = await store.get(name);
    if (profile && !profile.sandbox)
      throw new UsageError(`the profile ${name} does not belong to a sandbox, so svc does not change it`, {
        hint: 'choose another profile with --profile NAME, or save none with --profile none',
      });
  }
  return names;
}

export async function writeSandboxProfiles(
  session: Pick<Ports, 'store'>,
  names: SandboxProfileNames | undefined,
  ready: SandboxReadyMessage,
  naming: Readonly<Record<string, unknown>> | undefined,
): Promise<void> {
  if (!names) return;
  const { baseUrl, dataDir, controlToken, company, partner } = ready;
  const common = { baseUrl, sandbox: { dataDir, controlToken }, ...(naming ? { naming } : {}) };
  const ofCompany: Profile = {
    ...common,
    name: names.company,
    kind: 'company',
    companyId: company.id,
    userId: company.adminUserId,
    apiKey: company.apiKey,
  };
  const ofPartner: Profile = {
    ...common,
    name: names.partner,
    kind: 'partner',
    partnerId: partner.id,
    apiKey: partner.apiKey,
  };
  const store = await session.store();
  await store.save(ofCompany);
  await store.save(ofPartner, { makeDefault: false });
}
