/** Adds the company's columns to rows (contract, "Partners and many companies"). */
import type { AccountId } from '../../auth/credentials.ts';
import type { JsonObject } from '../../protocol/envelope.ts';
import { UsageError } from '../errors/errors.ts';
import type { Column } from '../output/result.ts';
import type { Session } from '../session/session.ts';

/** Columns at the start of each row in a run over many companies: the id and the name of the company. */
export const COMPANY_COLUMNS: readonly Column[] = [
  { name: 'company_id', keep: true },
  { name: 'company', role: 'name', keep: false },
];

/** Returns the id of the company to act for. @throws UsageError if a partner names no company @param example a command for the hint */
export async function requireCompanyId(session: Session, example: string): Promise<AccountId> {
  const { credentials } = await session.resolved();
  if (credentials.companyId !== undefined) return credentials.companyId;
  throw new UsageError('no company was given', { hint: `choose one: ${example}` });
}

/** Returns the columns and values of the company, or none in a run over many companies, which adds them to every row. */
export async function readCompanyIdAndNameColumns(
  session: Session,
): Promise<{ readonly columns: readonly Column[]; readonly values: JsonObject }> {
  if (session.actsFor !== undefined) return { columns: [], values: {} };
  const { companyId } = (await session.resolved()).credentials;
  const name = (await session.accountLabel.name()) ?? null;
  return { columns: COMPANY_COLUMNS, values: { company_id: companyId ?? null, company: name } };
}
