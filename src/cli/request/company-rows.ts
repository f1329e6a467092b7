/** Rows that say of which company they are, as the contract's "Partners and many companies" has them. */
import type { AccountId } from '../../auth/credentials.ts';
import type { JsonObject } from '../../protocol/envelope.ts';
import { UsageError } from '../errors/errors.ts';
import type { Column } from '../output/result.ts';
import type { Session } from '../session/session.ts';

export const COMPANY_COLUMNS: readonly Column[] = [{ name: 'company_id' }, { name: 'company', role: 'name' }];

/** @throws UsageError where nobody says which company: a partner acts for none unless told */
export async function companyOf(session: Session, example: string): Promise<AccountId> {
  const { credentials } = await session.resolved();
  if (credentials.companyId !== undefined) return credentials.companyId;
  throw new UsageError('there is no company to act for', { hint: `name it: ${example}` });
}

/** What begins each row of one company; nothing in a run over many, which puts it there itself. */
export async function companyOfRows(
  session: Session,
): Promise<{ readonly columns: readonly Column[]; readonly values: JsonObject }> {
  if (session.actsFor !== undefined) return { columns: [], values: {} };
  const { companyId } = (await session.resolved()).credentials;
  const name = (await session.whose.name()) ?? null;
  return { columns: COMPANY_COLUMNS, values: { company_id: companyId ?? null, company: name } };
}
