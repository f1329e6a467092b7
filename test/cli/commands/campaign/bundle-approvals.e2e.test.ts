/** Contract, "Many companies": the signature of a bundle approves each plan whose digest the bundle has. */
import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { formatPlanFile, readPlan } from '../../../../src/features/campaign/plan-file/plan-file.ts';
import { type PartnerProfile, withPartnerProfile } from '../../../support/partner-profile.ts';
import { writesIn } from '../../../support/run-cli.ts';
import { makeKey, type SshKey } from '../../../support/ssh-keys.ts';
import { makeTemporaryFolder, removeFolder } from '../../../support/temporary-folder.ts';

const CAMPAIGN = `version: 1
campaign: Spring sale
messages:
  spring: {channel: sms, name: Spring sale, from: Shop, message: spring.txt}
tasks:
  newsletter: {name: "Spring in \${{ city }}", message: spring, list: "\${{ list }}", at: 2026-12-20 09:00}
`;

let home: string;
let ada: SshKey;
let bob: SshKey;
beforeAll(async () => {
  home = await makeTemporaryFolder('bundle-keys');
  [ada, bob] = await Promise.all([makeKey(home, 'ada'), makeKey(home, 'bob')]);
});
afterAll(() => removeFolder(home));

let agency: PartnerProfile;
beforeEach(async () => {
  agency = await withPartnerProfile();
  await agency.done(['company', 'import', '-'], { stdin: 'id,name\n1,Company\n2,Other\n' });
  const lists: number[] = [];
  for (const id of [1, 2])
    lists.push(await agency.sandbox.put('list', { account_id: id, name: `L${id}`, cdate: 1 }));
  const people = [
    ['ada', ada],
    ['bob', bob],
  ] as const;
  await write('team.signers', people.map(([name, { line }]) => `${name}@example.com ${line}\n`).join(''));
  await write('spring.yaml', CAMPAIGN);
  await write('spring.txt', 'Spring is here');
  await write(
    'v.yaml',
    `companies:\n  1: {list: ${lists[0]}, city: Oslo}\n  2: {list: ${lists[1]}, city: Bergen}\n`,
  );
  await done(`profile set agency signers ${path('team.signers')}`);
  await done('profile set agency require-approvals 2');
  await done('plan spring.yaml --companies all --values v.yaml --out b');
});
afterEach(() => agency.remove());

const path = (...names: string[]) => join(agency.folder, ...names);
const write = (name: string, text: string) => writeFile(path(name), text);
const outside = { env: { PATH: process.env['PATH'] } };
const svc = (line: string) => agency.svc(line.split(' '), outside);
const done = (line: string) => agency.done(line.split(' '), outside);
const approve = (key: SshKey, bundle = 'b/bundle.plan') =>
  done(`approve ${bundle} --identity ${key.path} --yes`);

it('is approved by two people with one signature each, and then applied and audited as a whole', async () => {
  const shown = await approve(ada);
  expect(shown.stderr).toContain('2 companies that are alike, and their differences');
  expect(shown.stderr).toMatch(/company 2 "(Other|Company B)"/);
  expect(shown.stderr).toContain('"task newsletter name": "Spring in Bergen"');
  expect(shown.stderr.match(/Spring is here/g)).toHaveLength(1);
  const early = await svc('apply b/bundle.plan --yes');
  expect([early.exitCode, early.stderr]).toEqual([2, expect.stringContaining('1 of 2 approvals')]);
  expect(writesIn(agency.sent)).toEqual([]);
  await approve(bob);
  const page = await done('plan show b/bundle.plan --format markdown');
  expect(page.stdout).toContain('Approvals: 2 of 2');
  await done('apply b/bundle.plan --yes');
  const audit = await done('audit --companies all --plans b --check -o json');
  // A plan of the other company in the same bundle is no news.
  expect(audit.stderr).not.toContain('skipped');
  expect(
    JSON.parse(audit.stdout).map((row: Record<string, unknown>) => [
      row['company_id'],
      row['verdict'],
      row['plan'],
    ]),
  ).toEqual([
    [1, 'approved', join('b', 'bundle.plan')],
    [2, 'approved', join('b', 'bundle.plan')],
  ]);
});

it('does not approve another bundle, nor a plan alone', async () => {
  await approve(ada);
  await approve(bob);
  await done('plan spring.yaml --companies all --values v.yaml --out other');
  for (const name of await readdir(path('b')))
    if (name.endsWith('.sig')) {
      await copyFile(path('b', name), path('other', name));
      await copyFile(path('b', name), path('b', name.replace('bundle.plan', '1.plan')));
    }
  expect(await svc('apply other/bundle.plan --yes')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('0 of 2 approvals'),
  });
  for (const line of [
    'apply b/1.plan --company 1 --yes',
    `approve b/1.plan --identity ${ada.path} --company 1 --yes`,
  ])
    expect(await svc(line)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('belongs to a bundle'),
    });
  expect(await svc('apply spring.yaml --companies all --values v.yaml --write --yes')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('needs a plan with 2 approvals'),
  });
  expect(writesIn(agency.sent)).toEqual([]);
});

it('is not approved by signatures of plans, nor is a plan that was taken out of the bundle', async () => {
  // Two people approve a harmless plan of one company, whose signatures are put beside the bundle.
  await done('plan spring.yaml --company 1 --values v.yaml --out p');
  await approve(ada, 'p --company 1');
  await approve(bob, 'p --company 1');
  for (const name of await readdir(path('.')))
    if (name.startsWith('p.') && name.endsWith('.sig'))
      await copyFile(path(name), path('b', name.replace('p.', 'bundle.plan.')));
  expect(await svc('apply b/bundle.plan --yes')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('0 of 2 approvals'),
  });
  // The plan without the name of its bundle, beside the signatures of the bundle.
  await approve(ada);
  await approve(bob);
  const { version: _, sha256: ___, inputs, ...plan } = readPlan(await readFile(path('b', '1.plan'), 'utf8'));
  const { bundle: __, ...alone } = inputs;
  for (const name of ['lone', 'b/1.plan']) await write(name, formatPlanFile({ ...plan, inputs: alone }));
  for (const name of await readdir(path('b')))
    if (name.startsWith('bundle.plan.') && name.endsWith('.sig'))
      await copyFile(path('b', name), path(name.replace('bundle.plan', 'lone')));
  for (const line of ['apply lone --company 1 --yes', 'apply b/bundle.plan --yes'])
    expect(await svc(line)).toMatchObject({ exitCode: 2, stdout: '' });
  expect(writesIn(agency.sent)).toEqual([]);
});

it('is not signed if one company has changed, and names it', async () => {
  await done('plan spring.yaml --companies all --values v.yaml --out c');
  await approve(ada);
  await approve(bob);
  await done('apply b/bundle.plan --yes');
  const run = await svc(`approve c/bundle.plan --identity ${ada.path} --yes`);
  expect([run.exitCode, run.stderr]).toEqual([5, expect.stringContaining('nothing was signed')]);
  expect(run.stderr).toContain('company 2');
  expect((await readdir(path('c'))).filter((name) => name.endsWith('.sig'))).toEqual([]);
});
