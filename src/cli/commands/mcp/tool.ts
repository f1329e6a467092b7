/** Types for declaring a tool of `svc mcp`: one row for each, in `tools.ts`. */
import type { Json } from '../../../protocol/json.ts';
import type { OwnKeys } from './untrusted.ts';

export interface Tool {
  readonly name: string;
  /** Title for people. */
  readonly title: string;
  /** Description for the model. It contains no data of the service. */
  readonly describe: string;
  /** Returns the commands that the tool runs. The argument `choice` selects one of several. */
  readonly commands: (tree: CommandTree) => readonly ToolCommandPath[];
  readonly choice?: { readonly name: string; readonly describe: string };
  /** Flags that the tool offers as arguments: a list of names, or all flags except `allBut`. An assistant can't use any other flag. */
  readonly flags: readonly string[] | { readonly allBut: readonly string[] };
  /** Flags that are added to every command line of the tool. */
  readonly fixed?: readonly string[];
  /** Things that a run may change: nothing, files of the working folder, the sandbox, or the service after an approval. */
  readonly changes: 'nothing' | 'files' | 'sandbox' | 'service';
  /** Keys of the output whose values svc itself chose. `all` if the whole output contains no foreign text. */
  readonly own: OwnKeys | 'all' | ((choice: string | undefined) => OwnKeys);
  /** Returns the part of the printed JSON that the tool reports. */
  readonly select?: (printed: Json) => Json;
  /** Names of the output's members that are lists and can be read page by page. A result that consists of rows needs no names. */
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
  /** Value of the argument `choice` that selects this command. */
  readonly value: string;
  readonly path: readonly string[];
}

/** Lookup of commands by the first word of their command line. */
export interface CommandTree {
  /** Returns the paths of all commands that start with this word. */
  readonly below: (word: string) => readonly (readonly string[])[];
}
