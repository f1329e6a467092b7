/** Contract, "Assistants": what an answer of a tool says about Do Not Contact, lint errors, campaign files and rules. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import {
  type Assistant,
  type AssistantWorld,
  assistantWorld,
  type Result,
} from '../../../support/assistant.ts';
import { runCli } from '../../../support/run-cli.ts';

let world: AssistantWorld;
let assistant: Assistant;
beforeAll(async () => {
  world = await assistantWorld();
  assistant = await world.open();
});
afterAll(async () => {
  await assistant.close();
  await world.remove();
});

describe('check_do_not_contact answers as svc dnc check does', () => {
  const domain = 'rivals.example';
  const single = 'no.more@friends.example';
  // The domain is on the list of the demo company.
  beforeAll(async () => {
    const added = await world.svc('dnc', 'add', single, '--yes', '--profile', 'prod');
    expect(added, added.stderr).toMatchObject({ exitCode: 0 });
  });

  it('for addresses on the list by themselves or by their domain', async () => {
    const contact = ['X1@rivals.example', 'x1@friends.example', single, domain, '447700900123'];
    const { ok, exit, result } = await assistant.call('check_do_not_contact', { contact });
    expect([ok, exit, result.checked]).toEqual([true, 0, contact.length]);
    const found = result.listed.map(({ untrusted }: Result) => untrusted);
    expect(found).toEqual([
      { contactdata: 'x1@rivals.example', by: domain },
      { contactdata: single, by: single },
      { contactdata: domain, by: domain },
    ]);
    const person = await world.svc('dnc', 'check', ...contact, '--profile', 'prod', '-o', 'json');
    const rows: readonly Result[] = JSON.parse(person.stdout);
    expect(found).toEqual(
      rows.filter(({ listed }) => listed).map(({ contactdata, by }) => ({ contactdata, by })),
    );
  });

  it('for 500 at once, and for a file', async () => {
    const contact = Array.from(
      { length: 500 },
      (_, at) => `p${at}@${at % 2 === 0 ? domain : 'fine.example'}`,
    );
    await writeFile(join(world.folder, 'contacts.txt'), `${contact.join('\n')}\n`);
    for (const given of [contact, ['contacts.txt']]) {
      const first = await assistant.call('check_do_not_contact', { contact: given });
      expect(first).toMatchObject({ ok: true, result: { checked: 500 } });
      expect(first.more ?? { listed: first.result.listed.length }).toEqual({ listed: 250 });
    }
  });
});

describe('a lint error', () => {
  const CAMPAIGN = `version: 1
campaign: Broken
messages:
  news:
    channel: email
    name: News
    subject: News
    fromemail: news@example.com
    fromname: Example
    replyemail: news@example.com
    html: news.html
    text: news.txt
`;
  beforeAll(async () => {
    const html = '<html lang="en"><body><a href="https:///spring">Spring</a> #optout#</body></html>';
    await writeFile(join(world.folder, 'news.html'), html);
    await writeFile(join(world.folder, 'news.txt'), 'Spring\n');
    await writeFile(join(world.folder, 'broken.yaml'), CAMPAIGN);
  });

  it('is not ok in lint', async () => {
    const given = { noun: 'email', html_file: 'news.html', text_file: 'news.txt', subject: 'News' };
    const { ok, exit, rows } = await assistant.call('lint', given);
    expect([ok, exit]).toEqual([false, 11]);
    expect(rows).toContainEqual(expect.objectContaining({ severity: 'error' }));
  });

  it('is in the plan, which does not pass', async () => {
    const { ok, result } = await assistant.call('plan', { file: ['broken.yaml'] });
    expect([ok, result.passed]).toEqual([true, false]);
    expect(result.findings).toContainEqual(
      expect.objectContaining({
        severity: 'error',
        line: 1,
        untrusted: expect.objectContaining({ file: 'news.html' }),
      }),
    );
    const fine = await assistant.call('plan', { file: ['spring.yaml'] });
    expect(fine.result.passed).toBe(true);
    const several = await assistant.call('plan', { file: ['broken.yaml', 'spring.yaml'] });
    expect(several.rows.map(({ passed }: Result) => passed)).toEqual([false, true]);
  });
});

describe('the format of campaign files', () => {
  const read = async (uri: string): Promise<string> => {
    const { contents } = await assistant.client.readResource({ uri });
    return (contents[0] as { readonly text: string }).text;
  };

  it('is a page with an example, as people get it', async () => {
    const { stdout } = await runCli(['explain', 'campaign']);
    expect(await read('svc://campaign')).toBe(stdout);
    const { result } = await assistant.call('explain', { what: ['campaign'] });
    expect(result.text).toBe(stdout);
  });

  it('is a schema without spaces, in which no part is missing', async () => {
    const text = await read('svc://campaign-schema');
    expect(text.length).toBeLessThan(40_000);
    const schema = JSON.parse(text);
    expect(JSON.parse((await runCli(['explain', 'campaign', '-o', 'json'])).stdout)).toEqual(schema);
    const check = new Ajv2020({ strict: false, validateFormats: false }).compile(schema);
    const campaign = parse(await readFile('examples/campaign/spring.yaml', 'utf8'));
    expect([check(campaign), check.errors]).toEqual([true, null]);
    expect(check({ ...campaign, tasks: { x: { lists: 1 } } })).toBe(false);
  });
});

it('no explanation of svc is cut', async () => {
  const { rows } = await assistant.call('explain', { limit: 200 });
  expect(rows.length).toBeGreaterThan(10);
  for (const { resource } of rows) {
    const page = await assistant.call('explain', { what: [resource], limit: 200 });
    const { stdout } = await runCli(['explain', resource, '-o', 'json']);
    const whole = JSON.parse(stdout);
    expect([page.ok, page.rows ?? page.result], resource).toEqual([true, whole]);
  }
});
