import type { folder as declaration } from '../resources/folder.ts';
import type { ExplanationOf } from './explanation.ts';

export const folder: ExplanationOf<typeof declaration> = {
  sections: 'folder; Endpoints, folder; Errors; Limits',
  about: [
    'A folder groups lists. It may be empty or hold any number of them. Lists and subscriptions can be moved between folders, but not through this interface, which does not cover lists.',
    'A user can be restricted to some folders. Lists in other folders are hidden from that user, which also affects subscriptions, forms and rules that refer to them.',
  ],
  traps: [
    'Deleting a folder deletes its lists, as if you deleted each one. Rules that use those lists are paused.',
    'The name of a folder must never be made public.',
    'A folder with a permanent list cannot be deleted. Nor can a folder while a task is scheduled to one of its lists, and for 72 hours after one was sent.',
  ],
  refusals: [
    '423 subcode 4, "Folder … or one of its lists is to be or has been targeted": a task is scheduled to a list of the folder, or was sent to one in the last 72 hours.',
    '423 subcode 5, "Folder contains List … which is permanent": the folder holds a permanent list.',
  ],
  fields: {
    id: { example: 'folder get 12' },
    list_count: { about: ['Deleting the folder deletes all of these lists.'] },
    name: {
      traps: [
        'The name must never be made public.',
        'Its length is counted in octets, not in characters: an é takes two octets in UTF-8, an emoji four.',
      ],
      about: [
        'The interface does not say that names are unique. In the sandbox, several folders can have the same name.',
      ],
      flags: ['key'],
    },
    subscription_count: {
      traps: ['It counts subscriptions, not people: a person on two lists of the folder counts twice.'],
    },
  },
};
