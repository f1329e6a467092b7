import type { task as declaration } from '../task.ts';
import type { ExplanationOf } from './explanation.ts';

const statistic = (otherChannel: string) => ({
  traps: [
    `Null is not 0: it means that the statistic does not apply to the channel, as in every task that sends ${otherChannel}.`,
  ],
  about: ['Each recipient counts once. Every task has this field, whatever its channel.'],
  example: 'task report 12',
});

export const task: ExplanationOf<typeof declaration> = {
  sections: 'task; States and transitions; Endpoints, task',
  about: [
    'A task sends one e-mail or SMS message to a list or a search at a set time, and records for each recipient that they were contacted.',
  ],
  traps: [
    'A scheduledtime that is past is not refused by the service: it becomes the present time, and the task goes out at once. svc refuses such a time; --now is its way to send at once.',
    'A completed task cannot be cancelled, and no task can be deleted.',
    'Nothing is charged when the task is made. It is charged when it is sent, and it is up to the sender that credits, quota or overage are enough then. --check-credits compares them with the balance beforehand.',
    'size is counted when the task is made. The recipients can differ from it if subscriptions change before the end of the task.',
    'From the moment the task exists its message cannot be changed. The interface shows nothing that makes it editable again. Deleting the message does not stop the task either: cancel the task.',
    'Exactly one of list_id and search_id holds a value, when the task is made and when it is changed.',
    'channel, message_id and rate are settled when the task is made: PUT takes none of them.',
  ],
  permissions: [
    'A user who may not view all messages sees only the tasks whose message that user created. For such a user an empty list does not mean that nothing is scheduled.',
  ],
  states: [
    'Scheduled: cancelled and completed are false.',
    'From scheduled to cancelled: PUT with cancelled true (svc task cancel) while the task is not completed. endtime is set.',
    'From scheduled to completed: by being sent. The interface does not show how and when completed and endtime are set.',
    'From completed to cancelled: refused, always. What the refusal looks like is not shown; the sandbox answers 409 to any change of a completed or cancelled task.',
    'While a task is scheduled to a list, and for 72 hours after one was sent to it, the folder of that list cannot be deleted.',
  ],
  fields: {
    id: { about: ['An e-mail message that is sent has its links under this id: svc link list --task 12.'] },
    cancelled: {
      traps: [
        'It stops a task that is not completed. The interface does not say what happens to messages that have gone out by then; in the sandbox they stay sent.',
        'There is no way back: the interface shows no change from cancelled to scheduled, and the sandbox refuses one with 409. Make a new task instead.',
      ],
      about: [
        'Setting it to true cancels the task and sets endtime. svc task cancel does that, and asks first.',
      ],
      example: 'task cancel 12',
    },
    channel: {
      traps: ['It cannot be changed once the task exists.'],
      about: [
        'It says whether message_id is the id of an e-mail message or of an SMS message. The sandbox refuses a message of the other channel with 400.',
      ],
      values: {
        email: 'message_id is an e-mail message (svc email list).',
        sms: 'message_id is an SMS message (svc sms-message list).',
      },
      example:
        'task create --name "Spring sale" --channel email --message "Spring sale" --list 7 --at "tomorrow 9:00"',
    },
    completed: {
      traps: [
        'True does not say that everybody in size was sent to: the interface has no count of what was sent.',
      ],
      about: [
        'From then on the task cannot be cancelled. The interface does not show how and when it becomes true.',
      ],
      example: 'task wait 12 --timeout 2h',
    },
    emailuniquebounces: statistic('SMS'),
    emailuniqueclicks: statistic('SMS'),
    emailuniqueopens: statistic('SMS'),
    emailuniqueunsubscriptions: statistic('SMS'),
    emailuniquecomplaints: statistic('SMS'),
    smsuniquebounces: statistic('e-mail'),
    endtime: {
      traps: ['It is set by a cancellation too: only completed says that the task was sent.'],
      about: ['Null until the task is completed or cancelled.'],
      example: 'task list --sort endtime --reverse',
    },
    list_id: {
      traps: [
        'Exactly one of list_id and search_id holds a value. To change from a search to a list set search_id to null in the same request; svc task update does so by itself.',
      ],
      about: ['The sandbox counts size again when the list is changed.'],
      example: 'task update 12 --list 7',
    },
    message_id: {
      traps: [
        'From the moment the task exists the message cannot be changed: PUT is refused with 423 subcode 10.',
        'It cannot be changed once the task exists. To send another message cancel this task and make a new one.',
        'Deleting the message does not stop the task: it is hidden from GET and stays available to the task.',
      ],
      about: ['An e-mail message where channel is email, an SMS message where it is sms.'],
      example:
        'task create --name "Spring sale" --channel email --message "Spring sale" --list 7 --at "tomorrow 9:00"',
    },
    name: {
      about: [
        'The interface does not say that names are unique. Where several tasks have one, name the task by its id.',
      ],
      flags: ['key'],
    },
    rate: {
      traps: [
        'The unit is messages an hour, not a minute or a second: 10,000 recipients at a rate of 1000 take ten hours.',
        'It can be set only when the task is made: PUT does not take it.',
      ],
      about: ['Left out or null sets no maximum.'],
      example:
        'task create --name "Spring sale" --channel email --message "Spring sale" --list 7 --at "tomorrow 9:00" --rate 1000',
    },
    scheduledtime: {
      traps: [
        'A time that is past is now: the service does not refuse it but sets it to the present time, so a slip of a year or of a zone sends at once.',
        'A change works the same: PUT with a past time makes a task that was still to come go out at once.',
        'It is counted in seconds. A number in milliseconds lies tens of thousands of years ahead, and nothing is ever sent.',
        'It is the time when the task is wanted to start, not when it did: the actual start of processing can be later, and no field shows it.',
      ],
      about: [
        'svc refuses a time that is past, less than 2 minutes ahead, more than 2 years ahead, or looks like milliseconds; --now is its way to send at once. It says on stderr what the time is in UTC, in the zone of the company and in yours before it is sent.',
        'A local time such as "2026-12-01 09:00" is read in --tz, else in the zone of the profile or of the company, never in that of this machine.',
      ],
      flags: ['now', 'hold'],
      example:
        'task create --name "Spring sale" --channel email --message "Spring sale" --list 7 --at "tomorrow 9:00"',
    },
    search_id: {
      traps: [
        'Exactly one of list_id and search_id holds a value. To change from a list to a search set list_id to null in the same request; svc task update does so by itself.',
      ],
      about: [
        'It is required when a task is made, though it may be null; svc sends null where it is not given. Searches are described elsewhere, so the interface shows only their ids. Unlike list_id it is no filter.',
      ],
      example:
        'task create --name "Spring sale" --channel email --message "Spring sale" --search 3 --at "tomorrow 9:00"',
    },
    size: {
      traps: [
        'It is counted when the task is made. The number of recipients can differ from it if subscriptions change before endtime.',
        'It is known only once the task exists. svc task create --expect-size makes the task, reads its size, and cancels it again outside the range.',
      ],
      flags: ['expect-size', 'check-credits'],
      example:
        'task create --name "Spring sale" --channel email --message "Spring sale" --list 7 --at "tomorrow 9:00" --expect-size 0..11000',
    },
    splittest_id: {
      about: ['Split tests are described elsewhere; the interface shows only their ids.'],
    },
  },
};
