import type { Session } from './session.ts';

/** Whether a person reads the result: no format, field or query was asked for, and it is not one of many companies'. */
export async function isForPeople(session: Session): Promise<boolean> {
  const { fields, query, jq } = session.globals;
  if (session.actsFor !== undefined || (fields ?? query ?? jq) !== undefined) return false;
  return (await session.format()) === 'table';
}
