import type { subscriptionAutomation as declaration } from '../subscription-automation.ts';
import type { ExplanationOf } from './explanation.ts';
import { explainTimed } from './timed-automation.ts';

const CREATE =
  'automation create --kind subscription --name "New on the list" --list 7 --actiontype notify --actiontarget office@example.com';

export const subscriptionAutomation: ExplanationOf<typeof declaration> = explainTimed('subscription', {
  about: ['A rule that acts when a new subscription to a list is received.'],
  traps: [
    'removefromlist takes the subscription off the list in list_id, and its actiontarget has to be 0. copytolist and movetolist need another list than that one.',
  ],
  create: CREATE,
  fields: {
    list_id: {
      traps: [
        'For removefromlist this is the list that people are removed from.',
        'For copytolist and movetolist it has to differ from actiontarget.',
        'Deleting the list, or its folder, pauses the rule.',
      ],
      about: [
        'A new subscription to it sets the rule off. With folder restrictions it has to lie in a folder that the user can access.',
      ],
      example: CREATE,
    },
  },
});
