import type { clickAutomation as declaration } from '../click-automation.ts';
import type { ExplanationOf } from './explanation.ts';
import { explainTimed } from './timed-automation.ts';

const NOTIFY = '--actiontype notify --actiontarget office@example.com';

export const clickAutomation: ExplanationOf<typeof declaration> = explainTimed('click', {
  about: ['A rule that acts when a subscriber clicks a link: one certain link, or any link of one message.'],
  create: `automation create --kind click --name "Clicked sale" --message "Spring sale" ${NOTIFY}`,
  fields: {
    link_id: {
      traps: [
        'At most one of link_id and message_id holds a value. With neither the rule could match nothing, so svc and the sandbox refuse it.',
        'It locks the e-mail message of the link: from then on the message cannot be changed.',
      ],
      about: [
        'Both keys are required when a rule is made, though they may be null; svc sends null for the one that is not given.',
        'The link has to belong to a message that the user can access. svc link list shows the links of a message with their ids.',
      ],
      example: `automation create --kind click --name "Clicked sale" --link 12 ${NOTIFY}`,
    },
    message_id: {
      traps: [
        'At most one of link_id and message_id holds a value. With neither the rule could match nothing, so svc and the sandbox refuse it.',
        'It locks the e-mail message: from then on the message cannot be changed.',
      ],
      about: [
        'The user has to be able to access the message.',
        'Both keys are required when a rule is made, though they may be null; svc sends null for the one that is not given.',
      ],
      example: `automation create --kind click --name "Clicked sale" --message "Spring sale" ${NOTIFY}`,
    },
  },
});
