import { user } from '../../../service/resources/user.ts';
import type { Verb } from '../../command/command.ts';
import { createReadOptionsToCapture404Error, recordNotFoundError } from '../../request/references.ts';
import { createOutcomeFromRecord } from '../../request/write-outcome.ts';

export const whoami: Verb = {
  name: 'whoami',
  summary: 'Show the user whose credentials you use',
  work: 'finds',
  methods: ['GET'],
  example: 'user whoami -o json',
  flags: [],
  companies: 'reads',
  run: async (session) => {
    const client = await session.client();
    const look = createReadOptionsToCapture404Error();
    const [found] = await client.find(user, { currentuser: true }, look);
    if (!found) throw recordNotFoundError(user, 'of these requests', look.notFoundError());
    return createOutcomeFromRecord(user, found);
  },
};
