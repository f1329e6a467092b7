import type { Group, Verb } from '../command/command.ts';
import { completionInstall } from './install.ts';
import { type Shell, SUPPORTED_SHELLS } from './line.ts';
import { COMPLETION_SCRIPTS } from './scripts.ts';

const NAMES: Readonly<Record<Shell, string>> = {
  bash: 'bash',
  zsh: 'zsh',
  fish: 'fish',
  powershell: 'PowerShell',
};

const EXAMPLES: Readonly<Record<Shell, string>> = {
  bash: 'completion bash > ~/.local/share/bash-completion/completions/svc',
  zsh: 'completion zsh > _svc',
  fish: 'completion fish > ~/.config/fish/completions/svc.fish',
  powershell: 'completion powershell >> $PROFILE',
};

const print = (shell: Shell): Verb => ({
  name: shell,
  summary: `Print the completion script of ${NAMES[shell]}`,
  work: 'local',
  example: EXAMPLES[shell],
  flags: [],
  run: async () => ({ result: { kind: 'text', text: COMPLETION_SCRIPTS[shell] } }),
});

export const completionGroup: Group = {
  name: 'completion',
  summary: 'Install or print shell completion',
  commands: [completionInstall, ...SUPPORTED_SHELLS.map(print)],
};
