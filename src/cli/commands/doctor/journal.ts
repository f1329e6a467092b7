/** Checks that deletions can be recorded first: svc refuses a deletion if it can't record it. */
import { checkDirectory } from '../../../files/directories.ts';
import { thisUser } from '../../../files/owner.ts';
import { checkPrivateFile } from '../../../files/private-file.ts';
import { fileIn, journalFolder } from '../../../journal/place.ts';
import { type DoctorCheck, fine, warning } from './check.ts';

/** Checks that folder and file belong to this user and are closed to others. The error contains the chmod command to fix it. */
export const journal: DoctorCheck = {
  name: 'journal',
  examine: async ({ context, globals }) => {
    if (!globals.journal) return fine('off: --no-journal');
    const folder = journalFolder(context);
    if (folder === undefined)
      return warning('no folder for the journal', 'set SVC_STATE_DIR, or svc undo cannot undo anything');
    const owner = thisUser(context.platform);
    checkDirectory(folder, owner);
    return fine(checkPrivateFile(fileIn(folder), owner) ? fileIn(folder) : `${folder}: none yet`);
  },
};
