/** An independent client in another language: curl and openssl from a shell script, over plain HTTP. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { insertRow } from '../../src/sandbox/store/rows.ts';
import { automationKinds, automationRules, type Transcript, transcript } from '../resources/transcript.ts';
import { runSandbox, type SocketSandbox, temporaryFolder } from '../support/running-sandbox.ts';

let sandbox: SocketSandbox;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
/** `who METHOD target status` of each call, in order. */
let calls: readonly string[];

beforeAll(async () => {
  folder = await temporaryFolder();
  sandbox = await runSandbox(folder.path);
  const { baseUrl, company, partner } = sandbox.ready;
  const { stdout } = await promisify(execFile)(
    'sh',
    [new URL('./independent-client.sh', import.meta.url).pathname],
    {
      env: {
        ...process.env,
        BASE_URL: baseUrl,
        CID: String(company.id),
        USER_ID: String(company.adminUserId),
        KEY: company.apiKey,
        PID: String(partner.id),
        PARTNER_KEY: partner.apiKey,
        NO_PROXY: '*',
        ...(await whatTheInterfaceCannotMake(company.id, company.adminUserId)),
      },
    },
  );
  calls = stdout.trim().split('\n');
});

afterAll(async () => {
  await sandbox?.stop();
  await folder?.remove();
});

it('gets the documented response from every call', () => {
  expect(calls).toEqual(
    EXPECTED.trim()
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  );
});

it('performs every method of every resource, with success if it is supported and 405 if not', () => {
  const tables: readonly (readonly [string, Transcript])[] = [
    ...Object.entries(transcript),
    ...Object.keys(automationKinds).map((kind) => [kind, automationRules] as const),
  ];
  for (const [resource, table] of tables)
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'] as const) {
      const own = calls.filter((call) => new RegExp(`^\\S+ ${method} ${resource}([/?]\\S*)? `).test(call));
      const wanted = method === 'GET' || table[method] !== undefined ? /20[02]$/ : /405$/;
      expect([resource, method, own.some((call) => wanted.test(call))]).toEqual([resource, method, true]);
    }
});

it('causes no failure of the sandbox itself', () => {
  expect(sandbox.reports).toEqual([]);
});

async function whatTheInterfaceCannotMake(account_id: number, user_id: number) {
  const { db } = sandbox.service.store;
  const cdate = Math.floor(Date.now() / 1000);
  const list = async (name: string): Promise<number> => insertRow(db, 'list', { account_id, name, cdate });
  const lists = [await list('News'), await list('Offers')];
  const subscriber = await insertRow(db, 'subscriber', {
    account_id,
    email: 'someone@example.com',
    email_domain: 'example.com',
    msisdn: '447700900456',
    cdate,
  });
  for (const list_id of lists)
    await insertRow(db, 'subscription', { list_id, subscriber_id: subscriber, cdate });
  const field = await insertRow(db, 'profile_field', { account_id, name: 'colour' });
  const made = {
    LIST: lists[0],
    OTHER_LIST: lists[1],
    SUBSCRIBER: subscriber,
    FIELD: field,
    SEARCH: await insertRow(db, 'search', { account_id, name: 'Red', field_id: field, equals: 'red', cdate }),
    DESTINATION: await insertRow(db, 'sms_destination', { account_id, destination: '447700900999' }),
    FORM: await insertRow(db, 'form', { account_id, user_id, name: 'Join', cdate, mdate: cdate }),
  };
  return Object.fromEntries(Object.entries(made).map(([name, id]) => [name, String(id)]));
}

const rule = (kind: string): string => `
  company POST ${kind} 202
  company GET ${kind}/ID 200
  company GET ${kind}?paused=false&sort=name 200
  company HEAD ${kind}?name=R 200
  company PUT ${kind}/ID 200
  company PUT ${kind}/ID 200
  company DELETE ${kind}/ID 200`;

const EXPECTED = `
  company GET account 200
  company GET account/ID 200
  company HEAD account 200
  company POST account 405
  company PUT account 405
  company DELETE account 405
  company GET accountFeatures 200
  company PUT accountFeatures/ID 403
  partner GET accountFeatures 200
  partner PUT accountFeatures/ID 200
  partner PUT accountFeatures 200
  partner HEAD accountFeatures 405
  partner POST accountFeatures 405
  partner DELETE accountFeatures 405
  partner-alone POST account 202
  partner POST user 202
  partner GET user 200

  company POST user 202
  company POST user 409
  company POST user 400
  company GET user 200
  company GET user/ID 200
  company GET user?currentuser=true 200
  company HEAD user?username=u 200
  company HEAD user?username=nobody 404
  company PUT user/ID 200
  company DELETE user/ID 403
  company DELETE user/ID 200

  company GET folder?name=none 404
  company POST folder 202
  company POST folder/ 202
  company POST folder 400
  company GET folder?sort=name&reverse=true&count=1 200
  company GET folder?sort=mdate 400
  company HEAD folder/ID 200
  company PUT folder/ID 200
  company DELETE folder 400
  company DELETE folder 200

  company POST emailMessage 202
  company GET emailMessage 200
  company GET emailMessage/ID 200
  company HEAD emailMessage?editable=true 200
  company PUT emailMessage/ID 200
  company GET emailMessageLink?message_id=ID&type=html 200
  company GET emailMessageLink/ID 200
  company HEAD emailMessageLink?id=ID 200
  company POST emailMessageLink 405
  company PUT emailMessageLink/ID 405
  company DELETE emailMessageLink/ID 405
  company POST smsMessage 202
  company GET smsMessage?id=ID 200
  company HEAD smsMessage?used=0 200
  company PUT smsMessage/ID 200

  company POST task 202
  company POST task 202
  company POST task 400
  company GET task?channel=email&cancelled=false 200
  company GET task?list_id= 200
  company HEAD task?message_id=ID 200
  company PUT emailMessage/ID 423
  company PUT task/ID 200
  company PUT task/ID 200
  company PUT task/ID 409
  company DELETE task/ID 405
  company DELETE emailMessage/ID 200
  company DELETE smsMessage/ID 200

  company POST sms 202
  company GET sms/ID 200
  company HEAD sms?msisdn=447700900123 200
  company PUT sms/ID 405
  company DELETE sms/ID 405
  company GET smsDestination 200
  company HEAD smsDestination?isshortcode=false 200
  company PUT smsDestination/ID 200
  company PUT smsDestination/ID 200
  company POST smsDestination 405
  company DELETE smsDestination/ID 405

  company POST doNotContact 202
  company POST doNotContact 409
  company GET doNotContact?contactdata=gone@example.com 200
  company HEAD doNotContact?contactdata=gone@example.com 200
  company PUT doNotContact 405
  company DELETE doNotContact 400
  company DELETE doNotContact?contactdata=gone@example.com 200

  company GET form 200
  company GET form?user_id=ID 200
  company HEAD form/ID 200
  company POST form 405
  company PUT form/ID 405
  company DELETE form/ID 200

  company POST subscriberProfileData 202
  company GET subscriberProfileData 400
  company GET subscriberProfileData?subscriber_id=ID 200
  company HEAD subscriberProfileData/ID 200
  company PUT subscriberProfileData/ID 200
  company PUT subscriberProfileData 200
  company DELETE subscriberProfileData/ID 200

  company POST emailMessage 202
  ${rule('clickAutomation')}
  ${rule('openAutomation')}
  ${rule('subscriptionAutomation')}
  ${rule('dateAutomation')}
  ${rule('smsAutomation')}

  wrong-key GET account 401
  company GET nothing 404
  company POST folder 415`;
