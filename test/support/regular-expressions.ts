/** Finds the regular expressions of the program, for acceptance row F4. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'rolldown/parseAst';

const SRC = fileURLToPath(new URL('../../src', import.meta.url));

/** Expressions that may search repeatedly. The value says why the text is short. */
export const BOUNDED: Readonly<Record<string, string>> = {
  'features/campaign/export/drafts.ts /-+$/': 'a key of at most MAX_KEY_LENGTH characters',
  'cli/commands/profile-check.ts /\\/+$/': 'a base URL of at most 2,048 characters',
  'cli/commands/campaign/approve-plan.ts /[-.]+$/': 'the 64 characters that slice leaves',
  'cli/output/redact.ts /=+$/': 'base64, which has at most two of them, at its end',
  'cli/output/query.ts /\'(?:\\\\.|[^\'\\\\])*\'|"(?:\\\\.|[^"\\\\])*"|`(?:\\\\.|[^`\\\\])*`/gs':
    'the argument of --query',
  'cli/output/note-lines.ts /^(.*:) (svc [^:]* --?[^:]*(?::\\S[^:]*)*)$/':
    'a line of at most 2,000 characters',
  'client/companies/selector.ts /\\s*(!?)(?:"((?:[^"]|"")*)"|([^,]*))\\s*(?:,|$)/g':
    'the argument of --companies, where the part without quotes matches at once',
  'service/lint/sms-checks.ts /[.,;:!?)\\]}]+$/': 'a link of at most 2,000 characters',
  'client/profiles/folder-pin.ts /"(?:[^"\\\\]|\\\\.)*"(?=\\s*:)/g':
    'a file of at most 64 KiB that was read as JSON, so that each quote is closed',
  'service/protocol/wire.ts /\\/+$/': 'a base URL of at most 2,048 characters',
  'kit/schema/parameter.ts /^[0-9.]*[1-9][0-9.]*$/': 'a duration that was read, of at most 64 characters',
  'kit/text/words.ts /\\B(?=([0-9]{3})+$)/g': 'the digits of a number',
};

/** Expressions that a function builds, with a sample text for the inserted part. */
export const BUILT: Readonly<Record<string, readonly RegExp[]>> = {
  'cli/output/json.ts': [/[\x7f-\x9f\u202a-\u202e]/g],
  'cli/output/redact.ts': [/5ec2e7c0\S*|5ec2e7c0/gi],
  'service/protocol/json.ts': [/"\ue000(-?[0-9]+)"/g],
  'sandbox/engine/mail/render.ts': [/<\/svc_link\s*>/gi, /<svc_link((?:\s[^<>]{0,500})?)\/?>/gi],
  'kit/text/terminal.ts': [/[\0-\x1f\x7f-\x9f\u202a-\u202e]/g],
};

export interface Found {
  readonly file: string;
  readonly source: string;
  readonly flags: string;
}

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts'))
  .sort()
  .map((file) => ({ file, text: readFileSync(join(SRC, file), 'utf8') }));

interface Node {
  readonly type?: string;
  readonly regex?: { readonly pattern: string; readonly flags: string };
  readonly callee?: { readonly name?: string };
}

export const literals: Found[] = [];
/** Files in which a function calls `new RegExp`. */
export const building = new Set<string>();

for (const { file, text } of files) {
  const visit = (value: unknown, isInFunction: boolean): void => {
    if (typeof value !== 'object' || value === null) return;
    const node: Node = value;
    if (node.regex) literals.push({ file, source: node.regex.pattern, flags: node.regex.flags });
    if (node.type === 'NewExpression' && node.callee?.name === 'RegExp' && isInFunction) building.add(file);
    const isFunction = /Function/.test(node.type ?? '');
    for (const each of Object.values(node)) visit(each, isInFunction || isFunction);
  };
  visit(parseAst(text, { lang: 'ts' }, file), false);
}

/** Imports a separate copy of each file that calls `new RegExp`. Returns the expressions that it builds while it is loaded. */
export async function builtByModules(): Promise<readonly Found[]> {
  const found: Found[] = [];
  const original = globalThis.RegExp;
  try {
    for (const { file } of files.filter(({ text }) => text.includes('new RegExp('))) {
      globalThis.RegExp = new Proxy(original, {
        construct: (target, args: [string, string?]) => {
          const made = new target(...args);
          found.push({ file, source: made.source, flags: made.flags });
          return made;
        },
      });
      await import(`${join(SRC, file)}?built`);
    }
  } finally {
    globalThis.RegExp = original;
  }
  return found;
}

/** Returns the key of an expression in `BOUNDED`. */
export const nameOf = ({ file, source, flags }: Found): string => `${file} /${source}/${flags}`;

/** Returns every expression: a literal, one that a module builds while it is loaded, or one that a function builds. */
export async function allExpressions(): Promise<readonly Found[]> {
  const built = await builtByModules();
  if (built.length <= 10 || literals.length <= 500) throw new Error('the regular expressions were not found');
  const filledIn = Object.entries(BUILT).flatMap(([file, samples]) =>
    samples.map(({ source, flags }) => ({ file, source, flags })),
  );
  return [...literals, ...built, ...filledIn];
}
