/** Contract, "Campaigns as files", `plan --html`: one file for people without svc. */
import { createHash } from 'node:crypto';
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DemoService, openDemoService } from '../../../support/demo-service.ts';
import { runCli } from '../../../support/run-cli.ts';
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts';
import { parsePage, textOf } from '../../../support/web-page.ts';

let folder: string;
let demo: DemoService;
let requests: number;
beforeEach(async () => {
  folder = await makeTemporaryFolder('plan-html');
  await cp('examples/campaign', folder, { recursive: true });
  demo = await openDemoService();
  requests = 0;
});
afterEach(() => rm(folder, { recursive: true }));

const svc = (line: string) =>
  runCli(line.split(' '), {
    cwd: folder,
    transport: (request) => {
      requests += 1;
      return demo.transport(request);
    },
    env: demo.admin,
  });
const edit = async (file: string, from: string, to: string): Promise<void> => {
  const text = await readFile(join(folder, file), 'utf8');
  expect(text).toContain(from);
  await writeFile(join(folder, file), text.replace(from, to));
};

async function pageOf(line: string) {
  const run = await svc(`${line} --html plan.html --force`);
  expect(run.stderr).toContain('wrote plan.html\n');
  const text = await readFile(join(folder, 'plan.html'), 'utf8');
  const { nodes, faults } = parsePage(text);
  expect(faults).toEqual([]);
  const texts = (name: string) => nodes.filter(({ nodeName }) => nodeName === name).map(textOf);
  return { ...run, text, nodes, texts };
}

const sha256 = async (file: string): Promise<string> =>
  createHash('sha256')
    .update(await readFile(join(folder, file)))
    .digest('hex');

describe('the page of svc plan --html', () => {
  it('begins with the verdict, and says for whom and from which file it was made', async () => {
    const { exitCode, texts } = await pageOf('plan spring.yaml');
    expect(exitCode).toBe(0);
    expect(texts('h1')).toEqual(['Plan of the campaign Spring sale']);
    expect(texts('p')[0]).toBe('✔ No findings. 7 to create.');
    expect(texts('dd').slice(0, 3)).toEqual([
      'company 1 (Harbour Coffee Roasters), at https://api.example.com',
      '2026-12-01 09:00 UTC',
      `spring.yaml, SHA-256 ${await sha256('spring.yaml')}`,
    ]);
    expect(texts('h2')).toEqual(['Sends', 'Messages', 'Rules']);
    expect(texts('summary')).toEqual(['All items: 7 to create']);
  });

  it('names the digest and the end of a plan that --out saves', async () => {
    const { texts } = await pageOf('plan spring.yaml --out spring.plan');
    const saved = JSON.parse(await readFile(join(folder, 'spring.plan'), 'utf8')) as { sha256: string };
    expect(texts('dd')).toContain(`SHA-256 ${saved.sha256}`);
    expect(texts('dd')).toContain('2026-12-02 09:00 UTC');
  });

  it('shows who gets what and when, with the time in UTC beside one that differs', async () => {
    expect((await pageOf('plan spring.yaml')).texts('tr')).toContain(
      '2026-12-07 09:00 Spring sale to the newsletter list 1 not known yet 300 to 500 allowed not known yet to create',
    );
    await svc('apply spring.yaml --yes');
    expect((await pageOf('plan spring.yaml --tz Asia/Kolkata')).texts('tr')).toContain(
      '2026-12-07 14:30 2026-12-07 09:00 UTC Spring sale to the newsletter list 1 447 300 to 500 allowed 447 up to date',
    );
  });

  it('shows each message as it looks, and who sends it, also one that the file only refers to', async () => {
    await edit('spring.yaml', 'message: reminder\n', 'message: 1\n    channel: sms\n');
    const { texts, nodes, text } = await pageOf('plan spring.yaml');
    const frames = nodes.filter(({ nodeName }) => nodeName === 'iframe');
    expect(frames.length).toBeGreaterThanOrEqual(2);
    expect(texts('h3')).toEqual(
      expect.arrayContaining(['Spring coffee offers', 'SMS Spring sale, last day']),
    );
    const sent = texts('article');
    expect(sent.filter((each) => each.includes('Sent by Spring sale, last day'))).toHaveLength(1);
    expect(sent.find((each) => each.startsWith('Spring coffee offers'))).toContain(
      'Sent by Spring sale to the newsletter',
    );
    expect(sent.find((each) => each.startsWith('Your spring coffee'))).toContain(
      'Sent by Thank whoever looks at the spring sale',
    );
    // No task sends the text message any more.
    expect(sent.find((each) => each.startsWith('SMS Spring sale, last day'))).not.toContain('Sent by');
    expect(text).toContain("default-src 'none'");
  });

  it('counts blocked items as errors, and shows the findings, changed texts and removed items', async () => {
    await svc('apply spring.yaml --yes');
    await edit('spring.yaml', 'at: +10d', 'at: 2026-11-01 09:00');
    const yaml = await readFile(join(folder, 'spring.yaml'), 'utf8');
    await writeFile(join(folder, 'spring.yaml'), yaml.slice(0, yaml.indexOf('  loyalty:')));
    await edit('content/spring.html', '</body>', '<a href="/sale">Sale</a></body>');
    const { texts } = await pageOf('plan spring.yaml');
    expect(texts('p')[0]).toMatch(/^✖ 2 errors , 0 warnings\. .*1 blocked/);
    expect(texts('li')).toEqual([
      expect.stringMatching(/^✖ Error spring\.yaml:\d+:\d+: task last-day: the send time has passed/),
      expect.stringMatching(/^✖ Error content\/spring\.html:\d+:\d+: .*\[relative-address\]$/),
    ]);
    expect(texts('ins').join()).toContain('/sale');
    expect(texts('tr')).toContain('Spring readers join the loyalty club automation open:2 orphaned and kept');
  });

  it('shows a sequence as one table', async () => {
    await cp('examples/sequence', folder, { recursive: true });
    const { texts } = await pageOf('plan welcome.yaml');
    expect(texts('h2')).toContain('Sequence Club welcome (list 2)');
    expect(texts('tr')).toContain('tips 3 days later at 10:00: e-mail message tips to create');
  });

  it('is inert, whatever the campaign file says', async () => {
    await edit('spring.yaml', 'name: Spring sale to the newsletter', 'name: "<img src=x onerror=alert(1)>"');
    await edit(
      'content/spring.html',
      '</body>',
      '<script>x</script><img src="https://a.example/x.png" onerror="x()"></body>',
    );
    const { text, nodes } = await pageOf('plan spring.yaml');
    expect(nodes.filter(({ nodeName }) => ['script', 'img'].includes(nodeName))).toEqual([]);
    expect(text).not.toMatch(/srcdoc="[^"]*(a\.example|onerror)/);
  });
});

describe('bad input of svc plan --html', () => {
  it.each([
    ['two files', 'plan spring.yaml spring.yaml --html plan.html', '--html needs a single file'],
    [
      'the file of --out',
      'plan spring.yaml --out one --html ./one',
      '--out and --html must name different files',
    ],
    ['an existing file', 'plan spring.yaml --html spring.yaml', 'spring.yaml'],
    ['a folder', 'plan spring.yaml --html content', 'content'],
  ])('exits with 2 for %s, before a request', async (_, line, words) => {
    const before = await readdir(folder);
    const run = await svc(line);
    expect([run.exitCode, run.stdout, requests]).toEqual([2, '', 0]);
    expect(run.stderr).toContain(words);
    expect(await readdir(folder)).toEqual(before);
  });

  it('writes nothing for a faulty campaign file', async () => {
    await edit('spring.yaml', 'list: 1', 'list: none');
    const run = await svc('plan spring.yaml --html plan.html');
    expect([run.exitCode, (await readdir(folder)).includes('plan.html')]).toEqual([2, false]);
  });
});
