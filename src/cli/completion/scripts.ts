/** Scripts of all shells, generated from one tree. `npm run completions` writes them into `completions/`. */
import type { Entry } from '../command/command.ts';
import { bashScript } from './bash.ts';
import { fishScript } from './fish.ts';
import { powershellScript } from './powershell.ts';
import { completionTree, type Place } from './tree.ts';
import { zshScript } from './zsh.ts';

export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof SHELLS)[number];

/** File names in `completions/`, as each shell expects them. */
export const FILE_NAMES: Readonly<Record<Shell, string>> = {
  bash: 'svc.bash',
  zsh: '_svc',
  fish: 'svc.fish',
  powershell: 'svc.ps1',
};

const SCRIPTS: Readonly<Record<Shell, (places: readonly Place[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
  powershell: powershellScript,
};

export async function completionScript(shell: Shell, entries: readonly Entry[]): Promise<string> {
  return SCRIPTS[shell](await completionTree(entries));
}
