/** docs/troubleshooting.md: a command for each row shows its message and exits with the code of its section. */
import { readFileSync } from 'node:fs';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EXIT } from '../src/cli/errors/exit-codes.ts';
import { builtSvc } from './support/built-package.ts';
import { installSvc } from './support/bundle.ts';
import { tableRows } from './support/citations.ts';
import { makeTemporaryFolder, removeFolder } from './support/temporary-folder.ts';

const TEXT = readFileSync(new URL('../docs/troubleshooting.md', import.meta.url), 'utf8');
const sections = [...TEXT.matchAll(/^## Exit code (\d+)\n([\s\S]*?)(?=^## )/gm)].map(
  ([, code, text = '']) => ({
    code: Number(code),
    messages: tableRows(text).map(([message = '']) => message.replaceAll('`', '').trim()),
  }),
);

const TASK = 'svc task create --name T --channel email --message 1 --list 1';
const fault = (kind: string, match: string): string =>
  `svc sandbox fault set --kind ${kind} --rate 1 --match "${match}"`;

/** The commands for a message. The last one shows it. */
const SHOWN: Readonly<Record<string, readonly string[]>> = {
  Unavailable: [fault('error', 'GET /v1/folder'), 'svc folder list --retries 0'],
  'there is no command …': ['svc foldr list'],
  'svc … has no flag …': ['svc folder list --color'],
  'needs --yes': ['svc folder delete 1'],
  'so the service would send at once': [`${TASK} --at "2020-01-01 09:00"`],
  'does not exist in …': [`${TASK} --at "2027-03-28 01:30"`],
  'is read-only': ['svc profile set sandbox read-only true', 'svc folder create --name Y'],
  'cannot schedule tasks without a plan that a person approved': [
    'svc profile set sandbox require-approvals 1',
    `${TASK} --at +1d`,
  ],
  'the plan has … of … approvals': [
    'svc plan campaign/spring.yaml --out spring.plan',
    'svc apply spring.plan --yes --approvals 1 --signers team.signers',
  ],
  'has changed since the plan was made': [
    'svc plan campaign/spring.yaml --out spring.plan',
    'echo Changed >>campaign/content/spring.txt',
    'svc apply spring.plan --yes --approvals 1 --signers team.signers',
  ],
  'subscriptions, expected …': [`${TASK} --at +1d --expect-size 1..5`],
  'must be a phone number': ['svc sms send --to 12 --from Shop --text Hello --now --yes'],
  'profile … not found': ['svc profile use nobody'],
  '--companies is for partners': ['svc folder list --companies all'],
  'no credentials': [
    'svc profile remove sandbox --yes',
    'svc profile remove sandbox-partner --yes',
    'svc folder list',
  ],
  'Authentication failed': ['SVC_API_KEY=00000000000000000000000000000000 svc folder list --profile sandbox'],
  'folder … not found': ['svc folder get 99'],
  'is locked': ['svc email update 1 --subject X'],
  'another sandbox is running in …': ['svc sandbox start --detach'],
  'is not a sender address of the account': [
    'svc email create --name Y --html x --text x --subject x --from a@b.example --from-name x --reply-to a@b.example',
  ],
  'got no response': [fault('reset', 'GET /v1/folder'), 'svc folder list --retries 0'],
  'is not running: connection refused': ['svc sandbox stop', 'svc folder list --retries 0'],
  'Rejected rows: …': ['svc dnc import some.csv --yes'],
  'Too many requests': [fault('rate-limit', 'GET /v1/folder'), 'svc folder list --retries 0'],
  'but it is not known whether it succeeded': [
    fault('lost-answer', 'POST /v1/folder'),
    `svc api POST /v1/folder --data '{"name":"News"}'`,
  ],
  'error: …': ['svc email lint --html-file bad.html --text x --subject x'],
};

/** Messages that these commands cannot show, each with the file that has its words. */
const SHOWN_ELSEWHERE: Readonly<Record<string, string>> = {
  'the sandbox needs the package libsql': 'src/cli/errors/start-errors.ts',
  interrupted: 'src/cli/errors/explain-error.ts',
};

let script: string;
let home: string;
beforeAll(async () => {
  script = await builtSvc();
});
afterAll(() => removeFolder(dirname(script)));
beforeEach(async () => {
  home = await makeTemporaryFolder('trouble');
  await mkdir(join(home, 'bin'));
  await installSvc(join(home, 'bin'), script);
  await cp('examples/campaign', join(home, 'campaign'), { recursive: true });
  const files = {
    'team.signers': `ada@example.com ${KEY}\n`,
    'some.csv': 'email\na@example.com\nx\n',
    'bad.html': '<a href="http:///x">x</a>',
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(home, name), text);
});
afterEach(async () => {
  await shell('svc sandbox stop --yes; svc sandbox stop --data ~/.local/state/svc/sandbox');
  await removeFolder(home);
});

/** A public key of nobody. */
const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f';

const shell = (line: string) =>
  execa('sh', ['-c', line], {
    cwd: home,
    env: { PATH: `${join(home, 'bin')}:${process.env['PATH']}`, HOME: home, TZ: 'UTC', LC_ALL: 'C.UTF-8' },
    extendEnv: false,
    reject: false,
  });

describe('docs/troubleshooting.md', () => {
  it('has a section for each exit code but 0, in order', () => {
    const codes = Object.values(EXIT).filter((code) => code !== EXIT.done);
    expect(sections.map(({ code }) => code)).toEqual(codes.toSorted((a, b) => a - b));
  });

  it('has a row for each message below, and no other', () => {
    const rows = sections.flatMap(({ messages }) => messages);
    expect(rows.toSorted()).toEqual([...Object.keys(SHOWN), ...Object.keys(SHOWN_ELSEWHERE)].sort());
  });

  it.each(Object.entries(SHOWN_ELSEWHERE))('%s is a message of svc', (message, test) => {
    expect(readFileSync(new URL(`../${test}`, import.meta.url), 'utf8')).toContain(message);
  });
});

const shownHere = sections.filter(({ messages }) => messages.some((message) => message in SHOWN));

describe.each(shownHere)('exit code $code', ({ code, messages }) => {
  it.each(messages.filter((message) => message in SHOWN))('%s', async (message) => {
    const lines = [
      'svc sandbox start --detach --seed demo --clock manual --port 0',
      ...(SHOWN[message] ?? []),
    ];
    const runs = [];
    for (const line of lines) runs.push(await shell(line));
    const before = runs.slice(0, -1).map(({ exitCode, stderr }) => (exitCode === 0 ? '' : stderr));
    expect(before.join('')).toBe('');
    const { stdout, stderr, exitCode } = runs.at(-1) ?? {};
    const words = message.split('…').map((part) => part.trim().replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    const inOneLine = `${stdout} ${stderr}`.replaceAll(/\s+/g, ' ');
    expect([exitCode, inOneLine]).toEqual([code, expect.stringMatching(new RegExp(words.join('.*')))]);
  });
});
