/** Holds what stays the same while `svc mcp` serves an assistant. */

import type { Context } from '../../outside/context.ts';
import type { Ports } from '../../session/ports.ts';
import type { AccountTime } from './account-time.ts';
import type { AssistantFolderAccess } from './folder-access.ts';
import type { FlagValues } from './schema.ts';

/** Verified when the server starts. Tool calls never change them. */
export interface McpServerSettings {
  readonly session: Ports;
  /** Context of the server, in the folder of the assistant. */
  readonly context: Context;
  readonly allowedFolder: AssistantFolderAccess;
  /** They select the profile and the company of every command that sends requests to the service. */
  readonly flags: FlagValues;
  /** Only then the server offers the tool `sandbox`. */
  readonly isSandboxOnly: boolean;
  /** They select the sandbox's profile. */
  readonly sandboxFlags: FlagValues;
  readonly origin: string;
  /** Read at the start of the server. Undefined if the profile names no signers file; the server then applies no plans. */
  readonly signers: { readonly path: string; readonly content: Uint8Array } | undefined;
  readonly isDryRun: boolean;
  readonly time: AccountTime;
  /** Flags with which a person uses the same profile, company and address in a shell. */
  readonly accountFlags: readonly string[];
  /** They contain no text of the service. */
  readonly accountWords: string;
  /** Removes the profile's key. */
  readonly redact: (text: string) => string;
}
