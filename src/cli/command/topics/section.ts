import type { HelpItem, HelpSection } from '../help-page.ts';

export const section = (heading: string, items: readonly HelpItem[]): HelpSection => ({ heading, items });

export const items = (rows: readonly (readonly [term: string, text: string])[]): readonly HelpItem[] =>
  rows.map(([term, text]) => ({ term, text }));
