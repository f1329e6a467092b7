import type { task as declaration } from '../resources/task.ts';
import type { ExplanationOf } from './explanation.ts';

const statistic = (otherChannel: string) => ({
  traps: [
    `Null does not mean 0. Null means that the channel of the task does not have this statistic: for example, in every task that sends ${otherChannel}.`,
  ],
  about: ['Each recipient counts once in this statistic. Tasks of both channels have this field.'],
  example: 'task report 12',
});

export const task: ExplanationOf<typeof declaration> = {
  sections: 'task; States and transitions; Endpoints, task',
  about: [
    'A task sends one e-mail or SMS message, at a set time, to the subscribers of a list or saved search. The task also records that each recipient was contacted.',
  ],
  traps: [
    'The service accepts a scheduledtime in the past: it replaces the time with the present time, and sends the task at once. svc rejects such a time; use --now to send at once.',
    'A completed task cannot be cancelled, and no task can be deleted.',
    'Credits are charged when a task is sent, not when you create it. Make sure that credits, a quota or an overdraft (overage) suffice at that time. --check-credits compares the cost with the balance beforehand.',
    'The service sets size when you create the task: the number of subscriptions at that time. The number of actual recipients can differ if people subscribe or unsubscribe before the task ends.',
    'Creating a task locks its message: the message cannot be changed any more, and no request unlocks it. Deleting the message does not stop the task. To stop it, cancel the task.',
    'A task must have a value in exactly one of list_id and search_id. This rule applies when you create a task, and also when you change it.',
    'channel, message_id and rate are fixed when you create the task: PUT does not accept them.',
  ],
  permissions: [
    'A user without the right to view all messages sees only tasks whose messages they created. If such a user gets an empty list, other tasks may still be scheduled.',
  ],
  states: [
    'Scheduled: cancelled and completed are false.',
    'From scheduled to cancelled: PUT with cancelled true (svc task cancel) while the task is not completed. endtime is set.',
    'From scheduled to completed: the service sends the task. The interface document does not show how and when the service sets the fields "completed" and "endtime".',
    'From completed to cancelled: always refused. The interface document does not show the response; the sandbox responds to any change of a completed or cancelled task with 409.',
    'While a task is scheduled to a list, and for 72 hours after a task was sent to the list, the folder of that list cannot be deleted.',
  ],
  fields: {
    id: {
      about: ['To list the links of a sent e-mail message, use the id of the task: svc link list --task 12.'],
    },
    cancelled: {
      traps: [
        'Cancelling stops a task that is not completed. The interface document does not say what happens to messages already delivered; in the sandbox they stay delivered.',
        'A cancellation is final: the interface shows no change from cancelled to scheduled, and the sandbox rejects it with 409. Create a new task instead.',
      ],
      about: [
        'If you set cancelled to true, the service cancels the task and sets endtime. Use svc task cancel, which asks for confirmation first.',
      ],
      example: 'task cancel 12',
    },
    channel: {
      traps: ['The channel of a task cannot be changed after the task is created.'],
      about: [
        'The channel says whether message_id is the id of an e-mail message or of an SMS message. The sandbox rejects a message of the other channel with 400.',
      ],
      values: {
        email: 'The task sends an e-mail message: message_id is its id (svc email list).',
        sms: 'The task sends an SMS message: message_id is its id (svc sms-message list).',
      },
      example:
        'task create --name "Spring sale" --channel email --message "Spring sale" --list 7 --at "tomorrow 9:00"',
    },
    completed: {
      traps: [
        'A completed task can have reached fewer or more recipients than size says. The interface does not count sent messages.',
      ],
      about: [
        'A completed task cannot be cancelled. The interface document does not say how or when the service sets the field completed to true.',
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
      traps: [
        'The service also sets endtime when a task is cancelled. Only the field completed shows that the task was sent.',
      ],
      about: ['endtime is null until the task is completed or cancelled.'],
      example: 'task list --sort endtime --reverse',
    },
    list_id: {
      traps: [
        'Exactly one of list_id and search_id has a value. To change from a search to a list, set search_id to null in the same request; svc task update does this for you.',
      ],
      about: [
        'If you change the list of a task, the sandbox counts the recipients of the task (size) again.',
      ],
      example: 'task update 12 --list 7',
    },
    message_id: {
      traps: [
        'Creating a task locks the message of the task. The service then rejects changes to the message with 423 subcode 10.',
        'The message of a task cannot be changed. To send another message, cancel this task and create a new one.',
        'Deleting the message does not stop the task: GET no longer returns the message, but the task can still send it.',
      ],
      about: [
        'The message_id is the id of an e-mail message if channel is email, or of an SMS message if channel is sms.',
      ],
      example:
        'task create --name "Spring sale" --channel email --message "Spring sale" --list 7 --at "tomorrow 9:00"',
    },
    name: {
      about: [
        'The interface document does not say that names are unique. If several tasks have the same name, use the id.',
      ],
      flags: ['key'],
    },
    rate: {
      traps: [
        'The unit of rate is messages per hour: a task with 10,000 recipients and a rate of 1000 takes ten hours.',
        'You can set the rate only when you create the task: PUT does not accept it.',
      ],
      about: ['If rate is null or omitted, there is no maximum rate.'],
      example:
        'task create --name "Spring sale" --channel email --message "Spring sale" --list 7 --at "tomorrow 9:00" --rate 1000',
    },
    scheduledtime: {
      traps: [
        'If scheduledtime is in the past, the service replaces it with the present time and sends the task at once. A wrong year or time zone can therefore cause an immediate send.',
        'If you change the scheduledtime of an existing task (PUT) to a time in the past, the service sends the task at once.',
        'The unit of scheduledtime is seconds. If you give milliseconds, the time is tens of thousands of years ahead, and the task is never sent.',
        'The time in scheduledtime is the planned start. Sending can begin later, and no field shows the actual start.',
      ],
      about: [
        'svc rejects a time that is in the past, less than 2 minutes ahead, or more than 2 years ahead. svc also rejects a Unix time in milliseconds. To send at once, use --now. Before sending, svc shows the time on stderr in UTC, in the time zone of the company, and in your own time zone.',
        'svc reads a local time such as "2026-12-01 09:00" in the time zone of --tz, or else of the profile or the company. It never uses the time zone of this machine.',
      ],
      flags: ['now', 'hold'],
      example:
        'task create --name "Spring sale" --channel email --message "Spring sale" --list 7 --at "tomorrow 9:00"',
    },
    search_id: {
      traps: [
        'Exactly one of list_id and search_id has a value. To change from a list to a search, set list_id to null in the same request; svc task update does this for you.',
      ],
      about: [
        'The field search_id is required when you create a task, but can be null. svc sends null if you omit it. The interface shows only the ids of searches, and has no requests to create or read searches. You cannot filter tasks by search_id.',
      ],
      example:
        'task create --name "Spring sale" --channel email --message "Spring sale" --search 3 --at "tomorrow 9:00"',
    },
    size: {
      traps: [
        'The service counts the subscriptions when you create the task, and sets size to that number. The number of recipients can differ if people subscribe or unsubscribe before the task ends.',
        'You can see size only after the task is created. svc task create --expect-size 9000..11000 creates the task, reads its size, and cancels the task if the size is outside this range.',
      ],
      flags: ['expect-size', 'check-credits'],
      example:
        'task create --name "Spring sale" --channel email --message "Spring sale" --list 7 --at "tomorrow 9:00" --expect-size 0..11000',
    },
    splittest_id: {
      about: [
        'The interface shows only the ids of split tests, and has no requests to create or read split tests.',
      ],
    },
  },
};
