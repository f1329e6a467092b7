/** Finds the verbs of each noun: one for each method of the interface, and additional verbs of some resources. */
import type { Method, Resource } from '../../kit/schema/resource.ts';
import type { Verb } from '../command/command.ts';
import { createVerbToListRecords } from '../nouns/generic/list.ts';
import { createVerbToCheckRecordExists, createVerbToGetRecord } from '../nouns/generic/read.ts';
import {
  createVerbToCreateRecord,
  createVerbToDeleteRecord,
  createVerbToUpdateRecord,
} from '../nouns/generic/write.ts';

/** Functions that load the additional verbs of each noun. A verb with the name of a usual verb replaces it. */
const ADDITIONAL_VERBS: Readonly<Record<string, () => Promise<readonly Verb[]>>> = {
  account: async () => [(await import('../nouns/account/create.ts')).accountCreate],
  features: async () => (await import('../nouns/features/verbs.ts')).featuresVerbs,
  user: async () => [(await import('../nouns/user/whoami.ts')).whoami],
  sms: async () => (await import('../nouns/sms/verbs.ts')).smsVerbs,
  'sms-message': async () => (await import('../nouns/message/sms-message-verbs.ts')).smsMessageVerbs,
  email: async () => (await import('../nouns/message/email-verbs.ts')).emailVerbs,
  task: async () => {
    const { taskVerbs } = await import('../nouns/task/verbs.ts');
    const { createTaskCalendar } = await import('../nouns/task/calendar.ts');
    const { campaignsOfCalendar } = await import('./calendar-campaigns.ts');
    return [...taskVerbs, createTaskCalendar(campaignsOfCalendar)];
  },
  dnc: async () => (await import('../nouns/dnc/verbs.ts')).dncVerbs,
  'subscriber-data': async () => (await import('../nouns/subscriber-data/verbs.ts')).subscriberDataVerbs,
};

export async function loadVerbsOfNoun(
  noun: string,
  resources: readonly Resource[],
): Promise<readonly Verb[]> {
  const [resource] = resources;
  if (resources.length > 1 || !resource)
    return (await import('../nouns/automation/verbs.ts')).automationVerbs;
  const verbs = new Map(usualVerbs(resource).map((verb) => [verb.name, verb]));
  for (const verb of (await ADDITIONAL_VERBS[noun]?.()) ?? []) verbs.set(verb.name, verb);
  return [...verbs.values()];
}

function usualVerbs(resource: Resource): readonly Verb[] {
  const { methods, single, announced = [] } = resource;
  return [
    ...(single ? [] : [createVerbToListRecords(resource)]),
    createVerbToGetRecord(resource),
    ...(methods.head ? [createVerbToCheckRecordExists(resource)] : []),
    ...(methods.post ? [createVerbToCreateRecord(resource)] : []),
    ...(methods.put ? [createVerbToUpdateRecord(resource)] : []),
    ...(methods.delete ? [createVerbToDeleteRecord(resource)] : []),
    ...announced.map((method) => announcedVerb(resource, method)),
  ].filter((verb) => !hasSpecialVerb(resource, verb.name));
}

/** Reports whether a resource replaces the usual verb with its own: `sms` has `send` instead of `create`. */
function hasSpecialVerb({ verbs = {} }: Resource, name: string): boolean {
  const { post, put, delete: del } = verbs;
  return (
    (name === 'update' && put !== undefined) || (name === 'delete' && del !== undefined) || post === name
  );
}

function announcedVerb(resource: Resource, method: Method): Verb {
  const name = method === 'POST' ? 'create' : 'update';
  return {
    name,
    summary: 'Not available yet: the service has only announced this function',
    example: `${resource.noun} list`,
    work: method === 'POST' ? 'creates' : 'changes',
    methods: [method],
    announced: `svc ${resource.noun} ${name} is not available yet: the service has only announced it`,
    flags: [],
    run: () => Promise.reject(new Error('an announced verb must not run')),
  };
}
