/** How many rows one answer of a long list has; the command line asks until it has what it wants. */
export const PAGE_LIMIT = {
  kind: 'count',
  min: 1,
  max: 1000,
  default: 1000,
  given: 'computed',
  describe: 'Maximum number of rows in one answer',
} as const;
