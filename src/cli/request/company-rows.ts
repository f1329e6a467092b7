/** Contract, "Partners and many companies". */

import type { AccountId } from '../../service/auth/credentials.ts';
import { UsageError } from '../errors/errors.ts';
import type { Column } from '../output/result.ts';
import type { Profiles, ServiceAccess } from '../session/ports.ts';

export const COMPANY_COLUMNS: readonly Column[] = [
  { name: 'company_id', keep: true },
  { name: 'company', role: 'name', keep: false },
];

/** The hint has the command `example`. @throws UsageError if a partner names no company */
export async function requireCompanyId(session: Profiles, example: string): Promise<AccountId> {
  const { credentials } = await session.resolved();
  if (credentials.companyId !== undefined) return credentials.companyId;
  throw new UsageError('no company was given', { hint: `choose one: ${example}` });
}

/** Empty in a run over many companies, which adds the columns to every row. */
export async function readCompanyIdAndNameColumns(session: ServiceAccess & Profiles) {
  if (session.actsFor !== undefined) return { columns: [], values: {} };
  const { companyId } = (await session.resolved()).credentials;
  const name = (await session.accountLabel.name()) ?? null;
  return { columns: COMPANY_COLUMNS, values: { company_id: companyId ?? null, company: name } };
}
