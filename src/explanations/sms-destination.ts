import type { smsDestination as declaration } from '../resources/sms-destination.ts';
import type { ExplanationOf } from './explanation.ts';

export const smsDestination: ExplanationOf<typeof declaration> = {
  sections: 'smsDestination; Endpoints, smsDestination; Limits',
  about: [
    'A number or shortcode that receives SMS for the company. Rules of kind sms (svc explain automation sms) act on the messages it accepts.',
  ],
  traps: [
    'Once a keyword is set, only SMS that begin with it are accepted.',
    'This interface can neither create nor delete a destination. It can only change the keyword.',
  ],
  permissions: ['Only the admin can set the keyword.'],
  fields: {
    keyword: {
      traps: [
        'Only SMS that begin with it are accepted. If you change it, SMS with the old keyword are no longer accepted.',
        'Its limits differ from those of a rule keyword: 4 to 64 characters without spaces here, 1 to 32 letters and digits there.',
      ],
      about: [
        'Case does not matter. It is null at first.',
        'The interface does not say what a destination without a keyword accepts. In the sandbox, it accepts every SMS and compares the first word of the text.',
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
