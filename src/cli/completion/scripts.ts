/** Contains the completion scripts from `completions/`. At TAB, a shell's script runs `svc __complete`. */
import zsh from '../../../completions/_svc?text';
import bash from '../../../completions/svc.bash?text';
import fish from '../../../completions/svc.fish?text';
import powershell from '../../../completions/svc.ps1?text';
import type { Shell } from './line.ts';

export const COMPLETION_SCRIPTS: Readonly<Record<Shell, string>> = { bash, zsh, fish, powershell };
