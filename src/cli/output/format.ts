/** Formats of stdout (contract, "Output"). */
export const FORMATS = ['table', 'json', 'ndjson', 'csv', 'tsv', 'yaml', 'id'] as const;
export type OutputFormat = (typeof FORMATS)[number];

/** Default number of rows that a list shows on a terminal (contract, "Flags for attributes"). */
export const DEFAULT_ROWS_ON_TERMINAL = 50;
