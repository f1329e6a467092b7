import type { sms as declaration } from '../resources/sms.ts';
import type { ExplanationOf } from './explanation.ts';

export const sms: ExplanationOf<typeof declaration> = {
  sections: 'sms; States and transitions; Endpoints, sms; Limits',
  about: [
    'One SMS to one number, sent at once or at a set time. It is not part of a task and needs neither a list nor a stored message.',
  ],
  traps: [
    'Without senddate, or with null, it is sent at once.',
    'It cannot be recalled: there is neither PUT nor DELETE, even before its time.',
    'A text of more than 160 GSM characters is sent in parts, and each costs a credit: about 306 characters are 2 credits, about 459 are 3.',
    'No contact and no bounce is recorded. The only sign of a failure is failed, and an SMS that cannot be delivered to a valid number times out only after two weeks.',
    'The interface does not say that a single SMS honours Do Not Contact. In the sandbox, an SMS to a number on it fails. Check first with svc dnc check.',
  ],
  permissions: ['The admin sees the SMS of all users. A sub-user sees their own.'],
  states: [
    'Awaiting dispatch: dispatched is false.',
    'From there to dispatched or failed: the interface does not show how. What cannot be delivered to a valid number times out after two weeks.',
  ],
  fields: {
    msisdn: {
      traps: [
        'The interface does not say whether Do Not Contact applies to a single SMS. In the sandbox, an SMS to a number on it fails.',
      ],
      about: ['svc takes digits with the country code; a leading + is dropped.'],
      example: 'sms send --to 447700900123 --from Example --text "Your parcel is here" --now',
    },
    dispatched: {
      traps: [
        'Dispatched does not mean delivered: an SMS that cannot be delivered to a valid number times out only after two weeks.',
      ],
      about: ['The interface does not say when it becomes true.'],
    },
    failed: {
      traps: [
        'False does not prove delivery: an SMS that cannot be delivered to a valid number times out only after two weeks.',
      ],
      about: ['No bounce is recorded.'],
    },
    fromaddress: {
      example: 'sms send --to 447700900123 --from Example --text "Your parcel is here" --now',
    },
    message: {
      traps: [
        'Each part costs a credit: about 160 GSM characters fit one part, about 306 two, about 459 three.',
        'The interface counts only GSM characters. One character outside the GSM alphabet, such as an emoji, makes the sandbox count in UCS-2: 70 characters for one part, 67 for each of several. svc sms estimate counts the parts of a text.',
      ],
      example: 'sms estimate --text "Your parcel is here"',
    },
    senddate: {
      traps: [
        'If it is null or omitted, the SMS is sent at once. svc sms send does so only with --now.',
        'The interface does not say what happens with a past time. The sandbox sends at once. svc rejects it, as for tasks.',
        'It cannot be changed later, and the SMS cannot be recalled.',
      ],
      about: [
        'A local time is read in --tz, else in the zone of the profile or of the company, never in the zone of this machine.',
      ],
      flags: ['now'],
      example: 'sms send --to 447700900123 --from Example --text "Your parcel is here" --at "tomorrow 9:00"',
    },
    user_id: { about: ['The service fills it in with the user who makes the request.'] },
  },
};
