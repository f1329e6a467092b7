/** Interface, accountFeatures PUT: the conditional settings, one by one and all together. */
import { beforeEach, describe, expect, it } from 'vitest';
import { setAccount } from '../../../support/messages.ts';
import { PARTNER, runCli, serviceOf, writesIn } from '../../../support/run-cli.ts';
import { createTestSandbox, type TestSandbox } from '../../../support/sandbox.ts';

let sandbox: TestSandbox;
let service: ReturnType<typeof serviceOf>;
beforeEach(async () => {
  sandbox = await createTestSandbox();
  service = serviceOf(sandbox);
});
const set = (...flags: string[]) =>
  runCli(['features', 'set', ...flags, '-o', 'json'], { ...service, env: PARTNER });
const detailsOf = (stderr: string) => JSON.parse(stderr).error.details;

/** The condition, the attribute that depends on it, a value of that attribute, and the flags for it. */
const CONDITIONAL = [
  ['enablecustommaildomain', 'custommaildomaintype', 'domain'],
  ['enablecustommaildomain', 'maildomainprimary', 'news.example.com'],
  ['enablesendbulkemail', 'enablesplittest', true],
  ['enablesubscriberprofilefields', 'subscriberprofilefield_limit', 20],
  ['enablesms', 'enablesubscriptionmo', true],
] as const;

describe.each(CONDITIONAL)('%s: "%s only if" it is true', (condition, dependent, value) => {
  const flag = `--${dependent.replaceAll('_', '-')}`;
  const given = [flag, String(value)];

  it('is rejected if the same change switches it off, with both names, and nothing is sent', async () => {
    const run = await set(`--no-${condition}`, ...given);
    expect([run.exitCode, run.stdout, service.sent]).toEqual([2, '', []]);
    expect(detailsOf(run.stderr)).toEqual([
      {
        attribute: dependent,
        flag,
        value,
        reason: `can be set only if --${condition} is true`,
        instead: `set --${condition} to true, or leave ${flag} out`,
      },
    ]);
  });

  it('is rejected if it is off now, and the error says so', async () => {
    await setAccount(sandbox, { [condition]: 0, [dependent]: null });
    const run = await set(...given);
    expect([run.exitCode, run.stdout, writesIn(service.sent)]).toEqual([2, '', []]);
    expect(detailsOf(run.stderr)).toMatchObject([
      {
        attribute: dependent,
        reason: `can be set only if --${condition} is true`,
      },
    ]);
    expect(JSON.parse(run.stderr.trim().split('\n').at(-1) ?? '').error.message).toContain(
      'the present features do not allow this',
    );
  });

  it('is accepted together with it, and if it is on now', async () => {
    await setAccount(sandbox, { [condition]: 0, [dependent]: null });
    const both = await set(`--${condition}`, ...given);
    expect(JSON.parse(both.stdout)).toMatchObject({ [condition]: true, [dependent]: value });
    const alone = await set(...given);
    expect(JSON.parse(alone.stdout)).toMatchObject({ [dependent]: value });
  });

  it('can be null in any case', async () => {
    await setAccount(sandbox, { [condition]: 0, [dependent]: null });
    expect((await set('--null', dependent)).exitCode).toBe(0);
    expect((await set(`--no-${condition}`, '--null', dependent)).exitCode).toBe(0);
  });

  it('--no-validate leaves the check to the service', async () => {
    await setAccount(sandbox, { [condition]: 0, [dependent]: null });
    const run = await set(...given, '--no-validate');
    expect(run.exitCode).toBe(6);
    expect(writesIn(service.sent)).toEqual(['PUT /v1/accountFeatures/1']);
  });
});

it('reports all of them together with other faults', async () => {
  const off = [...new Set(CONDITIONAL.map(([condition]) => `--no-${condition}`))];
  const values = CONDITIONAL.flatMap(([, dependent, value]) => [
    `--${dependent.replaceAll('_', '-')}`,
    String(value),
  ]);
  const run = await set(...off, ...values, '--subscriber-limit', '0');
  expect([run.exitCode, service.sent]).toEqual([2, []]);
  expect(
    detailsOf(run.stderr)
      .map(({ attribute }: { attribute: string }) => attribute)
      .sort(),
  ).toEqual([...CONDITIONAL.map(([, dependent]) => dependent), 'subscriber_limit'].sort());
});

it('reports all attributes whose feature is off now', async () => {
  const off = { enablecustommaildomain: 0, enablesendbulkemail: 0, enablesplittest: null };
  await setAccount(sandbox, off);
  const run = await set('--custommaildomaintype', 'domain', '--enablesplittest');
  expect([run.exitCode, writesIn(service.sent)]).toEqual([2, []]);
  expect(detailsOf(run.stderr)).toHaveLength(2);
});

it('names the features that a change switches off, before it sends', async () => {
  await setAccount(sandbox, { enablesplittest: 1 });
  const run = await runCli(['features', 'set', '--no-enablesendbulkemail'], { ...service, env: PARTNER });
  expect(run.exitCode).toBe(0);
  expect(run.stderr).toContain(
    'enablesplittest has the value true, but cannot have a value while enablesendbulkemail is false\n',
  );
  const again = await runCli(['features', 'set', '--no-enablesendbulkemail'], { ...service, env: PARTNER });
  expect(again.stderr).not.toContain('has no value');
});
