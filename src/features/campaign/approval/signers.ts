/**
 * Reads the signers file, and judges the names in it. Whoever can write this file can approve every plan, so svc refuses a file that other
 * users may write. The names decide how many people have approved, so svc refuses names that people cannot tell apart.
 */
import { thisUser } from '../../../kit/files/directories.ts';
import { FileError } from '../../../kit/files/errors.ts';
import { readRegularFile } from '../../../kit/files/private-file.ts';
import { CampaignError } from '../errors.ts';

export interface SignersFile {
  readonly path: string;
  readonly name: string;
  /** `svc mcp` reads the file once, when it starts. */
  readonly content?: Uint8Array;
}

const MAX_SIGNERS_OCTETS = 1024 * 1024;

/** @throws CampaignError `refused` if the file can't be read, or if other users may write it */
export function readSigners({ path, name, content }: SignersFile): Uint8Array {
  if (content !== undefined) return content;
  try {
    return readRegularFile(path, name, MAX_SIGNERS_OCTETS, thisUser());
  } catch (cause) {
    if (!(cause instanceof FileError)) throw cause;
    const isUnsafe = cause.kind === 'not-own' || cause.kind === 'open-to-others';
    throw new CampaignError(
      'refused',
      `cannot ${isUnsafe ? 'trust' : 'read'} the signers file: ${cause.message}`,
      {
        hints: isUnsafe
          ? [...cause.hints, 'whoever can write this file can approve every plan']
          : ["write one line for each key, as in git's allowed_signers: alice@example.com ssh-ed25519 AAAA…"],
        cause,
      },
    );
  }
}

export function signerNameFault(name: string): string | undefined {
  if (PATTERN.test(name)) return `the name pattern ${name}, which does not identify one person`;
  if (INVISIBLE.test(name))
    return `the name ${JSON.stringify(name)}, which has characters that people cannot see`;
  const scripts = name.split(/[^\p{L}\p{M}\p{N}]+/u).map(scriptsOf);
  const mixed = scripts.find((each) => each.length > 1);
  return mixed && `the name ${name}, which mixes ${mixed.join(' and ')} letters in one word`;
}

/** A name with one of these characters is a pattern, which can match several people. */
const PATTERN = /[*?!]/;

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/u;

/** Scripts with letters that look alike, by name. No word of a name needs two of them. */
const LOOK_ALIKE_SCRIPTS: readonly (readonly [name: string, letter: RegExp])[] = [
  ['Latin', /\p{Script=Latin}/u],
  ['Cyrillic', /\p{Script=Cyrillic}/u],
  ['Greek', /\p{Script=Greek}/u],
  ['Armenian', /\p{Script=Armenian}/u],
  ['Cherokee', /\p{Script=Cherokee}/u],
  ['Coptic', /\p{Script=Coptic}/u],
];

const scriptsOf = (word: string): readonly string[] =>
  LOOK_ALIKE_SCRIPTS.filter(([, letter]) => letter.test(word)).map(([name]) => name);

export const foldSignerName = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/(?<!\.)\.+$/, '');

/** Lines with a common name or a common key are about one person. */
export function namesOfPeople(content: Uint8Array, names: readonly string[]): ReadonlySet<string> {
  const lines = readSignerLines(content);
  const found = new Set(names.map(foldSignerName));
  const keys = new Set<string>();
  for (let before = -1; found.size + keys.size > before; ) {
    before = found.size + keys.size;
    for (const line of lines) {
      if (!keys.has(line.key) && !line.names.some((name) => found.has(name))) continue;
      keys.add(line.key);
      for (const name of line.names) found.add(name);
    }
  }
  return found;
}

export const listSignerNames = (content: Uint8Array): ReadonlySet<string> =>
  new Set(readSignerLines(content).flatMap(({ names }) => names));

const readSignerLines = (content: Uint8Array) =>
  Buffer.from(content).toString('utf8').split('\n').flatMap(parseSignerLine);

function parseSignerLine(
  line: string,
): readonly { readonly names: readonly string[]; readonly key: string }[] {
  const text = line.trim();
  const names = /^"[^"]*"/.exec(text)?.[0] ?? /^[^\s#"]\S*/.exec(text)?.[0] ?? '';
  const key = text
    .slice(names.length)
    .split(/\s/)
    .find((word) => word.startsWith('AAAA'));
  return names === '' || key === undefined
    ? []
    : [{ names: names.replaceAll('"', '').split(',').map(foldSignerName), key }];
}
