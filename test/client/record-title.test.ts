/** Contract, "Output": on a terminal, the mark of a campaign is a short tag. */
import { expect, it } from 'vitest';
import { CAMPAIGN_TAG_AT_END, shortenCampaignMarksInNames } from '../../src/client/requests/record-title.ts';
import {
  appendCampaignMark,
  computeCampaignNameHash,
  computeContentHash,
  computeFolderNameHash,
  computeItemKeyHash,
  computeRelativeTimeHash,
} from '../../src/features/campaign/marks.ts';
import { rendered, rowsOf } from '../cli/output/rendering.ts';

const part = {
  campaignHash: computeCampaignNameHash('spring'),
  keyHash: computeItemKeyHash('task', 'newsletter'),
};
const tag = `⟨${part.campaignHash}⟩`;

it.each([
  ['of a task', { ...part, contentHashOrReason: computeContentHash({}) }],
  [
    'with the words of a time',
    {
      ...part,
      contentHashOrReason: computeContentHash({}),
      relativeTimeHash: computeRelativeTimeHash('monday 09:00'),
    },
  ],
  ['of a task that was withdrawn', { ...part, contentHashOrReason: 'x' }],
  ['of a duplicate', { ...part, contentHashOrReason: 'w', relativeTimeHash: computeRelativeTimeHash('+6d') }],
  ['of a folder', { ...part, contentHashOrReason: computeFolderNameHash('Spring') }],
])('shortens the mark %s', (_, mark) => {
  const name = appendCampaignMark('Spring sale', mark);
  expect(shortenCampaignMarksInNames(name)).toBe(`Spring sale ${tag}`);
  expect(shortenCampaignMarksInNames(`made task 5 (${name}) and ${name}`)).toBe(
    `made task 5 (Spring sale ${tag}) and Spring sale ${tag}`,
  );
});

it.each([
  'Spring sale',
  'Sale [svc-spring]',
  'Sale [svc-9AW0RM-zp1lp-zjpeqd6]',
  'Sale[svc-9aw0rm-zp1lp-zjpeqd6]',
  '',
])('does not change %j', (name) => expect(shortenCampaignMarksInNames(name)).toBe(name));

it('finds the tag of a name, also before an id', () => {
  expect(CAMPAIGN_TAG_AT_END.exec(`Sale ${tag}`)?.[0]).toBe(tag);
  expect(CAMPAIGN_TAG_AT_END.exec(`Sale ${tag} (12)`)?.[0]).toBe(tag);
  expect(CAMPAIGN_TAG_AT_END.exec(`${tag} Sale`)).toBeNull();
});

const rows = rowsOf(
  [
    {
      id: 1,
      name: appendCampaignMark('Spring sale', { ...part, contentHashOrReason: computeContentHash({}) }),
    },
  ],
  [{ name: 'id' }, { name: 'name', role: 'name' }],
);

it('shows the tag dim in a table on a terminal', async () => {
  const { stdout } = await rendered(rows, { width: 80, header: false, colour: true });
  expect(stdout).toBe(`1  Spring sale \x1b[2m${tag}\x1b[22m\n`);
});

it.each([
  ['--wide or a pipe', { width: undefined }],
  ['JSON', { width: 80, format: 'json' as const }],
])('keeps the whole name: %s', async (_, options) => {
  expect((await rendered(rows, options)).stdout).toContain('Spring sale [svc-');
});
