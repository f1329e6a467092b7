import { Document, isScalar, type Scalar, visit } from 'yaml';
import type { Json } from '../../protocol/envelope.ts';
import { UNSAFE_CHARACTER_CLASS } from '../../text/terminal.ts';
import type { OutputStream } from '../outside/context.ts';
import { escapeUnsafeCharactersInYaml } from './json.ts';
import { pickChosenAttributes, type ResultView, withBufferedWrites } from './view.ts';

/** Writes a sequence for a list, streamed item by item, or a mapping for one item. */
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
 * Returns the value as YAML. Texts with unsafe characters are escaped so that any reader restores them, and texts that YAML 1.1 would read
 * as another type, such as `NO` or `12:30:00`, are quoted.
 */
export function formatYamlText(value: Json): string {
  const document = new Document(value, { aliasDuplicateObjects: false, compat: 'yaml-1.1' });
  visit(document, {
    Scalar(_key, node) {
      if (isText(node) && UNPRINTABLE.test(node.value)) node.type = 'QUOTE_DOUBLE';
    },
  });
  return escapeUnsafeCharactersInYaml(document.toString({ lineWidth: 0 }));
}

const isText = (node: Scalar): node is Scalar<string> =>
  isScalar<unknown>(node) && typeof node.value === 'string';

// Includes everything that terminal.ts escapes, and CR, which a block scalar would lose.
const UNPRINTABLE = new RegExp(`[\\0-\\x08\\x0b-\\x1f${UNSAFE_CHARACTER_CLASS}]|\\p{Cs}`, 'v');
