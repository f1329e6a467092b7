/** How many rows a list shows on a terminal where nobody said how many (contract, "Flags for attributes"). */
export const ROWS_ON_TERMINAL = 50;
