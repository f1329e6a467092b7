/** For tests that type the commands which the README shows. */
import { readFile } from 'node:fs/promises';

/** The lines of each block of a section, without their comments; one that goes on in the next is joined with it. */
export async function commandsOf(section: string): Promise<readonly (readonly string[])[]> {
  const text = await readFile('README.md', 'utf8');
  const [, body = ''] = new RegExp(`^## ${section}\n([^]*?)^## `, 'm').exec(text) ?? [];
  const blocks = [...body.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
  if (blocks.length === 0) throw new Error(`README.md has no commands under "${section}"`);
  return blocks.map((block) =>
    block
      .trim()
      .replace(/ +\\\n +/g, ' ')
      .split('\n')
      .map((line) => line.replace(/ +# .*$/, '')),
  );
}
