/** What a file is made of, beside the attributes of its items. */
import type { ItemKind } from '../model.ts';

/** Of the format. */
export const VERSION = 1;

/** Items are done in this order, whatever that of the file. */
export const SECTIONS: readonly { readonly name: string; readonly kind: ItemKind }[] = [
  { name: 'folders', kind: 'folder' },
  { name: 'messages', kind: 'message' },
  { name: 'tasks', kind: 'task' },
  { name: 'automations', kind: 'automation' },
];

/** Keys of items stand in marks, and beside ids and names: digits alone are an id. */
export const ITEM_KEY = /^(?![0-9]+$)[a-z0-9][a-z0-9-]{0,39}$/;
