/** Declares `sandbox token create`, whose output can't be shown again. */
import type { Verb } from '../../command/command.ts';
import { controlVerb } from './control-verb.ts';

const declared = controlVerb('token create');

export const createToken: Verb = {
  ...declared,
  run: async (session, input) => {
    const outcome = await declared.run(session, input);
    await session.info('The token is shown this once; svc sandbox token revoke ends it.');
    return outcome;
  },
};
