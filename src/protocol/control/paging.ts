/** Number of rows in one response of a long list. The command line sends further requests until it has enough. */
export const PAGE_LIMIT = {
  kind: 'count',
  min: 1,
  max: 1000,
  default: 1000,
  given: 'computed',
  describe: 'Maximum number of rows in one response',
} as const;
