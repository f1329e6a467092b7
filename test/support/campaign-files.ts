/** A campaign with an item of each kind, as files in one folder, for a sandbox that `withEverything` made. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export const CAMPAIGN_FILES = {
  'spring.yaml': `version: 1
campaign: Spring
folders:
  all: {name: Spring}
messages:
  news: {channel: email, name: News, from-name: Company, reply-to: office@example.com, subject: Spring is here, html: news.html, text: news.txt}
  last: {channel: sms, name: Last day, from: Example, message: last.txt}
tasks:
  news: {name: To all, message: news, list: 1, at: +2d, expect-size: 0..10}
  last: {name: Last day, message: last, list: 1, at: 2026-12-10 09:00}
automations:
  readers: {kind: open, name: Readers, message: news, actiontype: notify, actiontarget: office@example.com}
`,
  'news.html': '<html><body><p>Hello <a href="https://shop.example/spring">our shop</a></p></body></html>\n',
  'news.txt': 'Hello\nhttps://shop.example/text\n',
  'last.txt': 'The last day of spring\n',
} as const;

/** @param changes other texts for these files, and additional files */
export async function putCampaignFiles(
  folder: string,
  changes: Readonly<Record<string, string>> = {},
): Promise<void> {
  for (const [name, text] of Object.entries({ ...CAMPAIGN_FILES, ...changes }))
    await writeFile(join(folder, name), text);
}
