import { Document, isScalar, type Scalar, visit } from 'yaml';
import { UNSAFE_CHARACTER_CLASS } from '../../kit/text/terminal.ts';
import type { OutputStream } from '../outside/context.ts';
import { escapeOlderJobCommands, hasJobCommand } from './job-log.ts';
import { escapeUnsafeCharactersInYaml } from './json.ts';
import { pickChosenAttributes, type ResultView, withBufferedWrites } from './view.ts';

export async function writeYaml(view: ResultView, out: OutputStream): Promise<void> {
  await withBufferedWrites(out, async (write) => {
    for await (const row of view.rows) {
      const shown = pickChosenAttributes(row, view.chosen);
      await write(formatYamlText(view.isSingle ? shown : [shown]));
    }
    if (!view.isSingle && view.first === undefined) await write('[]\n');
  });
}

/**
 * Escapes unsafe characters and commands of a CI job on one line, so that any reader restores them. Quotes texts that YAML 1.1 would
 * read as another type, such as `NO` or `12:30:00`.
 */
export function formatYamlText(value: unknown): string {
  const document = new Document(value, { aliasDuplicateObjects: false, compat: 'yaml-1.1' });
  visit(document, {
    Scalar(_key, node) {
      if (isText(node) && needsQuotes(node.value)) node.type = 'QUOTE_DOUBLE';
    },
  });
  const text = document.toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER });
  return escapeOlderJobCommands(escapeUnsafeCharactersInYaml(text));
}

const needsQuotes = (text: string): boolean =>
  UNPRINTABLE.test(text) || isChangedInBlock(text) || hasJobCommand(text);

/** Reports whether a block scalar may lose white space at either end of a text of several lines. One line break at the end stays. */
const isChangedInBlock = (text: string): boolean =>
  text.includes('\n') && (/^\s/.test(text) || /\s$/.test(text.replace(/\n$/, '')));

const isText = (node: Scalar): node is Scalar<string> =>
  isScalar<unknown>(node) && typeof node.value === 'string';

// Includes everything that terminal.ts escapes, and CR, which a block scalar would lose.
const UNPRINTABLE = new RegExp(`[\\0-\\x08\\x0b-\\x1f${UNSAFE_CHARACTER_CLASS}]|\\p{Cs}`, 'v');
