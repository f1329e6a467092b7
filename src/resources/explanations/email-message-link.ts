import type { emailMessageLink as declaration } from '../email-message-link.ts';
import type { ExplanationOf } from './explanation.ts';

export const emailMessageLink: ExplanationOf<typeof declaration> = {
  sections: 'emailMessageLink (read-only); Endpoints, emailMessageLink',
  about: [
    'A link inside an e-mail message, which the service tracks. It can only be read: the service makes links when it rewrites the content of a message.',
  ],
  traps: [
    'A click rule names a link by its id, or all links of a message by the id of the message, never both. Take the ids from here, not from the HTML.',
  ],
  fields: {
    id: {
      about: ['It is what link_id of a click rule holds.'],
      example: 'link list --message "Spring sale"',
    },
    message_id: {
      about: ['It is also where the message id for a click rule can be found.'],
      example: 'link list --message "Spring sale"',
    },
    name: { about: ['Null where the link is not personalised, as far as the interface says.'] },
    target: {
      about: [
        'The address that a click leads to in the end; in the HTML that GET returns a tracking URI stands in its place.',
      ],
    },
    task_id: {
      about: [
        'The newest task of the message that is not cancelled; 0 while there is none. A filter by an earlier task of the message finds its links too.',
      ],
    },
    type: {
      values: { html: 'The link stands in the HTML part.', text: 'It stands in the plain-text part.' },
      example: 'link list --message "Spring sale" --type html',
    },
  },
};
