import type { emailMessageLink as declaration } from '../resources/email-message-link.ts';
import type { ExplanationOf } from './explanation.ts';

export const emailMessageLink: ExplanationOf<typeof declaration> = {
  sections: 'emailMessageLink (read-only); Endpoints, emailMessageLink',
  about: [
    'A tracked link in an e-mail message. Links are read-only: the service creates them when it rewrites the content of a message.',
  ],
  traps: [
    'A click rule names a link by its id, or all links of a message by the id of the message, never both. Take the ids from here, not from the HTML.',
  ],
  fields: {
    id: {
      about: ['Use it for link_id of a click rule.'],
      example: 'link list --message "Spring sale"',
    },
    message_id: {
      about: ['It is also where the message id for a click rule can be found.'],
      example: 'link list --message "Spring sale"',
    },
    name: { about: ['Null if the link is not personalised, as far as the interface says.'] },
    target: {
      about: ['The final address of a click. The HTML that GET returns has a tracking URI instead.'],
    },
    task_id: {
      about: [
        'The newest task of the message that is not cancelled, or 0. A filter by an earlier task of the message also finds its links.',
      ],
    },
    type: {
      values: { html: 'The link is in the HTML part.', text: 'The link is in the plain-text part.' },
      example: 'link list --message "Spring sale" --type html',
    },
  },
};
