/** README of src/features/campaign: one pass over the service takes a bounded number of requests, however many other records the company has. */

import { expect, it } from 'vitest';
import { readAllRecordsForCampaign } from '../../src/features/campaign/observe.ts';
import { insertRows } from '../../src/sandbox/store/rows.ts';
import { putEmail } from '../support/messages.ts';
import { IDS, NOW } from '../support/sandbox.ts';
import { email, inWords, openCampaign } from './support.ts';

const MESSAGES = 26;
const html = (at: number) => `<p><a href="https://example.com/${at}">there</a></p>`;
const items = Array.from({ length: MESSAGES }, (_, at) =>
  email(`m${at}`, { html: html(at), text: 'Hello\n' }),
);

it('reads the links of many messages page by page, 200 messages in each', async () => {
  const run = await openCampaign();
  await run.apply(items);
  const { requests, links } = await readAllRecordsForCampaign(run.client, { campaign: 'Spring', items });
  expect([links.size, requests]).toEqual([MESSAGES, 11]);
});

it('requests links by message if the company has far more of them', async () => {
  const run = await openCampaign();
  await run.apply(items);
  const theirs = await putEmail(run.sandbox);
  const others = Array.from({ length: 200 }, () => ({
    account_id: IDS.company,
    message_id: theirs,
    name: null,
    target: 'https://example.com/other',
    type: 'html',
    cdate: NOW,
  }));
  for (let page = 0; page <= MESSAGES; page += 1)
    await insertRows(run.sandbox.service.store.db, 'email_message_link', others);
  const { requests } = await readAllRecordsForCampaign(run.client, { campaign: 'Spring', items });
  // Ten other requests, a page for each message until it gives up, and one for each message.
  expect(requests).toBe(10 + 2 * MESSAGES);
  expect(inWords(await run.plan(items)).filter((line) => !line.startsWith('keep'))).toEqual([]);
});
