/** Columns that several results share. */
export const ID = { name: 'id', kind: 'number' } as const;
export const NAME = { name: 'name' } as const;
export const MADE = { name: 'cdate', kind: 'timestamp' } as const;
