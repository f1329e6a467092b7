import type { task as declaration } from '../resources/task.ts';
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
    'The service accepts a past scheduledtime: it becomes the present time, and the task is sent at once. svc rejects such a time; use --now to send at once.',
    'A completed task cannot be cancelled, and no task can be deleted.',
    'A task is charged when it is sent, not when you create it. Make sure that credits, quota or overage suffice by then. --check-credits compares the cost with the balance beforehand.',
    'size is counted when the task is made. The recipients can differ from it if subscriptions change before the end of the task.',
    'Creating a task locks its message: the message cannot be changed any more, and no request unlocks it. Deleting the message does not stop the task. To stop it, cancel the task.',
    'Exactly one of list_id and search_id has a value, both when you create and when you change the task.',
    'channel, message_id and rate are fixed when you create the task: PUT does not accept them.',
  ],
  permissions: [
    'A user without the right to view all messages sees only tasks with messages that they created. For such a user, an empty list does not mean that nothing is scheduled.',
  ],
  states: [
    'Scheduled: cancelled and completed are false.',
    'From scheduled to cancelled: PUT with cancelled true (svc task cancel) while the task is not completed. endtime is set.',
    'From scheduled to completed: the task is sent. The interface does not show how and when completed and endtime are set.',
    'From completed to cancelled: always refused. The interface does not show the response; the sandbox responds to any change of a completed or cancelled task with 409.',
    'While a task is scheduled to a list, and for 72 hours after one was sent to it, the folder of that list cannot be deleted.',
  ],
  fields: {
    id: { about: ['An e-mail message that is sent has its links under this id: svc link list --task 12.'] },
    cancelled: {
      traps: [
        'It stops a task that is not completed. The interface does not say what happens to messages already delivered; in the sandbox they stay delivered.',
        'A cancellation is final: the interface shows no change from cancelled to scheduled, and the sandbox rejects it with 409. Create a new task instead.',
      ],
      about: [
        'Setting it to true cancels the task and sets endtime. svc task cancel does that, and asks first.',
      ],
      example: 'task cancel 12',
    },
    channel: {
      traps: ['It cannot be changed once the task exists.'],
      about: [
        'It says whether message_id is the id of an e-mail message or of an SMS message. The sandbox rejects a message of the other channel with 400.',
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
        'True does not mean that everyone in size received the message: the interface does not count sent messages.',
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
      traps: ['A cancellation sets it too: only completed means that the task was sent.'],
      about: ['Null until the task is completed or cancelled.'],
      example: 'task list --sort endtime --reverse',
    },
    list_id: {
      traps: [
        'Exactly one of list_id and search_id holds a value. To change from a search to a list, set search_id to null in the same request; svc task update does this for you.',
      ],
      about: ['The sandbox counts size again when the list is changed.'],
      example: 'task update 12 --list 7',
    },
    message_id: {
      traps: [
        'Creating a task locks its message: a PUT of the message is refused with 423 subcode 10.',
        'It cannot be changed once the task exists. To send another message, cancel this task and create a new one.',
        'Deleting the message does not stop the task: it is hidden from GET, but the task can still send it.',
      ],
      about: ['An e-mail message if channel is email, an SMS message if it is sms.'],
      example:
        'task create --name "Spring sale" --channel email --message "Spring sale" --list 7 --at "tomorrow 9:00"',
    },
    name: {
      about: [
        'The interface does not say that names are unique. If several tasks have the same name, use the id.',
      ],
      flags: ['key'],
    },
    rate: {
      traps: [
        'The unit is messages an hour, not a minute or a second: 10,000 recipients at a rate of 1000 take ten hours.',
        'It can be set only when you create the task: PUT does not accept it.',
      ],
      about: ['If it is null or omitted, there is no maximum.'],
      example:
        'task create --name "Spring sale" --channel email --message "Spring sale" --list 7 --at "tomorrow 9:00" --rate 1000',
    },
    scheduledtime: {
      traps: [
        'A past time means now: the service accepts it and sets it to the present time. A mistake in the year or zone sends at once.',
        'PUT works the same way: a past time sends a scheduled task at once.',
        'The unit is seconds. A number in milliseconds is tens of thousands of years ahead, and the task is never sent.',
        'It is the planned start. Processing can begin later, and no field shows the actual start.',
      ],
      about: [
        'svc rejects a time in the past, less than 2 minutes or more than 2 years ahead, or in milliseconds; use --now to send at once. Before sending, it shows the time on stderr in UTC, in the zone of the company and in yours.',
        'A local time such as "2026-12-01 09:00" is read in --tz, else in the zone of the profile or of the company, never in the zone of this machine.',
      ],
      flags: ['now', 'hold'],
      example:
        'task create --name "Spring sale" --channel email --message "Spring sale" --list 7 --at "tomorrow 9:00"',
    },
    search_id: {
      traps: [
        'Exactly one of list_id and search_id holds a value. To change from a list to a search, set list_id to null in the same request; svc task update does this for you.',
      ],
      about: [
        'It is required when you create a task, but can be null. svc sends null if you omit it. The interface describes searches elsewhere, so it shows only their ids. Unlike list_id, it is not a filter.',
      ],
      example:
        'task create --name "Spring sale" --channel email --message "Spring sale" --search 3 --at "tomorrow 9:00"',
    },
    size: {
      traps: [
        'It is counted when the task is made. The number of recipients can differ from it if subscriptions change before endtime.',
        'It is known only once the task exists. svc task create --expect-size creates the task, reads its size, and cancels it if the size is outside the range.',
      ],
      flags: ['expect-size', 'check-credits'],
      example:
        'task create --name "Spring sale" --channel email --message "Spring sale" --list 7 --at "tomorrow 9:00" --expect-size 0..11000',
    },
    splittest_id: {
      about: ['The interface describes split tests elsewhere and shows only their ids.'],
    },
  },
};
