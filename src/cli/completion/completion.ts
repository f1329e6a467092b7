import type { Entry, Verb } from '../command/command.ts';
import { UsageError } from '../errors/errors.ts';

const SHELLS = ['bash', 'zsh', 'fish', 'powershell'];

/** @param entries the whole first level of the command line, itself included */
export function completionVerb(entries: () => readonly Entry[]): Verb {
  return {
    name: 'completion',
    summary: 'Print the completion script of a shell',
    example: 'completion bash > ~/.local/share/bash-completion/completions/svc',
    positionals: [{ name: 'shell', describe: SHELLS.join(', '), choices: SHELLS }],
    flags: [],
    run: async (_session, { positionals: [shell = ''] }) => {
      const { completionScript, SHELLS: known } = await import('./scripts.ts');
      const found = known.find((each) => each === shell);
      if (!found)
        throw new UsageError(`there is no script for ${shell}`, { hint: `shells: ${known.join(', ')}` });
      return { result: { kind: 'text', text: await completionScript(found, entries()) } };
    },
  };
}
