import type { smsDestination as declaration } from '../sms-destination.ts';
import type { ExplanationOf } from './explanation.ts';

export const smsDestination: ExplanationOf<typeof declaration> = {
  sections: 'smsDestination; Endpoints, smsDestination; Limits',
  about: [
    'A number or shortcode that receives SMS for the company. Rules of kind sms (svc explain automation sms) act on what it accepts.',
  ],
  traps: [
    'Once a keyword is set, the SMS that are accepted are those that begin with it.',
    'A destination can be neither made nor deleted by this interface; all that can be changed is its keyword.',
  ],
  permissions: ['Only the admin can set the keyword.'],
  fields: {
    keyword: {
      traps: [
        'It decides which SMS are accepted: those that begin with it. Changing it shuts out people who write the former one.',
        'It has other bounds than the keyword of a rule: 4 to 64 characters without spaces here, 1 to 32 letters and digits there.',
      ],
      about: [
        'Case does not matter. It is null at first.',
        'The interface does not say what a destination without a keyword accepts. In the sandbox it accepts every SMS, and the first word of the text is compared.',
      ],
      example: 'sms-destination update 12 --keyword SALE',
    },
    destination: {
      about: ['An MSISDN, which is a number with its country code, or a shortcode. isshortcode says which.'],
    },
    isshortcode: { about: ['False where the destination is an MSISDN.'] },
    mdate: { about: ['Null at first.'] },
  },
};
