/** The verbs of each noun: one for every method that the interface has, and those that a resource has besides. */
import type { Method, Resource } from '../schema/resource.ts';
import type { Verb } from './verb.ts';
import { automationVerbs } from './verbs/automation.ts';
import { createVerb } from './verbs/create.ts';
import { deleteVerb } from './verbs/delete.ts';
import { dncAdd, dncGet, dncRemove } from './verbs/dnc.ts';
import { dncCheck } from './verbs/dnc-check.ts';
import { dncDiff } from './verbs/dnc-diff.ts';
import { dncExport } from './verbs/dnc-export.ts';
import { dncImport } from './verbs/dnc-import.ts';
import { emailLint } from './verbs/email-lint.ts';
import { emailPreview } from './verbs/email-preview.ts';
import { existsVerb } from './verbs/exists.ts';
import { featuresSet } from './verbs/features-set.ts';
import { getVerb } from './verbs/get.ts';
import { listVerb } from './verbs/list.ts';
import { smsEstimate, smsSend } from './verbs/sms.ts';
import { smsMessageLint } from './verbs/sms-message-lint.ts';
import { subscriberDataDelete, subscriberDataSet, subscriberDataUpdate } from './verbs/subscriber-data.ts';
import { taskCreate, taskUpdate } from './verbs/task.ts';
import { taskCancel } from './verbs/task-cancel.ts';
import { taskGet } from './verbs/task-get.ts';
import { taskGuard } from './verbs/task-guard.ts';
import { taskReport } from './verbs/task-report.ts';
import { taskUndo } from './verbs/task-undo.ts';
import { taskWait } from './verbs/task-wait.ts';
import { taskWatch } from './verbs/task-watch.ts';
import { updateVerb } from './verbs/update.ts';
import { whoami } from './verbs/user-whoami.ts';

/** A verb of the same name takes the place of the one from the declaration. */
const own: Readonly<Record<string, readonly Verb[]>> = {
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
