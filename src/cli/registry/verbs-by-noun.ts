/** The verbs of each noun: one for every method that the interface has, and those that a resource has besides. */
import type { Method, Resource } from '../../schema/resource.ts';
import type { Verb } from '../command/command.ts';
import { accountCreate } from '../nouns/account/create.ts';
import { automationVerbs } from '../nouns/automation/verbs.ts';
import { dncAdd } from '../nouns/dnc/add.ts';
import { dncCheck } from '../nouns/dnc/check.ts';
import { dncDiff } from '../nouns/dnc/diff.ts';
import { dncExport } from '../nouns/dnc/export.ts';
import { dncGet, dncRemove } from '../nouns/dnc/get-remove.ts';
import { dncImport } from '../nouns/dnc/import.ts';
import { featuresSet } from '../nouns/features/set.ts';
import { createVerb } from '../nouns/generic/create.ts';
import { deleteVerb } from '../nouns/generic/delete.ts';
import { existsVerb } from '../nouns/generic/exists.ts';
import { getVerb } from '../nouns/generic/get.ts';
import { listVerb } from '../nouns/generic/list.ts';
import { updateVerb } from '../nouns/generic/update.ts';
import { emailLint } from '../nouns/message/email-lint.ts';
import { emailPreview } from '../nouns/message/email-preview.ts';
import { smsMessageLint } from '../nouns/message/sms-message-lint.ts';
import { smsEstimate, smsSend } from '../nouns/sms/send.ts';
import {
  subscriberDataDelete,
  subscriberDataSet,
  subscriberDataUpdate,
} from '../nouns/subscriber-data/verbs.ts';
import { taskCancel } from '../nouns/task/cancel.ts';
import { taskCreate } from '../nouns/task/create.ts';
import { taskGet } from '../nouns/task/get.ts';
import { taskGuard } from '../nouns/task/guard.ts';
import { taskReport } from '../nouns/task/report.ts';
import { taskUndo } from '../nouns/task/undo.ts';
import { taskUpdate } from '../nouns/task/update.ts';
import { taskWait } from '../nouns/task/wait.ts';
import { taskWatch } from '../nouns/task/watch.ts';
import { whoami } from '../nouns/user/whoami.ts';

/** A verb of the same name takes the place of the one from the declaration. */
const own: Readonly<Record<string, readonly Verb[]>> = {
  account: [accountCreate],
  features: [featuresSet],
  user: [whoami],
  sms: [smsSend, smsEstimate],
  'sms-message': [smsMessageLint],
  email: [emailLint, emailPreview],
  task: [taskGet, taskCreate, taskUpdate, taskCancel, taskUndo, taskWait, taskWatch, taskGuard, taskReport],
  dnc: [dncGet, dncAdd, dncRemove, dncCheck, dncDiff, dncImport, dncExport],
  'subscriber-data': [subscriberDataSet, subscriberDataUpdate, subscriberDataDelete],
};

export function verbsOf(noun: string, resources: readonly Resource[]): readonly Verb[] {
  const [resource] = resources;
  if (resources.length > 1 || !resource) return automationVerbs(resources);
  const verbs = new Map(declared(resource).map((verb) => [verb.name, verb]));
  for (const verb of own[noun] ?? []) verbs.set(verb.name, verb);
  return [...verbs.values()];
}

function declared(resource: Resource): readonly Verb[] {
  const { methods, single, announced = [] } = resource;
  return [
    ...(single ? [] : [listVerb(resource)]),
    getVerb(resource),
    ...(methods.head ? [existsVerb(resource)] : []),
    ...(methods.post ? [createVerb(resource)] : []),
    ...(methods.put ? [updateVerb(resource)] : []),
    ...(methods.delete ? [deleteVerb(resource)] : []),
    ...announced.map((method) => announcedVerb(resource, method)),
  ].filter((verb) => !isRenamed(resource, verb.name));
}

/** `sms create`, `dnc delete` and the like have another name there, and a verb of their own. */
function isRenamed({ verbs = {} }: Resource, name: string): boolean {
  const { post, put, delete: del } = verbs;
  return (
    (name === 'update' && put !== undefined) || (name === 'delete' && del !== undefined) || post === name
  );
}

function announcedVerb(resource: Resource, method: Method): Verb {
  const name = method === 'POST' ? 'create' : 'update';
  return {
    name,
    summary: 'Announced, not available yet',
    example: `${resource.noun} list`,
    announced: `svc ${resource.noun} ${name}: announced, not available yet`,
    flags: [],
    run: () => Promise.reject(new Error('never run')),
  };
}
