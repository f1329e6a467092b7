/** Rows with their company (contract, "Partners and many companies"). */
import type { AccountId } from '../../auth/credentials.ts';
import type { JsonObject } from '../../protocol/envelope.ts';
import { UsageError } from '../errors/errors.ts';
import type { Column } from '../output/result.ts';
import type { Session } from '../session/session.ts';

export const COMPANY_COLUMNS: readonly Column[] = [
  { name: 'company_id', keep: true },
  { name: 'company', role: 'name', keep: false },
];

/** Returns the company to act for. @throws UsageError when none is named: a partner acts for no company by default */
export async function requiredCompany(session: Session, example: string): Promise<AccountId> {
  const { credentials } = await session.resolved();
  if (credentials.companyId !== undefined) return credentials.companyId;
  throw new UsageError('no company was given', { hint: `choose one: ${example}` });
}

/** Returns the first columns of each row of one company. A run over many adds them itself, so it gets none. */
export async function companyColumns(
  session: Session,
): Promise<{ readonly columns: readonly Column[]; readonly values: JsonObject }> {
  if (session.actsFor !== undefined) return { columns: [], values: {} };
  const { companyId } = (await session.resolved()).credentials;
  const name = (await session.whose.name()) ?? null;
  return { columns: COMPANY_COLUMNS, values: { company_id: companyId ?? null, company: name } };
}
