/**
 * Acceptance, F4: no regular expression of the program takes more than linear time, but those whose text is bounded. scslre finds the
 * quantifiers between which a text makes the engine search again and again. It does not look at alternatives of one loop that match the same
 * text, as in `(a|a)*`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'rolldown/parseAst';
import { expect, it } from 'vitest';
import { tried } from './support/depth.ts';

/** Its own declarations need those of its parser, of which this test uses nothing. */
const { analyse } = createRequire(import.meta.url)('scslre') as {
  readonly analyse: (expression: { readonly source: string; readonly flags: string }) => {
    /** Each is a way in which a text makes the engine search again. */
    readonly reports: readonly unknown[];
  };
};

const SRC = fileURLToPath(new URL('../src', import.meta.url));

/** Each may search again, but its text cannot be long. */
const BOUNDED: Readonly<Record<string, string>> = {
  'campaign/export/keys.ts /-+$/': 'a key of at most MAX_KEY_LENGTH characters',
  'cli/commands/address-check.ts /\\/+$/': 'a base URL of at most 2,048 characters',
  'cli/commands/campaign/approve.ts /[-.]+$/': 'the 64 characters that slice leaves',
  'cli/output/redact.ts /=+$/': 'base64, which has at most two of them, at its end',
  'companies/selector.ts /\\s*(!?)(?:"((?:[^"]|"")*)"|([^,]*))\\s*(?:,|$)/g':
    'the argument of --companies, where the part without quotes matches at once',
  'lint/sms-checks.ts /[.,;:!?)\\]}]+$/': 'a link of at most 2,000 characters',
  'protocol/origin.ts /\\/+$/': 'a base URL of at most 2,048 characters',
  'schema/parameter.ts /^[0-9.]*[1-9][0-9.]*$/': 'a duration that was read, of at most 64 characters',
  'text/words.ts /\\B(?=([0-9]{3})+$)/g': 'the digits of a number',
};

/** Expressions that a function builds, with a text in place of what it fills in. */
const BUILT: Readonly<Record<string, readonly RegExp[]>> = {
  'cli/output/json-text.ts': [/[\x7f-\x9f\u202a-\u202e]/g],
  'cli/output/redact.ts': [/5ec2e7c0\S*|5ec2e7c0/gi],
  'protocol/json.ts': [/"\ue000(-?[0-9]+)"/g],
  'sandbox/engine/mail/render.ts': [/<\/svc_link\s*>/gi, /<svc_link((?:\s[^<>]{0,500})?)\/?>/gi],
  'text/terminal.ts': [/[\0-\x1f\x7f-\x9f\u202a-\u202e]/g],
};

interface Found {
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

const literals: Found[] = [];
/** Files in which a function calls `new RegExp`. */
const building = new Set<string>();

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

/** Evaluates a module of its own of each file that calls `new RegExp`, and returns what it builds as it is loaded. */
async function builtByModules(): Promise<readonly Found[]> {
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

const nameOf = ({ file, source, flags }: Found): string => `${file} /${source}/${flags}`;

it('no text makes a regular expression slow, but where texts are short', async () => {
  const built = await builtByModules();
  const filledIn = Object.entries(BUILT).flatMap(([file, samples]) =>
    samples.map(({ source, flags }) => ({ file, source, flags })),
  );
  expect(built.length).toBeGreaterThan(10);
  const all = [...literals, ...built, ...filledIn];
  const slow = all.filter(({ source, flags }) => analyse({ source, flags }).reports.length > 0);
  expect([...new Set(slow.map(nameOf))].sort()).toEqual(Object.keys(BOUNDED).sort());
  expect(literals.length).toBeGreaterThan(500);
  tried('F4', all.length);
});

it('each file in which a function builds an expression shows it here', () => {
  // Its function runs as the module is loaded.
  building.delete('cli/commands/mcp/untrusted.ts');
  expect([...building].sort()).toEqual(Object.keys(BUILT).sort());
});

it('the check finds what is slow', () => {
  const slow = [/^(a+)+$/, /\s+$/, /^(.*?)\s*=\s*(.*)$/s, /^[^\s@]+@[^\s@]+\.[^\s@]+$/];
  for (const { source, flags } of slow)
    expect([source, analyse({ source, flags }).reports.length > 0]).toEqual([source, true]);
});
