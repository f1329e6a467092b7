/** Reports whether svc runs in a pipeline, which sets the variable `CI`. */
export const isInCi = (env: Readonly<Record<string, string | undefined>>): boolean =>
  !['', '0', 'false'].includes((env['CI'] ?? '').trim().toLowerCase());
