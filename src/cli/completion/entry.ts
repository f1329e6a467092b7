/** Entry of the bundle that `bin/complete.js` loads for completion. The bundle is separate because the whole program loads too slowly. */
import trees from 'svc:completion-tree';
import { type CompletionResult, computeCompletion } from './answer.ts';
import type { CompletionEnvironment } from './look-up.ts';
import type { CompletionTree } from './tree.ts';

export { refreshCompletionList } from './refresh-list.ts';

/** @param args the words after `svc __complete` */
export function completeLine(args: readonly string[], place: CompletionEnvironment): CompletionResult {
  return computeCompletion(args, treeOf, place);
}

/** Parsing the whole tree takes several milliseconds. */
function treeOf(command: string): CompletionTree | undefined {
  const text = Object.hasOwn(trees, command) ? trees[command] : undefined;
  return text === undefined ? undefined : JSON.parse(text);
}
