import type { form as declaration } from '../form.ts';
import type { ExplanationOf } from './explanation.ts';

export const form: ExplanationOf<typeof declaration> = {
  sections: 'form (limited attributes); Endpoints, form; Versioning',
  about: [
    'A form by which people subscribe. The interface shows few of its attributes, and lets forms be read and deleted. POST and PUT are announced as coming soon; what they will take is not shown.',
  ],
  traps: ['Legacy forms are not returned: an empty list does not mean that the company has no forms.'],
  permissions: [
    'A user who is not the admin can delete only the forms that they created.',
    'With folder restriction on, a user who is not the admin gets only the forms that they created.',
  ],
  fields: {
    suppressoptin: {
      traps: ['It is a number, not true or false.'],
      about: ['While it is set, somebody who has a subscription already is sent no opt-in e-mail.'],
    },
    user_id: {
      traps: [
        'The overview of the interface says that forms can be filtered by it, while the table of fields does not mark it so, and HEAD does not take it.',
      ],
      about: ['It decides who may delete the form: its creator or the admin.'],
    },
  },
};
