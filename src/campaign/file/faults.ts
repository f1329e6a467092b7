/** What is wrong with a campaign's file, and where. */

/** Counted from 1; columns in UTF-16 units, as editors count them. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

export interface CampaignFault extends Place {
  /** The campaign's file, as it was named. */
  readonly file: string;
  /** A sentence without a full stop. */
  readonly message: string;
}

export interface Faults {
  readonly add: (place: Place, message: string) => void;
  /** In the order of the file, each once. */
  readonly all: () => readonly CampaignFault[];
}

/** Nobody reads on; and a file of nothing but faults must not fill the memory. */
const MOST = 1000;

export function collectFaults(file: string): Faults {
  const found = new Map<string, CampaignFault>();
  return {
    add: ({ line, column }, message) => {
      if (found.size < MOST) found.set(`${line}:${column} ${message}`, { file, line, column, message });
    },
    all: () => [...found.values()].sort((a, b) => a.line - b.line || a.column - b.column),
  };
}
