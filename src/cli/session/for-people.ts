import type { Session } from './session.ts';

/**
 * Reports whether the result is printed for people, as a table or as a page. With `--fields`, `--query` or `--jq`, and in a run over many
 * companies, it is printed as data for programs.
 */
export async function isResultPrintedForPeople(session: Session): Promise<boolean> {
  const { fields, query, jq } = session.globals;
  if (session.actsFor !== undefined || (fields ?? query ?? jq) !== undefined) return false;
  return (await session.format()) === 'table';
}

/** Reports whether the result is printed as sentences or as a drawing, and not as rows. `-o table` always prints rows. */
export const isResultPrintedAsText = async (session: Session): Promise<boolean> =>
  session.globals.output === undefined && (await isResultPrintedForPeople(session));
