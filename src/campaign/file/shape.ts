/** Defines the structure of a file, apart from the attributes of its items. */
import type { ItemKind } from '../model.ts';

/** Version of the campaign file format that this program reads. */
export const CAMPAIGN_FILE_VERSION = 1;

/**
 * Sections of a campaign file, in the order in which svc plans and applies their items. The file itself may contain the sections in any
 * order.
 */
export const CAMPAIGN_FILE_SECTIONS: readonly { readonly name: string; readonly kind: ItemKind }[] = [
  { name: 'folders', kind: 'folder' },
  { name: 'messages', kind: 'message' },
  { name: 'tasks', kind: 'task' },
  { name: 'automations', kind: 'automation' },
];

/** Pattern of item keys. A key is not all digits, because it may be given where an id is allowed too. Keys are also part of marks. */
export const ITEM_KEY_PATTERN = /^(?![0-9]+$)[a-z0-9][a-z0-9-]{0,39}$/;
