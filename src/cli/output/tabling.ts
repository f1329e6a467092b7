/** How a table is to look, and what it may ask. */
import type { NamesOf } from './names.ts';

export interface Tabling {
  readonly header: boolean;
  readonly colour: boolean;
  /** No notes on stderr. */
  readonly quiet?: boolean;
  /** Columns of the terminal; undefined: nothing is cut, wrapped or left out. */
  readonly width: number | undefined;
  /** The company's timezone; asked for only where there is a time to show. */
  readonly zone: () => Promise<string>;
  /** Unix seconds by the service's clock. */
  readonly now?: (() => Promise<number>) | undefined;
  readonly names?: NamesOf | undefined;
  /** Times say how far off they are: somebody looks. */
  readonly distances?: boolean | undefined;
  /** As `name: value` lines. */
  readonly plain?: boolean;
}

export type Write = (text: string) => Promise<void>;
