/** Formats of stdout (contract, "Output"). */
export const FORMATS = ['table', 'json', 'ndjson', 'csv', 'tsv', 'yaml', 'id'] as const;
export type Format = (typeof FORMATS)[number];
