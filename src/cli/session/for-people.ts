import type { Session } from './session.ts';

/**
 * Reports whether a person reads the result: no format, field or query was given, and the result is not part of a run over many companies.
 */
export async function isForPeople(session: Session): Promise<boolean> {
  const { fields, query, jq } = session.globals;
  if (session.actsFor !== undefined || (fields ?? query ?? jq) !== undefined) return false;
  return (await session.format()) === 'table';
}

/** Returns false if `-o`, fields or a query ask for data, and in a run over many companies, which prints rows. */
export async function isInWords(session: Session): Promise<boolean> {
  const { fields, query, jq, output } = session.globals;
  const isAsked = fields !== undefined || query !== undefined || jq !== undefined || output !== undefined;
  return !isAsked && session.actsFor === undefined && (await session.format()) === 'table';
}
