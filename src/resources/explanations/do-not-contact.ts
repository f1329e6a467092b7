import type { doNotContact as declaration } from '../do-not-contact.ts';
import type { ExplanationOf } from './explanation.ts';

export const doNotContact: ExplanationOf<typeof declaration> = {
  sections: 'doNotContact; Endpoints, doNotContact',
  about: [
    'The suppression list of the company: e-mail addresses, domain names and numbers. People who unsubscribe are added to it by the service.',
    'The list is looked at whenever a subscriber is added or imported. A subscriber whose e-mail address or number is on it, or whose domain is, is refused.',
  ],
  traps: [
    'Adding an entry deletes every subscriber who matches it. A domain name deletes everybody with an address there.',
    'Removing an entry brings none of the deleted subscribers back. It only lets them be added again, those who had unsubscribed among them.',
    'An entry cannot be changed: remove it and add another one. What adding the other one deletes is deleted all the same.',
    'DELETE takes id or contactdata, never both.',
  ],
  fields: {
    id: {
      traps: ['id and contactdata exclude each other in DELETE: the entry is named by one of them.'],
      about: [
        'svc dnc remove takes a bare number for a phone number, not for an id, unless it has fewer than 7 digits. --id says that it is an id.',
      ],
      example: 'dnc remove --id 12 --yes',
    },
    contactdata: {
      traps: [
        'Adding it deletes every subscriber with this e-mail address or number, and for a domain name everybody at that domain. svc asks for a domain to be typed, and elsewhere than on a terminal needs --yes and --domain-ok.',
        'Removing it does not bring those subscribers back.',
      ],
      about: [
        'Once it is on the list, nobody who matches can be added or imported as a subscriber.',
        'The interface does not say how domains match. In the sandbox they match exactly, without regard to case: example.com says nothing of mail.example.com.',
      ],
      flags: ['domain-ok'],
      example: 'dnc add someone@example.com --yes',
    },
  },
};
