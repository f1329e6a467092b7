/** Types for declaring the tools of `svc mcp`, which are listed in `tools.ts`. */
import type { Json } from '../../../protocol/json.ts';
import type { TrustedProperties } from './untrusted.ts';

/** Tool that `svc mcp` offers to an assistant. */
export interface Tool {
  readonly name: string;
  /** Title that clients show to people. */
  readonly title: string;
  /** Description for the assistant. It contains no data of the service. */
  readonly describe: string;
  /** Returns the commands that the tool runs. If there are several, the argument named in `choice` selects one. */
  readonly commands: (tree: CommandLookup) => readonly ToolCommandPath[];
  readonly choice?: { readonly name: string; readonly describe: string };
  /** Flags that the tool offers as arguments: a list of names, or all flags except `allBut`. An assistant can't use any other flag. */
  readonly flags: readonly string[] | { readonly allBut: readonly string[] };
  /** Flags that svc adds to every command line of the tool. */
  readonly fixedFlags?: readonly string[];
  /** Target that the tool may change: nothing, files in the working folder, the sandbox, or the service after an approval. */
  readonly changes: 'nothing' | 'files' | 'sandbox' | 'service';
  /** Output keys with values that svc itself writes. `all` if the output contains no text from the service, subscribers or files. */
  readonly trusted: TrustedProperties | 'all' | ((choice: string | undefined) => TrustedProperties);
  /** Returns the part of the printed JSON that the tool reports. */
  readonly select?: (printed: Json) => Json;
  /** Names of the output's members that are lists and can be read page by page. A result that consists of rows needs no names. */
  readonly parts?: readonly string[];
  /** Set if the tool can also return a page of `svc help`, which the argument `command` names. */
  readonly takesHelp?: true;
  /** Set if the argument `field` can select a long text, which the tool returns page by page. */
  readonly hasLongTexts?: true;
  /** Set if the tool's command has the flag `--limit`. */
  readonly limitsRows?: true;
  /** Time limit of a call in seconds. */
  readonly seconds: number;
}

/** Command of svc that a tool runs, as the words of its command line. */
export interface ToolCommandPath {
  /**
   * Text that selects this command in a call of the tool, such as `clock advance`. If the tool has several commands, the caller passes this
   * text in the argument that `Tool.choice` names.
   */
  readonly value: string;
  readonly path: readonly string[];
}

/** Finds commands of svc by the first word of the command line. */
export interface CommandLookup {
  /** Returns the paths of all commands that start with this word. */
  readonly commandsBelow: (word: string) => readonly (readonly string[])[];
}
