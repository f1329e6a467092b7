import type { openAutomation as declaration } from '../open-automation.ts';
import type { ExplanationOf } from './explanation.ts';
import { explainTimed } from './timed-automation.ts';

const CREATE =
  'automation create --kind open --name "Opened sale" --message "Spring sale" --actiontype notify --actiontarget office@example.com';

export const openAutomation: ExplanationOf<typeof declaration> = explainTimed('open', {
  about: ['A rule that acts when a subscriber opens an e-mail message.'],
  create: CREATE,
  fields: {
    message_id: {
      traps: ['It locks the e-mail message: from then on the message cannot be changed.'],
      about: ['Its opening sets the rule off. The user has to be able to access the message.'],
      example: CREATE,
    },
  },
});
