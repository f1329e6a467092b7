/** Reports whether `SVC_PLAIN` is set: `--plain` for every run (contract, "Environment"). */
export function isPlainIn(env: Readonly<Record<string, string | undefined>>): boolean {
  return !['', '0', 'false'].includes(env['SVC_PLAIN'] ?? '');
}
