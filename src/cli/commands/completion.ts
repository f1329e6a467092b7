import type { Verb } from '../command/command.ts';
import { UsageError } from '../errors/errors.ts';

const SHELLS = ['bash', 'zsh', 'fish', 'powershell'];

export const completion: Verb = {
  name: 'completion',
  summary: 'Print the completion script of a shell',
  example: 'completion bash > ~/.local/share/bash-completion/completions/svc',
  positionals: [{ name: 'shell', describe: SHELLS.join(', '), choices: SHELLS }],
  flags: [],
  run: async (_session, { positionals: [shell = ''] }) => {
    const [{ completionScript, SHELLS: known }, { entries }] = await Promise.all([
      import('../completion/scripts.ts'),
      import('../registry/entries.ts'),
    ]);
    const found = known.find((each) => each === shell);
    if (!found)
      throw new UsageError(`there is no script for ${shell}`, { hint: `shells: ${known.join(', ')}` });
    return { result: { kind: 'text', text: await completionScript(found, entries) } };
  },
};
