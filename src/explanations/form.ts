import type { form as declaration } from '../resources/form.ts';
import type { ExplanationOf } from './explanation.ts';

export const form: ExplanationOf<typeof declaration> = {
  sections: 'form (limited attributes); Endpoints, form; Versioning',
  about: [
    'A form that people subscribe with. The interface shows few of its attributes. You can read and delete forms; POST and PUT are announced but not described.',
  ],
  traps: ['Legacy forms are not returned: an empty list does not mean that the company has no forms.'],
  permissions: [
    'A user who is not the admin can delete only the forms that they created.',
    'With folder restriction on, a user who is not the admin gets only the forms that they created.',
  ],
  fields: {
    suppressoptin: {
      traps: ['It is a number, not true or false.'],
      about: ['While it is set, people who are subscribed get no opt-in e-mail.'],
    },
    user_id: {
      traps: [
        'The overview of the interface says that forms can be filtered by it, but the table of fields does not mark it, and HEAD does not accept it.',
      ],
      about: ['Only the creator or the admin can delete the form.'],
    },
  },
};
