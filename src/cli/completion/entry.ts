/** Entry of the bundle that `bin/complete.js` loads for completion. The bundle is separate because the whole program loads too slowly. */
import trees from 'svc:completion-tree';
import { type CompletionAnswer, completionAnswer } from './answer.ts';
import type { CompletionOutside } from './live/look-up.ts';
import type { Tree } from './tree-types.ts';

export { refreshList } from './live/refresh-list.ts';

/** Returns the completion for a shell. @param args the words after `svc __complete` */
export function answer(args: readonly string[], outside: CompletionOutside): CompletionAnswer {
  return completionAnswer(args, treeOf, outside);
}

/** Returns the part of the tree for one command, because parsing all of it takes several milliseconds. */
function treeOf(command: string): Tree | undefined {
  const text = Object.hasOwn(trees, command) ? trees[command] : undefined;
  return text === undefined ? undefined : JSON.parse(text);
}
