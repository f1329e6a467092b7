/**
 * Contract, "Many companies" and "Budgets": bundles that are applied at once, and a company that two profiles can reach, send nothing
 * twice and keep the budget of each company.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type PartnerProfile, withPartnerProfile } from '../../../support/partner-profile.ts';
import type { Run } from '../../../support/run-cli.ts';
import { KEYS } from '../../../support/sandbox.ts';

const campaignOf = (name: string): string => `version: 1
campaign: ${name}
messages:
  text: {channel: sms, name: ${name}, from: Shop, message: ${name}.txt}
tasks:
  newsletter: {name: ${name}, message: text, list: "\${{ list }}", at: 2026-12-20 09:00}
`;
const NAMES = ['spring', 'summer', 'autumn'];
const COMPANIES = [1, 2];

let agency: PartnerProfile;
beforeEach(async () => {
  agency = await withPartnerProfile();
  await agency.done(['company', 'import', '-'], { stdin: 'id,name\n1,Company\n2,Other\n' });
  const lists: number[] = [];
  for (const account_id of COMPANIES)
    lists.push(await agency.sandbox.put('list', { account_id, name: 'L', cdate: 1 }));
  await write('v.yaml', `companies:\n  1: {list: ${lists[0]}}\n  2: {list: ${lists[1]}}\n`);
  for (const name of NAMES) {
    await write(`${name}.yaml`, campaignOf(name));
    await write(`${name}.txt`, `${name} is here`);
  }
});
afterEach(() => agency.remove());

const write = (name: string, text: string) => writeFile(join(agency.folder, name), text);
const svc = (line: string, more: Readonly<Record<string, string>> = {}) =>
  agency.svc(line.split(' '), { env: more });
const done = (line: string) => agency.done(line.split(' '));
const liveTasks = async (): Promise<readonly string[]> =>
  (await agency.sandbox.rows('task'))
    .filter(({ cancelled }) => Number(cancelled) === 0)
    .map(({ account_id, name }) => `${String(account_id)} ${String(name).replace(/ \[.*/, '')}`)
    .sort();
const plan = (name: string, companies = 'all') =>
  done(`plan ${name}.yaml --companies ${companies} --values v.yaml --out ${name}`);

describe('bundles that are applied at once', () => {
  // "Each company and each profile counts separately, but all companies of a bundle must fit together."
  it('never exceed the budget of a company, and use all of it', async () => {
    await done('profile set agency budget.tasks-per-day 2 --yes');
    for (const name of NAMES) await plan(name);
    const runs = await Promise.all(NAMES.map((name) => svc(`apply ${name}/bundle.plan --yes`)));
    const made = await liveTasks();
    for (const id of COMPANIES) expect(made.filter((each) => each.startsWith(`${id} `))).toHaveLength(2);
    const refused = runs.filter(({ exitCode }) => exitCode !== 0);
    expect(refused.length).toBeGreaterThan(0);
    for (const { stderr } of refused) expect(stderr).toContain('budget: the profile allows at most 2 tasks');
  });

  it('send each task once, if both are the same bundle', async () => {
    await plan('spring');
    const runs = await Promise.all([1, 2, 3].map(() => svc('apply spring/bundle.plan --yes')));
    expect(await liveTasks()).toEqual(['1 spring', '2 spring']);
    expect(runs.some(({ exitCode }) => exitCode === 0)).toBe(true);
    await done('apply spring/bundle.plan --yes');
    expect(await liveTasks()).toEqual(['1 spring', '2 spring']);
  });
});

describe('a company that is there twice', () => {
  // "svc asks a company that is named twice only once."
  it('has one plan in the bundle, whatever names it has', async () => {
    await plan('spring', '1,Company,2,1');
    await done('apply spring/bundle.plan --yes');
    expect(await liveTasks()).toEqual(['1 spring', '2 spring']);
  });

  // "Marks in names are its only state, so two machines agree."
  it.each([
    ['one after the other', false],
    ['at once', true],
  ])('gets a message once from a partner profile and from its own profile, %s', async (_, isAtOnce) => {
    const add = 'profile add shop --base-url https://api.example.com --company 1 --user 1 --no-check';
    await agency.done([...add.split(' '), '--api-key-stdin'], { stdin: KEYS.company });
    await plan('spring');
    const asPartner = (): Promise<Run> => svc('apply spring/bundle.plan --yes --profile agency');
    // Another machine: the ledgers and journals are not shared.
    const asCompany = (): Promise<Run> =>
      svc('apply spring.yaml --values v.yaml --yes --profile shop', {
        SVC_STATE_DIR: join(agency.folder, 'other-state'),
      });
    const runs = isAtOnce
      ? await Promise.all([asPartner(), asCompany()])
      : [await asCompany(), await asPartner()];
    expect(await liveTasks()).toEqual(['1 spring', '2 spring']);
    for (const { exitCode, stderr } of runs) expect([0, 5], stderr).toContain(exitCode);
    expect((await asCompany()).exitCode).toBe(0);
    expect(await liveTasks()).toEqual(['1 spring', '2 spring']);
  });
});
