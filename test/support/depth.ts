/**
 * How often a test repeats: what its variable says, or else what `SVC_DEPTH` does. `npm run test:deep` has `full`, `.ci/run`
 * `middle`, and every other run `few`. The files that ask are found by this call (`.config/suites.ts`).
 */
export function depth(
  variable: string,
  { few, full }: { readonly few: number; readonly full: number },
): number {
  const given = process.env[variable];
  if (given !== undefined) return Number(given);
  switch (process.env['SVC_DEPTH'] ?? 'few') {
    case 'few':
      return few;
    case 'middle':
      // As many times more than few as full is more than it.
      return Math.round(Math.sqrt(few * full));
    case 'full':
      return full;
    default:
      throw new Error(`SVC_DEPTH is ${process.env['SVC_DEPTH']}: few, middle or full`);
  }
}
