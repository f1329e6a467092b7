/**
 * Where each client keeps its servers, and in which form. The fixtures in setup.test.ts and the places here follow these pages:
 * - Claude Desktop: "Connect to local MCP servers" (modelcontextprotocol.io/docs/develop/connect-local-servers). It has no place on Linux:
 *   guides of servers name the one that Electron's programs have.
 * - Claude Code: "Connect Claude Code to tools via MCP" and "Environment variables" (code.claude.com/docs/en/mcp and env-vars)
 * - Cursor: "Model Context Protocol (MCP)" (cursor.com/docs/mcp)
 * - VS Code: "MCP configuration reference" (code.visualstudio.com/docs/agents/reference/mcp-configuration)
 * - Windsurf: "Model Context Protocol (MCP)" (docs.windsurf.com/windsurf/cascade/mcp). Its plug-ins for other editors have another file.
 * - Codex CLI: "Model Context Protocol" (developers.openai.com/codex/mcp)
 */
import { expect, it } from 'vitest';
import { ASSISTANT_CLIENTS, locateConfiguration } from '../../../../src/cli/commands/agent/clients.ts';

const MAC = { platform: 'darwin', homeDir: '/Users/ada', env: {} } as const;
const LINUX = { platform: 'linux', homeDir: '/home/ada', env: {} } as const;
const WINDOWS = {
  platform: 'win32',
  homeDir: 'C:\\Users\\ada',
  env: { APPDATA: 'D:\\Roaming' },
} as const;

it.each([
  [
    'claude-desktop',
    '/Users/ada/Library/Application Support/Claude/claude_desktop_config.json',
    '/home/ada/.config/Claude/claude_desktop_config.json',
    'D:\\Roaming\\Claude\\claude_desktop_config.json',
  ],
  ['claude-code', '/Users/ada/.claude.json', '/home/ada/.claude.json', 'C:\\Users\\ada\\.claude.json'],
  [
    'cursor',
    '/Users/ada/.cursor/mcp.json',
    '/home/ada/.cursor/mcp.json',
    'C:\\Users\\ada\\.cursor\\mcp.json',
  ],
  [
    'vscode',
    '/Users/ada/Library/Application Support/Code/User/mcp.json',
    '/home/ada/.config/Code/User/mcp.json',
    'D:\\Roaming\\Code\\User\\mcp.json',
  ],
  [
    'windsurf',
    '/Users/ada/.codeium/windsurf/mcp_config.json',
    '/home/ada/.codeium/windsurf/mcp_config.json',
    'C:\\Users\\ada\\.codeium\\windsurf\\mcp_config.json',
  ],
  [
    'codex',
    '/Users/ada/.codex/config.toml',
    '/home/ada/.codex/config.toml',
    'C:\\Users\\ada\\.codex\\config.toml',
  ],
])('%s has its file in its place on macOS, Linux and Windows', (name, ...files) => {
  const client = ASSISTANT_CLIENTS.find((each) => each.name === name);
  expect(client && [MAC, LINUX, WINDOWS].map((machine) => locateConfiguration(client, machine).file)).toEqual(
    files,
  );
});

it('follows the variables that move a configuration, if they name an absolute path', () => {
  const places = (env: Record<string, string>) =>
    ASSISTANT_CLIENTS.map((client) => locateConfiguration(client, { ...LINUX, env }));
  const moved = places({ CODEX_HOME: '/c', CLAUDE_CONFIG_DIR: '/d', XDG_CONFIG_HOME: '/x' });
  expect(moved.map(({ file }) => file)).toEqual([
    '/x/Claude/claude_desktop_config.json',
    '/d/.claude.json',
    '/home/ada/.cursor/mcp.json',
    '/x/Code/User/mcp.json',
    '/home/ada/.codeium/windsurf/mcp_config.json',
    '/c/config.toml',
  ]);
  expect(moved[5]?.folder).toBe('/c');
  expect(places({ CODEX_HOME: 'c', CLAUDE_CONFIG_DIR: '', XDG_CONFIG_HOME: 'x' })).toEqual(places({}));
});
