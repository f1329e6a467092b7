import type { doNotContact as declaration } from '../resources/do-not-contact.ts';
import type { ExplanationOf } from './explanation.ts';

export const doNotContact: ExplanationOf<typeof declaration> = {
  sections: 'doNotContact; Endpoints, doNotContact',
  about: [
    'The suppression list of the company: e-mail addresses, domain names and numbers. People who unsubscribe are added to it by the service.',
    'The service checks the list whenever a subscriber is added or imported. It rejects a subscriber whose e-mail address, number or domain is on it.',
  ],
  traps: [
    'Adding an entry deletes every subscriber who matches it. A domain name deletes every subscriber with an address in that domain.',
    'Removing an entry does not restore deleted subscribers. It only allows adding them again, including people who had unsubscribed.',
    'An entry cannot be changed: remove it and add another one. Adding that one deletes matching subscribers again.',
    'DELETE takes id or contactdata, never both.',
  ],
  fields: {
    id: {
      traps: ['DELETE takes either id or contactdata, not both.'],
      about: [
        'svc dnc remove reads a plain number as a phone number if it has 7 or more digits, and otherwise as an id. --id always means an id.',
      ],
      example: 'dnc remove --id 12 --yes',
    },
    contactdata: {
      traps: [
        'Adding it deletes every subscriber with this e-mail address or number, or with an address in this domain. For a domain, svc asks you to type it; without a terminal, use --yes and --domain-ok.',
        'Removing it does not bring those subscribers back.',
      ],
      about: [
        'Once it is on the list, matching subscribers cannot be added or imported.',
        'The interface does not say how domains match. In the sandbox they match exactly, ignoring case: example.com does not match mail.example.com.',
      ],
      flags: ['domain-ok'],
      example: 'dnc add someone@example.com --yes',
    },
  },
};
