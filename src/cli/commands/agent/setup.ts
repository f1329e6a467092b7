/** Declares `svc agent setup`, which adds `svc mcp` to the configuration of assistants' clients. */
import type { Verb } from '../../command/command.ts';
import { repeatableTextFlag, switchFlag } from '../../command/flag.ts';
import { UsageError } from '../../errors/errors.ts';
import { ASSISTANT_CLIENTS, type AssistantClient, CLIENT_NAMES } from './clients.ts';

const clientFlag = repeatableTextFlag('client', {
  describe: 'Only this client (repeatable), even if it is not installed',
  value: 'name',
  choices: CLIENT_NAMES,
});
const sandboxOnlyFlag = switchFlag('sandbox-only', { describe: 'Let the assistant use a sandbox only' });
const removeFlag = switchFlag('remove', { describe: 'Remove svc from the configuration' });
const statusFlag = switchFlag('status', { describe: 'Only show which clients have svc' });

export const agentSetup: Verb = {
  name: 'setup',
  summary: "Add svc to the configuration of assistants' clients",
  about:
    'Adds svc mcp, with the working folder as the folder of campaign files, to each client that is installed. Shows each change and asks once. Changes nothing else in the files, and writes no key. ' +
    '--profile names the account that the assistant uses; without it, the server uses your default profile. Restart the client afterwards',
  work: 'local',
  example: 'agent setup --profile sandbox --sandbox-only',
  flags: [clientFlag, sandboxOnlyFlag, removeFlag, statusFlag],
  needsNoCompany: true,
  ignoresFolder: true,
  run: async (session, input) => {
    const named = chosenClients(input.get(clientFlag));
    const [isRemoval, isStatus] = [input.get(removeFlag), input.get(statusFlag)];
    if (isRemoval && isStatus) throw new UsageError('cannot combine --status with --remove');
    if (session.context.homeDir === '') throw new UsageError('you have no home folder');
    const { addToClients, removeFromClients, showClients } = await import('./configure-clients.ts');
    if (isStatus) return showClients(session, named ?? ASSISTANT_CLIENTS);
    return isRemoval
      ? removeFromClients(session, named)
      : addToClients(session, named, { isSandboxOnly: input.get(sandboxOnlyFlag) });
  },
};

function chosenClients(names: readonly string[]): readonly AssistantClient[] | undefined {
  if (names.length === 0) return undefined;
  const unknown = names.find((name) => !CLIENT_NAMES.includes(name));
  if (unknown !== undefined)
    throw new UsageError(`unknown client ${unknown}`, {
      hint: `the clients are: ${CLIENT_NAMES.join(', ')}`,
    });
  return ASSISTANT_CLIENTS.filter(({ name }) => names.includes(name));
}
