import type { Session } from './session.ts';

/**
 * Reports whether a table would be printed. `--fields`, `--query` and `--jq` choose from data for programs, as does work over many
 * companies.
 */
export async function isForPeople(session: Session): Promise<boolean> {
  const { fields, query, jq } = session.globals;
  if (session.actsFor !== undefined || (fields ?? query ?? jq) !== undefined) return false;
  return (await session.format()) === 'table';
}

/** Reports whether a person reads the result in words or as a drawing: `-o table` asks for rows. */
export const isInWords = async (session: Session): Promise<boolean> =>
  session.globals.output === undefined && (await isForPeople(session));
