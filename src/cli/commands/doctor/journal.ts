/** Whether what is deleted can be written down before: a deletion is refused where it can't. */
import { checkDirectory } from '../../../files/directories.ts';
import { thisUser } from '../../../files/owner.ts';
import { checkPrivateFile } from '../../../files/private-file.ts';
import { fileIn, journalFolder } from '../../../journal/place.ts';
import { type Check, careful, fine } from './check.ts';

/** Folder and file are to be this user's, and closed to others; the error of one that isn't says what chmod to type. */
export const journal: Check = {
  name: 'journal',
  examine: async ({ context, globals }) => {
    if (!globals.journal) return fine('not kept: --no-journal');
    const folder = journalFolder(context);
    if (folder === undefined)
      return careful(
        'there is no folder to keep one in',
        'name one in SVC_STATE_DIR, or nothing can be undone',
      );
    const owner = thisUser(context.platform);
    checkDirectory(folder, owner);
    return fine(checkPrivateFile(fileIn(folder), owner) ? fileIn(folder) : `${folder}: none yet`);
  },
};
