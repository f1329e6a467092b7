/** Default number of rows that a list shows on a terminal (contract, "Flags for attributes"). */
export const ROWS_ON_TERMINAL = 50;
