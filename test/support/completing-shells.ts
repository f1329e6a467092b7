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
      const code = `source "$1"; COMP_LINE="$2"; COMP_POINT=\${#2}; _svc; printf '%s\\n' "\${COMPREPLY[@]}"`;
      const args = ['--norc', '--noprofile', '-c', code, 'bash', script, ['svc', ...words].join(' ')];
      return (await execa('bash', args, { env })).stdout;
    },
  },
  zsh: {
    program: 'zsh',
    // _describe works only inside the line editor. This replacement prints its arguments, with escaped colons.
    ask: async (script, words, env = {}) => {
      const code = `
        _describe() { print -rl -- "\${(@P)argv[-1]}"; }
        _files() { :; }
        source "$1"; shift; words=(svc "$@"); CURRENT=$#words; _svc; true`;
      const { stdout } = await execa('zsh', ['-f', '-c', code, 'zsh', script, ...words], { env });
      return stdout.replaceAll(
        /^((?:[^:\\]|\\.)*)(?::(.*))?$/gm,
        (_, word: string, about = '') => `${word.replaceAll(/\\(.)/g, '$1')}  ${about}`,
      );
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
