import type { Session } from './session.ts';

/**
 * Reports whether a person reads the result: no format, field or query was given, and the result is not part of a run over many companies.
 */
export async function isForPeople(session: Session): Promise<boolean> {
  const { fields, query, jq } = session.globals;
  if (session.actsFor !== undefined || (fields ?? query ?? jq) !== undefined) return false;
  return (await session.format()) === 'table';
}
