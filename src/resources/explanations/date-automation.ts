import type { dateAutomation as declaration } from '../date-automation.ts';
import type { ExplanationOf } from './explanation.ts';
import { explainTimed } from './timed-automation.ts';

export const dateAutomation: ExplanationOf<typeof declaration> = explainTimed('date', {
  about: [
    'A rule that acts before, on or after a date. actiontimediff says how long before (negative) or after.',
    'The interface does not say which date of a subscriber it is, and no field names one. In the sandbox svc sandbox event date sets it.',
  ],
  traps: [
    'A negative actiontimediff acts before the date and a positive one after it: a forgotten minus sign acts on the wrong side of the date.',
  ],
  create:
    'automation create --kind date --name "Renewal" --actiontype notify --actiontarget office@example.com',
  fields: {},
});
