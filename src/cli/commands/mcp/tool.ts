/** Types for declaring a tool of `svc mcp`: one row for each, in `tools.ts`. */
import type { Json } from '../../../protocol/json.ts';
import type { OwnKeys } from './untrusted.ts';

export interface Tool {
  readonly name: string;
  /** Title for people. */
  readonly title: string;
  /** Text for the model. It never holds data. */
  readonly describe: string;
  /** Commands that it runs, by the value of the argument `choice`. A tool of one command has no choice. */
  readonly commands: (tree: CommandTree) => readonly ToolCommandPath[];
  readonly choice?: { readonly name: string; readonly describe: string };
  /** Flags of the commands that the tool offers: their names, or all but these. A flag that is not offered can't be given. */
  readonly flags: readonly string[] | { readonly allBut: readonly string[] };
  /** Flags that every run has. */
  readonly fixed?: readonly string[];
  /** Place that a run may change: none, the working folder, the sandbox, or the service after an approval. */
  readonly changes: 'nothing' | 'files' | 'sandbox' | 'service';
  /** Keys of the output that are svc's own. `all` for text of svc alone. */
  readonly own: OwnKeys | 'all' | ((choice: string | undefined) => OwnKeys);
  /** Returns the part of the printed JSON that the tool reports. */
  readonly select?: (printed: Json) => Json;
  /** Lists of an object that can be read page by page. A result of rows always can. */
  readonly parts?: readonly string[];
  /** Set if the argument `command` asks for a page of `svc help` instead. */
  readonly takesHelp?: true;
  /** Set if `field` reads one long text page by page. */
  readonly hasLongTexts?: true;
  /** Set if the command itself limits its rows with `--limit`. */
  readonly limitsRows?: true;
  /** Seconds after which a call is stopped. */
  readonly seconds: number;
}

/** Command of svc, as the words of its command line. */
export interface ToolCommandPath {
  /** Value of the tool's choice. */
  readonly value: string;
  readonly path: readonly string[];
}

/** Commands below a word of the command line. */
export interface CommandTree {
  /** Returns the paths of all commands that start with this word. */
  readonly below: (word: string) => readonly (readonly string[])[];
}
