/** Defines the structure of a file, apart from the attributes of its items. */
import type { ItemKind } from '../model.ts';

/** Version of the campaign file format that this program reads. */
export const FILE_VERSION = 1;

/** Sections in the order in which their items are performed, whatever their order in the file. */
export const FILE_SECTIONS: readonly { readonly name: string; readonly kind: ItemKind }[] = [
  { name: 'folders', kind: 'folder' },
  { name: 'messages', kind: 'message' },
  { name: 'tasks', kind: 'task' },
  { name: 'automations', kind: 'automation' },
];

/** Pattern of item keys. Keys appear in marks, and in the same places as ids and names; digits alone are an id. */
export const ITEM_KEY_PATTERN = /^(?![0-9]+$)[a-z0-9][a-z0-9-]{0,39}$/;
