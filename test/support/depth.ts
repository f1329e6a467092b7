/**
 * How often a test repeats: what its variable says, or else `full` in `npm run test:deep` and `few` in `npm test`. The files
 * that ask are found by this call (`.config/suites.ts`), and are run in both.
 */
export function depth(
  variable: string,
  { few, full }: { readonly few: number; readonly full: number },
): number {
  const given = process.env[variable];
  if (given !== undefined) return Number(given);
  return process.env['SVC_DEPTH'] === 'full' ? full : few;
}
