/** Lists the assistants' clients: where each one keeps its servers of the Model Context Protocol, and in which form. */
import { posix, win32 } from 'node:path';
import type { Context } from '../../outside/context.ts';

/** `json` is strict. `jsonc` is JSON with comments and trailing commas. */
export type ConfigurationForm = 'json' | 'jsonc' | 'toml';

export interface AssistantClient {
  readonly name: string;
  readonly title: string;
  readonly form: ConfigurationForm;
  /** Name of the table of servers in the file. */
  readonly servers: string;
  /** True if the client requires `"type": "stdio"` in each entry. */
  readonly namesTransport?: true;
  /** The client is installed if this folder exists. */
  readonly folder: ClientPath;
  readonly file: ClientPath;
  /** Environment variable that replaces `folder`, and the name of the file in it. */
  readonly moved?: { readonly variable: string; readonly file: string };
}

/** The root, and a path below it with `/`. `app-data` is the folder of the system in which programs keep their settings. */
type ClientPath = readonly [root: 'home' | 'app-data', path: string];

export const ASSISTANT_CLIENTS: readonly AssistantClient[] = [
  {
    name: 'claude-desktop',
    title: 'Claude Desktop',
    form: 'json',
    servers: 'mcpServers',
    folder: ['app-data', 'Claude'],
    file: ['app-data', 'Claude/claude_desktop_config.json'],
  },
  {
    name: 'claude-code',
    title: 'Claude Code',
    form: 'json',
    servers: 'mcpServers',
    namesTransport: true,
    folder: ['home', '.claude'],
    file: ['home', '.claude.json'],
    moved: { variable: 'CLAUDE_CONFIG_DIR', file: '.claude.json' },
  },
  {
    name: 'cursor',
    title: 'Cursor',
    form: 'jsonc',
    servers: 'mcpServers',
    folder: ['home', '.cursor'],
    file: ['home', '.cursor/mcp.json'],
  },
  {
    name: 'vscode',
    title: 'VS Code',
    form: 'jsonc',
    servers: 'servers',
    namesTransport: true,
    folder: ['app-data', 'Code/User'],
    file: ['app-data', 'Code/User/mcp.json'],
  },
  {
    name: 'windsurf',
    title: 'Windsurf',
    form: 'json',
    servers: 'mcpServers',
    folder: ['home', '.codeium/windsurf'],
    file: ['home', '.codeium/windsurf/mcp_config.json'],
  },
  {
    name: 'codex',
    title: 'Codex CLI',
    form: 'toml',
    servers: 'mcp_servers',
    folder: ['home', '.codex'],
    file: ['home', '.codex/config.toml'],
    moved: { variable: 'CODEX_HOME', file: 'config.toml' },
  },
];

export const CLIENT_NAMES: readonly string[] = ASSISTANT_CLIENTS.map(({ name }) => name);

type Machine = Pick<Context, 'env' | 'homeDir' | 'platform'>;

export function locateConfiguration(
  { folder, file, moved }: AssistantClient,
  machine: Machine,
): { readonly folder: string; readonly file: string } {
  const { join, isAbsolute } = machine.platform === 'win32' ? win32 : posix;
  const other = moved && machine.env[moved.variable];
  if (moved && other !== undefined && isAbsolute(other))
    return { folder: other, file: join(other, moved.file) };
  const at = ([root, path]: ClientPath): string =>
    join(root === 'home' ? machine.homeDir : appDataFolder(machine), path);
  return { folder: at(folder), file: at(file) };
}

function appDataFolder({ env, homeDir, platform }: Machine): string {
  if (platform === 'darwin') return posix.join(homeDir, 'Library/Application Support');
  const { join, isAbsolute } = platform === 'win32' ? win32 : posix;
  const [variable, path] =
    platform === 'win32' ? ['APPDATA', 'AppData/Roaming'] : ['XDG_CONFIG_HOME', '.config'];
  const given = env[variable];
  return given !== undefined && isAbsolute(given) ? given : join(homeDir, path);
}
