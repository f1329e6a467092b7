/**
 * A script with an unset variable types `--keyword="$KEYWORD"`. An empty value must not become null if null means all, everything or now
 * (interface, smsAutomation: a null keyword catches all unmatched inbound messages).
 */
import { describe, expect, it } from 'vitest';
import { withEverything } from '../support/everything.ts';
import { NOBODY, PARTNER, runCli, serviceOf, writesIn } from '../support/run-cli.ts';

const SMS_RULE = ['automation', 'create', '--kind', 'sms', '--name', 'A', '--list', '1'];
const CLICK = ['automation', 'create', '--kind', 'click', '--name', 'A', '--message', '2'];
const NOTIFY = ['--actiontype', 'notify', '--actiontarget', 'a@example.com'];
const TASK = ['task', 'create', '--name', 'A', '--channel', 'email', '--message', 'Free', '--at', '+1d'];
const SEND = ['sms', 'send', '--to', '447700900123', '--from', 'Example', '--text', 'Hi'];

describe('an empty value of a nullable attribute is rejected, with the way to set null', () => {
  it.each([
    [[...SMS_RULE, '--keyword='], 'keyword'],
    [[...SMS_RULE, '--keyword', 'A', '--email-list='], 'email_list_id'],
    [[...SMS_RULE, '--keyword', 'A', '--message-actiononweekend='], 'message_actiononweekend'],
    [[...SMS_RULE, '--keyword', 'A', '--notifyurl='], 'notifyurl'],
    [['automation', 'update', 'sms:1', '--keyword='], 'keyword'],
    [['automation', 'update', 'sms:1', '--keyword=', '--no-validate'], 'keyword'],
    [[...CLICK, ...NOTIFY, '--link='], 'link_id'],
    [['sms-destination', 'update', '1', '--keyword='], 'keyword'],
    [[...TASK, '--list='], 'list_id'],
    [[...TASK, '--list', '1', '--rate='], 'rate'],
    [['task', 'update', 'Sale', '--search='], 'search_id'],
    [[...SEND, '--at='], 'senddate'],
    [[...SEND, '--senddate=', '--now'], 'senddate'],
    [['user', 'update', '2', '--msisdn='], 'msisdn'],
    [['user', 'update', '2', '--password='], 'password'],
  ])('%j', async (argv, attribute) => {
    const { transport, sent } = serviceOf(await withEverything());
    const run = await runCli(argv, { transport });
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    if (argv.includes('--now')) return;
    const flag = attribute.replaceAll('_', '-');
    expect(run.stderr).toMatch(new RegExp(`(--${flag}|\\(${attribute}\\)) is empty`));
    expect(run.stderr).toContain(`if null is meant, say --null ${attribute}`);
    expect(writesIn(sent)).toEqual([]);
  });

  it.each(['search-limit', 'subscriber-limit', 'automation-limit'])(
    'features set --%s= is rejected, because null would mean no limit',
    async (flag) => {
      const { transport, sent } = serviceOf(await withEverything());
      const run = await runCli(['features', 'set', `--${flag}=`], { transport, env: PARTNER });
      expect(run).toMatchObject({ exitCode: 2, stdout: '' });
      expect(run.stderr).toContain('is empty');
      expect(writesIn(sent)).toEqual([]);
    },
  );

  it('--null sets null, and so does null in --data', async () => {
    const { transport, sent } = serviceOf(await withEverything());
    for (const flags of [
      ['--null', 'keyword'],
      ['--data', '{"keyword":null}'],
    ])
      expect((await runCli(['automation', 'update', 'sms:1', ...flags], { transport })).exitCode).toBe(0);
    const bodies = sent.filter(({ method }) => method === 'PUT').map(({ body = '' }) => JSON.parse(body));
    expect(bodies).toEqual([{ keyword: null }, { keyword: null }]);
  });

  it('"" in --data is an empty text, which the declaration validates', async () => {
    const { transport, sent } = serviceOf(await withEverything());
    const keyword = await runCli(['automation', 'update', 'sms:1', '--data', '{"keyword":""}'], {
      transport,
    });
    expect(keyword).toMatchObject({ exitCode: 2, stdout: '' });
    const summary = await runCli(['automation', 'update', 'sms:1', '--data', '{"summary":""}'], {
      transport,
    });
    expect(summary.exitCode).toBe(0);
    expect(sent.map(({ body }) => body).filter(Boolean)).toEqual(['{"summary":""}']);
  });
});

describe('an empty text is accepted if the attribute allows one', () => {
  it.each([
    [
      ['subscriber-data', 'set', '1_1', '--value='],
      { subscriberprofilefield_id: 1, subscriber_id: 1, value: '' },
    ],
    [
      ['subscriber-data', 'set', '1_1', '--value', ''],
      { subscriberprofilefield_id: 1, subscriber_id: 1, value: '' },
    ],
  ])('%j', async (argv, body) => {
    const { transport, sent } = serviceOf(await withEverything());
    expect((await runCli(argv, { transport })).exitCode).toBe(0);
    expect(JSON.parse(sent.at(-1)?.body ?? '')).toEqual(body);
  });
});

describe('an empty filter is rejected, because a service that ignores it would return every record', () => {
  it.each([
    ['task', 'list', '--list='],
    ['task', 'list', '--name='],
    ['task', 'exists', '--list='],
    ['folder', 'list', '--name='],
    ['folder', 'exists', '--name='],
    ['sms', 'list', '--to='],
    ['dnc', 'list', '--contactdata='],
    ['subscriber-data', 'list', '--subscriber='],
    ['subscriber-data', 'delete', '--subscriber=', '--yes'],
    ['automation', 'list', '--name='],
    ['automation', 'list', '--user='],
    ['automation', 'exists', '--name='],
  ])('%s %s %s', async (...argv) => {
    const { transport, sent } = serviceOf(await withEverything());
    const run = await runCli(argv, { transport });
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(sent).toEqual([]);
  });

  it('--null finds the records without a value', async () => {
    const { transport, sent } = serviceOf(await withEverything());
    expect((await runCli(['task', 'list', '--null', 'list-id', '-o', 'json'], { transport })).exitCode).toBe(
      0,
    );
    expect(sent.at(-1)?.query).toContain('list_id=');
    expect((await runCli(['task', 'exists', '--null', 'list_id'], { transport })).exitCode).toBe(4);
    const run = await runCli(['task', 'list', '--null', 'name'], { transport });
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect((await runCli(['task', 'list', '--null', 'list_id', '--list', '1'], { transport })).exitCode).toBe(
      2,
    );
  });
});

describe('an empty name is rejected', () => {
  it.each([
    ['folder', 'get', ''],
    ['folder', 'delete', '', '--yes'],
    ['folder', 'update', ' ', '--name', 'A'],
    ['folder', 'exists', ''],
    ['task', 'cancel', '', '--yes'],
    ['dnc', 'get', ''],
    ['dnc', 'remove', '', '--yes'],
    ['dnc', 'add', '', '--yes'],
    ['automation', 'delete', '', '--yes'],
    ['automation', 'exists', ''],
    [...TASK, '--list', '1', '--message='],
    ['api', 'DELETE', '/v1/doNotContact', '--data', '', '--yes'],
    ['api', 'DELETE', '/v1/doNotContact', '--data', '{}', '--yes'],
    ['api', 'DELETE', '/v1/doNotContact', '--data', '{"contactdata":""}', '--yes'],
    ['api', 'DELETE', '/v1/doNotContact?contactdata=', '--yes'],
  ])('%j', async (...argv) => {
    const { transport, sent } = serviceOf(await withEverything());
    const run = await runCli(argv, { transport });
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(sent.filter(({ query, path }) => query.includes('=') && !path.includes('account'))).toEqual([]);
    expect(writesIn(sent)).toEqual([]);
  });
});

describe('empty values of other flags are rejected', () => {
  it.each([
    ['folder', 'list', '--fields='],
    ['folder', 'list', '--query='],
    ['folder', 'list', '--company='],
    ['folder', 'list', '--user='],
    ['folder', 'list', '--profile='],
    ['folder', 'list', '--base-url='],
    ['folder', 'list', '--output='],
    ['folder', 'list', '--timeout='],
    ['folder', 'list', '--retries='],
    ['folder', 'list', '--tz='],
    ['folder', 'list', '--sort='],
    ['folder', 'list', '--limit='],
    ['folder', 'create', '--name', 'A', '--key='],
    ['sandbox', 'reset', '--data=', '--yes'],
    ['sandbox', 'stop', '--data='],
    ['sandbox', 'start', '--data='],
    ['sandbox', 'fault', 'set', '--kind', 'error', '--match='],
    ['sandbox', 'list', 'create', '--name='],
  ])('%s %s %s %s', async (...argv) => {
    const { transport, sent } = serviceOf(await withEverything());
    const run = await runCli(argv, argv[0] === 'sandbox' ? { env: NOBODY } : { transport });
    expect(run, run.stderr).toMatchObject({ exitCode: 2, stdout: '' });
    expect(writesIn(sent)).toEqual([]);
  });
});
