/** Decides whether a verb shows text or a drawing instead of a table. */
import type { Session } from '../session/session.ts';

/** Returns false if `-o`, fields or a query ask for data, and in a run over many companies, which prints rows. */
export async function isInWords(session: Session): Promise<boolean> {
  const { fields, query, jq, output } = session.globals;
  const isAsked = fields !== undefined || query !== undefined || jq !== undefined || output !== undefined;
  return !isAsked && session.actsFor === undefined && (await session.format()) === 'table';
}
