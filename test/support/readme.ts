/** Reads the commands that README.md and the guides in docs/ show, for tests that type them. */
import { readFile } from 'node:fs/promises';

/** Returns the shell blocks of a file as they stand there. A block in a list is without its indentation. */
export async function blocksOf(file: string): Promise<readonly string[]> {
  const found = (await readFile(file, 'utf8')).matchAll(/^( *)```sh\n([\s\S]*?)^\1```$/gm);
  const blocks = [...found].map(([, indent = '', block = '']) =>
    block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
  if (blocks.length === 0) throw new Error(`${file} has no commands`);
  return blocks;
}

const SHELL_BLOCK = /^```sh\n([\s\S]*?)^```$/gm;

/** Returns the lines of each shell block of a section, without comments. Joins lines that end in a backslash. */
export async function commandsOf(file: string, section: string): Promise<readonly (readonly string[])[]> {
  const text = await readFile(file, 'utf8');
  const [, body = ''] = new RegExp(`^## ${section}\n([^]*?)(?:^## |(?![^]))`, 'm').exec(text) ?? [];
  const blocks = [...body.matchAll(SHELL_BLOCK)].map(([, block = '']) => block);
  if (blocks.length === 0) throw new Error(`${file} has no commands under "${section}"`);
  return blocks.map((block) =>
    block
      .trim()
      .replace(/ +\\\n +/g, ' ')
      .split('\n')
      .map((line) => line.replace(/(^| +)# .*$/, ''))
      .filter((line) => line !== ''),
  );
}
