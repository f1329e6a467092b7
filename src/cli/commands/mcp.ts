/** Declares `svc mcp`. An assistant can plan, but only a person can approve a send (contract, "Assistants"). */
import type { TopLevelCommandEntry, Verb } from '../command/command.ts';
import { parsedFlag, switchFlag, textFlag } from '../command/flag.ts';
import { UsageError } from '../errors/errors.ts';

const sandboxOnlyFlag = switchFlag('sandbox-only', { describe: 'Connect only to a sandbox on this machine' });
const dirFlag = {
  ...textFlag('dir', {
    describe: 'Folder of the campaign files (default: the working folder)',
    value: 'dir',
  }),
  completes: 'file',
} as const;
const toolsFlag = parsedFlag<readonly string[]>(
  'tools',
  {
    describe:
      'Tools for the assistant: review (they only read), plan (default), all, or names such as plan,rehearse',
    value: 'names',
  },
  (text) => {
    const names = text.split(',').map((name) => name.trim());
    if (names.every((name) => name !== '')) return { value: names };
    return { fault: { reason: 'has an empty name', instead: 'write --tools plan,rehearse' } };
  },
);

export const mcpVerb = (entries: () => readonly TopLevelCommandEntry[]): Verb => ({
  name: 'mcp',
  summary: 'Let an AI assistant check, rehearse and plan campaigns',
  about:
    'Serves the Model Context Protocol on standard input and output. Its tools read the account, and check, rehearse and plan campaigns; only the ' +
    'tool apply writes to the service, and only a plan that a person has approved. Tools and limits: docs/assistants.md',
  work: 'reads',
  does: 'sends',
  section: 'Authentication',
  live: true,
  ignoresFolder: true,
  example: 'mcp --profile sandbox --sandbox-only',
  flags: [dirFlag, sandboxOnlyFlag, toolsFlag],
  run: async (session, input) => {
    const { context } = session;
    if (context.stdin.isTTY)
      throw new UsageError('cannot run svc mcp on a terminal: an assistant must start it', {
        hint: 'see docs/assistants.md',
      });
    const { verifyMcpServerSettings } = await import('./mcp/start.ts');
    const settings = await verifyMcpServerSettings(session, input.get(dirFlag), input.get(sandboxOnlyFlag));
    const [{ createServer }, { stdioTransport }] = await Promise.all([
      import('./mcp/server.ts'),
      import('./mcp/stdio.ts'),
    ]);
    const server = await createServer(settings, entries(), input.get(toolsFlag) ?? ['plan']);
    const transport = stdioTransport(context, session.warn);
    await server.connect(transport);
    await transport.ended;
    await server.close();
    return { result: { kind: 'nothing' } };
  },
});
