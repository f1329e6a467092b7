/** Names of the rules that are steps of a sequence: `Club welcome, step tips`. */

export const SEQUENCE_RULE_KIND = 'subscription';

export const formatStepName = (sequence: string, step: string): string =>
  `${sequence}${BEFORE_STEP_KEY}${step}`;

const BEFORE_STEP_KEY = ', step ';

/** Undefined for a name that no step can have. */
export function parseStepName(
  name: string,
): { readonly sequence: string; readonly step: string } | undefined {
  const at = name.lastIndexOf(BEFORE_STEP_KEY);
  return at < 1 ? undefined : { sequence: name.slice(0, at), step: name.slice(at + BEFORE_STEP_KEY.length) };
}
