/** Real shells that complete a line: each loads the script and prints the candidates, one a line. */
import { execa } from 'execa';

export interface CompletingShell {
  readonly program: string;
  /** @param words without `svc`; the last one is being typed */
  readonly ask: (
    script: string,
    words: readonly string[],
    env?: Readonly<Record<string, string>>,
  ) => Promise<string>;
}

export const COMPLETING_SHELLS = {
  bash: {
    program: 'bash',
    ask: async (script, words, env = {}) => {
      const code = `source "$1"; shift; COMP_WORDS=(svc "$@"); COMP_CWORD=$#; _svc; printf '%s\\n' "\${COMPREPLY[@]}"`;
      const args = ['--norc', '--noprofile', '-c', code, 'bash', script, ...words];
      return (await execa('bash', args, { env })).stdout;
    },
  },
  zsh: {
    program: 'zsh',
    // compadd and _describe work only inside the line editor: here they print what they are given.
    ask: async (script, words, env = {}) => {
      const code = `
        compadd() {
          local printed=$argv[-1] at=$argv[(i)-d]
          if (( at < $#argv )); then printed="$argv[at+1]"; fi
          print -rl -- "\${(@P)printed}"
        }
        _describe() { local word; for word in "\${(@P)argv[-1]}"; do print -r -- "\${word%%:*}"; done }
        _files() { :; }
        source "$1"; shift; words=(svc "$@"); CURRENT=$#words; _svc`;
      return (await execa('zsh', ['-f', '-c', code, 'zsh', script, ...words], { env })).stdout;
    },
  },
  fish: {
    program: 'fish',
    ask: async (script, words, env = {}) => {
      const line = ['svc', ...words].join(' ');
      const code = `source $argv[1]; complete -C $argv[2]`;
      return (await execa('fish', ['--no-config', '-c', code, script, line], { env })).stdout;
    },
  },
} as const satisfies Readonly<Record<string, CompletingShell>>;

const known = new Map<string, Promise<boolean>>();

export function hasShell(program: string): Promise<boolean> {
  const asked =
    known.get(program) ??
    execa(program, ['--version']).then(
      () => true,
      () => false,
    );
  known.set(program, asked);
  return asked;
}
