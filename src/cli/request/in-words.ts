/** Which runs show what a verb has to say in words or as a drawing, in the place of a table. */
import type { Session } from '../session/session.ts';

/** Not where `-o`, fields or a query name data, and not for each of many companies, which are rows. */
export async function isInWords(session: Session): Promise<boolean> {
  const { fields, query, jq, output } = session.globals;
  const isAsked = fields !== undefined || query !== undefined || jq !== undefined || output !== undefined;
  return !isAsked && session.actsFor === undefined && (await session.format()) === 'table';
}
