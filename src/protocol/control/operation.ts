/** The words for declaring an operation of the sandbox's control plane: pure data, and the types that follow from it. */
import type { Json, JsonObject } from '../json.ts';

interface Common {
  readonly describe: string;
  readonly required?: true;
  /** The name of its flag or of its place in the command, where it is not the argument's own. */
  readonly called?: string;
  /**
   * How a person gives it, where it is not a flag: by its place in the command, by the global flag of its name, or not
   * at all, since the command works it out.
   */
  readonly given?: 'place' | 'global' | 'computed';
  /** What stands for the value in help. */
  readonly placeholder?: string;
}

interface Bounds {
  readonly min: number;
  readonly max: number;
}

/** An argument of an operation, in JSON and on the command line. */
export type Parameter = Common &
  (
    | { readonly kind: 'text' }
    /** Text, or an empty one for "from the first on". */
    | { readonly kind: 'cursor' }
    /** In lower case. */
    | { readonly kind: 'email' }
    /** Bare digits. */
    | { readonly kind: 'msisdn' }
    /** Who got something: an e-mail address, a number or a URL. */
    | { readonly kind: 'recipient' }
    /** A rule as `click:12`. */
    | { readonly kind: 'rule' }
    | { readonly kind: 'choice'; readonly choices: readonly string[] }
    | { readonly kind: 'id' }
    /** At least one where it is required. */
    | { readonly kind: 'ids' }
    | (Bounds & { readonly kind: 'count'; readonly default?: number })
    /** From 0 to 1. */
    | { readonly kind: 'share'; readonly default?: number }
    | { readonly kind: 'switch' }
    /** Unix seconds, up to the end of the year 9999. */
    | { readonly kind: 'time' }
    /** Lengths of time; people write 2d or 90m. */
    | (Bounds & { readonly kind: 'seconds' | 'milliseconds'; readonly default?: number })
    /** Objects, at most so many. */
    | { readonly kind: 'rows'; readonly max: number }
  );

export interface ResultColumn {
  readonly name: string;
  /** How a table shows it; taken from the value where it isn't said. */
  readonly kind?: 'timestamp' | 'bool' | 'number' | 'text';
  /** The heading of a table, where the name in upper case is not it. */
  readonly title?: string;
}

export interface ControlOperation {
  readonly summary: string;
  /** More than the summary says, under it in the help. */
  readonly about?: string;
  /** A command line that works, after `svc sandbox`. */
  readonly example: string;
  /** Of one company, which the argument `company` names (the first one unless given), or of the sandbox as a whole. */
  readonly of: 'company' | 'sandbox';
  readonly parameters: Readonly<Record<string, Parameter>>;
  /** What it says of each item, most telling first; an item may say more. */
  readonly columns: readonly ResultColumn[];
  /** A list is its result; the line where there is nothing to list. */
  readonly empty?: string;
  /** It only reads: repeating it does no harm. Any other ends a dry run. */
  readonly reads?: true;
  /** It does all that falls due, or copies all that there is: nobody can say how long that takes. */
  readonly long?: true;
  /** What it destroys, as an infinitive; `{id}` stands for the argument of that name. It is asked before. */
  readonly destroys?: string;
  /** The command that asks it, where it has none of its own name. */
  readonly askedBy?: string;
}

/** What each kind of argument is in a program. */
interface KindValues {
  readonly text: string;
  readonly cursor: string;
  readonly email: string;
  readonly msisdn: string;
  readonly recipient: string;
  readonly rule: string;
  readonly id: number;
  readonly ids: readonly number[];
  readonly count: number;
  readonly share: number;
  readonly switch: boolean;
  readonly time: number;
  readonly seconds: number;
  readonly milliseconds: number;
  readonly rows: readonly JsonObject[];
}

type ValueOf<P> = P extends { readonly kind: 'choice'; readonly choices: readonly (infer C)[] }
  ? C
  : P extends { readonly kind: keyof KindValues }
    ? KindValues[P['kind']]
    : never;

/** Parameters that must be given. */
type Required<P> = { [K in keyof P]: P[K] extends { readonly required: true } ? K : never }[keyof P];

/** Parameters that an operation always gets: given, or by default; a switch is off and a list empty where left out. */
type Present<P> = {
  [K in keyof P]: P[K] extends
    | { readonly required: true }
    | { readonly default: number }
    | { readonly kind: 'switch' | 'ids' }
    ? K
    : never;
}[keyof P];

type With<P, Known extends keyof P> = { readonly [K in Known]: ValueOf<P[K]> } & {
  readonly [K in Exclude<keyof P, Known>]?: ValueOf<P[K]> | undefined;
};

/** What an operation gets, once it is checked. */
export type ArgumentsBy<D extends ControlOperation> = With<D['parameters'], Present<D['parameters']>>;

/** What has to be said to ask for it. */
export type RequestBy<D extends ControlOperation> = With<D['parameters'], Required<D['parameters']>>;

type ItemBy<D extends ControlOperation> = JsonObject & Readonly<Record<D['columns'][number]['name'], Json>>;

/** What an operation answers: all that its columns name. */
export type ResultBy<D extends ControlOperation> = D extends { readonly empty: string }
  ? readonly ItemBy<D>[]
  : ItemBy<D>;
