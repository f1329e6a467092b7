/** Collects the faults of a campaign's file, each with its place. */

/** Position in a file, counted from 1. Columns are in UTF-16 units, as editors count them. */
export interface FilePosition {
  readonly line: number;
  readonly column: number;
}

export interface CampaignFault extends FilePosition {
  /** The campaign's file, as the user named it. */
  readonly file: string;
  /** Description of the fault: a sentence without a full stop. */
  readonly message: string;
}

export interface Faults {
  readonly add: (place: FilePosition, message: string) => void;
  /** Returns the faults in the order of their positions in the file, without duplicates. */
  readonly all: () => readonly CampaignFault[];
}

/** Maximum number of faults that are kept. More faults would not help the user, and a file full of faults must not exhaust the memory. */
const MAX_FAULTS = 1000;

export function createFaultCollector(file: string): Faults {
  const found = new Map<string, CampaignFault>();
  return {
    add: ({ line, column }, message) => {
      if (found.size < MAX_FAULTS) found.set(`${line}:${column} ${message}`, { file, line, column, message });
    },
    all: () => [...found.values()].sort((a, b) => a.line - b.line || a.column - b.column),
  };
}
