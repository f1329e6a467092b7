/** Contract, "Output": people see a short sign, or nothing, instead of the mark of a campaign. */
import { expect, it } from 'vitest';
import {
  computeCampaignNameHash,
  computeContentHash,
  computeFolderNameHash,
  computeItemKeyHash,
  computeRelativeTimeHash,
} from '../../src/features/campaign/marks.ts';
import {
  appendCampaignMark,
  CAMPAIGN_SIGN_AT_END,
  isPartOfShownName,
  removeMarks,
  replaceMarksBySigns,
  splitShownName,
} from '../../src/service/resources/campaign-mark.ts';
import { objectOf, rendered, rowsOf } from '../cli/output/rendering.ts';

const part = {
  campaignHash: computeCampaignNameHash('spring'),
  keyHash: computeItemKeyHash('task', 'newsletter'),
};
const sign = `⟨${part.campaignHash}⟩`;

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
  [
    'with earlier names of the campaign',
    { ...part, contentHashOrReason: 'x', earlierCampaignHashes: [computeCampaignNameHash('autumn')] },
  ],
  ['of a folder', { ...part, contentHashOrReason: computeFolderNameHash('Spring') }],
])('shortens the mark %s', (_, mark) => {
  const name = appendCampaignMark('Spring sale', mark);
  expect(replaceMarksBySigns(name)).toBe(`Spring sale ${sign}`);
  expect(removeMarks(`made task 5 (${name}) and ${name}`)).toBe('made task 5 (Spring sale) and Spring sale');
  expect(splitShownName(name)).toEqual({
    name: 'Spring sale',
    campaign: { mark: name.slice('Spring sale '.length), sign: part.campaignHash },
  });
  expect(replaceMarksBySigns(`made task 5 (${name}) and ${name}`)).toBe(
    `made task 5 (Spring sale ${sign}) and Spring sale ${sign}`,
  );
});

it.each([
  'Spring sale',
  'Sale [svc-spring]',
  'Sale [svc-9AW0RM-zp1lp-zjpeqd6]',
  'Sale [svc-9aw0rm-zp1lp-zjpe]',
  'Sale[svc-9aw0rm-zp1lp-zjpeqd6]',
  '',
])('does not change %j', (name) => {
  for (const shown of [replaceMarksBySigns, removeMarks]) expect(shown(name)).toBe(name);
  expect(splitShownName(name)).toEqual({ name });
});

it('finds the sign of a name, also before an id', () => {
  expect(CAMPAIGN_SIGN_AT_END.exec(`Sale ${sign}`)?.[0]).toBe(sign);
  expect(CAMPAIGN_SIGN_AT_END.exec(`Sale ${sign} (12)`)?.[0]).toBe(sign);
  expect(CAMPAIGN_SIGN_AT_END.exec(`${sign} Sale`)).toBeNull();
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

const details = objectOf({ id: 1, name: `Spring sale [svc-${part.campaignHash}-${part.keyHash}-x]` });

it('shows the sign dim in a table on a terminal', async () => {
  const { stdout } = await rendered(rows, { width: 80, header: false, colour: true });
  expect(stdout).toBe(`1  Spring sale \x1b[2m${sign}\x1b[22m\n`);
});

it.each([
  ['a table on a terminal', rows, { width: 80 }],
  ['a table in a pipe', rows, { width: undefined }],
  ['the details of a record', details, { width: 80 }],
  ['--plain', rows, { plain: true }],
])('shows the sign: %s', async (_, result, options) => {
  const { stdout } = await rendered(result, options);
  expect([stdout.includes(`Spring sale ${sign}`), stdout.includes('[svc-')]).toEqual([true, false]);
});

it.each([
  ['spring', true],
  ['SALE', true],
  [' Spring sale ', true],
  [`sale ${sign}`, true],
  ['svc-', false],
  ['Spring  sale', false],
])('%j is part of the visible name: %s', (text, isPart) => {
  const name = appendCampaignMark('Spring sale', { ...part, contentHashOrReason: 'x' });
  expect(isPartOfShownName(text, name)).toBe(isPart);
});

it.each([
  ['--wide', { width: undefined, hasWholeNames: true }],
  ['JSON', { width: 80, format: 'json' as const }],
  ['csv', { width: 80, format: 'csv' as const }],
])('keeps the whole name: %s', async (_, options) => {
  expect((await rendered(rows, options)).stdout).toContain('Spring sale [svc-');
});
