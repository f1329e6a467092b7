/** A plan as `svc plan` makes it, for tests of later steps. */
import { writeFile } from 'node:fs/promises';
import type { Campaign, Step } from '../../src/features/campaign/model.ts';
import { formatPlanFile, type PlanParts } from '../../src/features/campaign/plan-file/plan-file.ts';
import { NOW } from './sandbox.ts';

const wanted: Campaign = {
  campaign: 'spring',
  company: 1,
  items: [
    { kind: 'folder', key: 'all', name: 'Spring' },
    {
      kind: 'message',
      key: 'offer',
      channel: 'email',
      name: 'Offer',
      values: { subject: 'Spring ½ price', html: '<p>Hello</p>', opentracking: true },
      files: { html: 'content/offer.html' },
    },
    {
      kind: 'task',
      key: 'send',
      name: 'Send',
      channel: null,
      message: { key: 'offer' },
      list: '9007199254740993',
      search: null,
      at: '+1d',
      rate: null,
      expectSize: { from: 9000, to: 11000 },
      maxCredits: 12000,
      hold: 600,
    },
    {
      kind: 'automation',
      key: 'thanks',
      rule: 'open',
      name: 'Thanks',
      values: { actiontype: 'addtolist', actiontimediff: 3600 },
      references: { message_id: { key: 'offer' }, actiontarget: { name: 'Readers' } },
      paused: false,
    },
  ],
};

const steps: readonly Step[] = [
  { action: 'keep', kind: 'folder', key: 'all', id: '3', name: 'Spring' },
  {
    action: 'change',
    kind: 'message',
    key: 'offer',
    id: '7',
    name: 'Offer',
    changes: [{ attribute: 'subject', from: 'Spring sale', to: 'Spring ½ price' }],
  },
  {
    action: 'create',
    kind: 'task',
    key: 'send',
    name: 'Send',
    time: NOW + 86_400,
    size: null,
    credits: null,
  },
  {
    action: 'blocked',
    kind: 'automation',
    key: 'thanks',
    name: 'Thanks',
    reason: 'there is no list "Readers"',
    blockedBy: 'reference',
  },
  {
    action: 'orphaned',
    kind: 'folder',
    id: '4',
    name: 'Old',
    reason: 'the file no longer contains this folder',
  },
];

export const planParts: PlanParts = {
  origin: 'https://api.example.com',
  naming: {},
  campaign: 'spring',
  company: { id: '1', name: 'Harbour Coffee' },
  made: NOW,
  validUntil: NOW + 86_400,
  inputs: {
    file: 'spring.yaml',
    files: [{ file: 'spring.yaml', sha256: '0'.repeat(64) }],
    set: { BUILD: '17' },
    env: {},
    options: { overwrite: false, prune: false, zone: 'Europe/Berlin' },
    wanted,
  },
  observed: {
    items: {
      'folder all': [{ id: '3', written: null, found: 'Spring', state: 'open' }],
      'message offer': [{ id: '7', written: 'abcdefg', found: 'abcdefg', state: 'open' }],
      'task send': [],
      'automation thanks': [],
      'folder 4': [{ id: '4', written: 'abc', found: 'abc', state: 'open' }],
    },
    references: {},
  },
  steps,
};

/** @returns the digest of the plan */
export async function putPlan(path: string, changes: Partial<PlanParts> = {}): Promise<string> {
  const text = formatPlanFile({ ...planParts, ...changes });
  await writeFile(path, text);
  return (JSON.parse(text) as { readonly sha256: string }).sha256;
}
