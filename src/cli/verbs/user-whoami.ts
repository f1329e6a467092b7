import { user } from '../../resources/user.ts';
import { noteMissing, notFound } from '../references.ts';
import { shown } from '../submit.ts';
import type { Verb } from '../verb.ts';

export const whoami: Verb = {
  name: 'whoami',
  summary: 'Show the user who makes the requests',
  example: 'user whoami -o json',
  flags: [],
  run: async (session) => {
    const client = await session.client();
    const look = noteMissing();
    const [found] = await client.find(user, { currentuser: true }, look);
    if (!found) throw notFound(user, 'of these requests', look.refusal());
    return shown(user, found);
  },
};
