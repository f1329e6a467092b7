import { beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../../src/sandbox/store/driver/sql.ts';
import {
  type As,
  createTestSandbox,
  IDS,
  KEYS,
  NOW,
  readAnswer,
  type TestSandbox,
} from '../../support/sandbox.ts';
import { signing } from '../../support/signing.ts';

let sandbox: TestSandbox;
beforeEach(async () => {
  sandbox = await createTestSandbox();
});

const PERSON = {
  email: 'new@example.com',
  firstname: 'New',
  lastname: 'Person',
  username: 'new',
  password: 'secret123',
};
const ids = async (as: As, query = ''): Promise<unknown[]> =>
  (await sandbox.send(as, 'GET', `/v1/user${query}`)).list.map(({ id }) => id);
const attributesOf = (answer: { readonly response: Readonly<Record<string, unknown>> }): string[] =>
  (answer.response['additional_information'] as { attribute: string }[]).map(({ attribute }) => attribute);
const change = (table: 'account' | 'user', id: number, set: string) =>
  sandbox.service.store.db.run(sql`update ${sql.ref(table)} set ${sql.raw(set)} where id = ${id}`);

describe('user GET: "admin users can read all users", "sub-users can read and modify only their own record"', () => {
  it('has every field of the table; the password "is always returned as null"', async () => {
    expect((await sandbox.send('admin', 'GET', '/v1/user/2')).data).toEqual({
      id: 2,
      active: true,
      currentuser: false,
      email: 'sub@example.com',
      firstname: 'First',
      isadmin: false,
      lastlogon: null,
      locked: false,
      logins: 0,
      msisdn: null,
      password: null,
      lastname: 'Last',
      username: 'sub',
      timezone: 'Europe/London',
      cdate: NOW - 86_400,
      mdate: NOW - 86_400,
    });
  });

  it.each<readonly [As, readonly number[]]>([
    ['admin', [1, 2, 3]],
    ['partner', [1, 2, 3]],
    ['sub', [2]],
    ['other', [4]],
  ])('as %s', async (as, expected) => {
    expect(await ids(as)).toEqual(expected);
  });

  it.each<readonly [As, number, number]>([
    ['sub', 2, 200],
    ['sub', 1, 404],
    ['sub', 3, 404],
    ['admin', 4, 404],
    ['partner', 4, 404],
    ['other', 1, 404],
  ])('as %s of user %i is %i', async (as, id, status) => {
    expect((await sandbox.send(as, 'GET', `/v1/user/${id}`)).status).toBe(status);
  });

  it('filters by id, currentuser and username; sorts by id and cdate', async () => {
    expect(await ids('admin', '?currentuser=true')).toEqual([1]);
    expect(await ids('admin', '?currentuser=false')).toEqual([2, 3]);
    expect(await ids('admin', '?username=sub2')).toEqual([3]);
    expect(await ids('admin', '?username=sub2&currentuser=true')).toEqual([]);
    expect(await ids('admin', '?sort=cdate&reverse=true')).toEqual([3, 2, 1]);
    for (const query of ['active=true', 'email=a', 'isadmin=true', 'sort=username', 'sort=mdate'])
      expect((await sandbox.send('admin', 'GET', `/v1/user?${query}`)).status).toBe(400);
  });
});

describe('user HEAD: "id, currentuser, username"', () => {
  it.each<readonly [As, string, number]>([
    ['admin', '/v1/user', 200],
    ['admin', '/v1/user/3', 200],
    ['admin', '/v1/user?username=sub', 200],
    ['admin', '/v1/user?currentuser=true&id=1', 200],
    ['admin', '/v1/user?currentuser=true&id=2', 404],
    ['admin', '/v1/user?username=nobody', 404],
    ['sub', '/v1/user?username=sub2', 404],
    ['admin', '/v1/user?email=sub@example.com', 400],
    ['other', '/v1/user/1', 404],
  ])('as %s %s is %i', async (as, target, status) => {
    const answer = await sandbox.send(as, 'HEAD', target);
    expect([answer.status, answer.text]).toEqual([status, '']);
  });
});

describe('user POST: "admin users can ... create users"', () => {
  it('creates a sub-user who can make requests at once', async () => {
    const made = await sandbox.send('admin', 'POST', '/v1/user', { ...PERSON, msisdn: '+447700900123' });
    expect(made.status).toBe(202);
    expect(made.data).toMatchObject({
      id: 5,
      active: true,
      currentuser: false,
      isadmin: false,
      locked: false,
      logins: 0,
      lastlogon: null,
      msisdn: '447700900123',
      password: null,
      username: 'new',
      cdate: NOW,
      mdate: NOW,
    });
    const request = signing({ cid: 1, uid: 5, key: KEYS.company, target: '/v1/user' });
    expect(readAnswer(await sandbox.service.handle(request)).list.map(({ id }) => id)).toEqual([5]);
    expect(JSON.stringify(await sandbox.rows('user'))).not.toContain(PERSON.password);
  });

  // Interface, "Limits": "at least seven characters with letters and numbers". It does not say of which script.
  it.each(['é123456', 'пароль1', 'パスワード七7'])('accepts the password %s', async (password) => {
    expect((await sandbox.send('admin', 'POST', '/v1/user', { ...PERSON, password })).status).toBe(202);
  });

  it('accepts active false and a null password', async () => {
    const made = await sandbox.send('admin', 'POST', '/v1/user', {
      ...PERSON,
      active: false,
      password: null,
    });
    expect([made.status, made.data['active']]).toEqual([202, false]);
  });

  it.each<readonly [string, object, readonly string[]]>([
    ['nothing', {}, ['email', 'firstname', 'lastname', 'username', 'password']],
    ['no password: null must be sent', { ...PERSON, password: undefined }, ['password']],
    ['six characters', { ...PERSON, password: 'abc123' }, ['password']],
    ['letters only', { ...PERSON, password: 'abcdefgh' }, ['password']],
    ['numbers only', { ...PERSON, password: '12345678' }, ['password']],
    ['letters beyond ASCII only', { ...PERSON, password: 'пароль' }, ['password']],
    ['an invalid address', { ...PERSON, email: 'none' }, ['email']],
    ['an invalid number', { ...PERSON, msisdn: '123' }, ['msisdn']],
    ['an empty username', { ...PERSON, username: '' }, ['username']],
    [
      'isadmin: "only partners can create a user with isadmin true"',
      { ...PERSON, isadmin: true },
      ['isadmin'],
    ],
    [
      'read-only attributes',
      { ...PERSON, logins: 3, locked: true, currentuser: true },
      ['logins', 'locked', 'currentuser'],
    ],
    ['a timezone, which POST does not accept', { ...PERSON, timezone: 'UTC' }, ['timezone']],
  ])('400 for %s', async (_, body, attributes) => {
    const refused = await sandbox.send('admin', 'POST', '/v1/user', body);
    expect(refused.status).toBe(400);
    expect(attributesOf(refused).sort()).toEqual([...attributes].sort());
    expect(await sandbox.rows('user')).toHaveLength(4);
  });

  it.each(['sub', 'sub2'] as const)("403 as %s: an admin's action by a sub-user", async (as) => {
    expect((await sandbox.send(as, 'POST', '/v1/user', PERSON)).status).toBe(403);
    expect(await sandbox.rows('user')).toHaveLength(4);
  });

  it('409 with resource_id for a username that the company has, but not for one of another company', async () => {
    const refused = await sandbox.send('admin', 'POST', '/v1/user', { ...PERSON, username: 'sub' });
    expect(refused.status).toBe(409);
    expect(refused.response).toMatchObject({ code: 409, subcode: null, resource_id: 2 });
    expect(await sandbox.rows('user')).toHaveLength(4);
    expect((await sandbox.send('other', 'POST', '/v1/user', { ...PERSON, username: 'sub' })).status).toBe(
      202,
    );
  });

  it('409 with the name user_limit beyond it: "Sub-users allowed"', async () => {
    await change('account', IDS.company, 'user_limit = 3');
    expect((await sandbox.send('admin', 'POST', '/v1/user', PERSON)).status).toBe(202);
    const refused = await sandbox.send('admin', 'POST', '/v1/user', { ...PERSON, username: 'more' });
    expect([refused.status, refused.response['message']]).toEqual([
      409,
      expect.stringContaining('user_limit'),
    ]);
    expect(await sandbox.rows('user')).toHaveLength(5);
  });

  describe('by a partner: "additionally: optional isadmin"', () => {
    it('creates sub-users', async () => {
      const made = await sandbox.send('partner', 'POST', '/v1/user', { ...PERSON, isadmin: false });
      expect([made.status, made.data['isadmin']]).toEqual([202, false]);
    });

    it('409 with resource_id for a second admin of a company', async () => {
      const refused = await sandbox.send('partner', 'POST', '/v1/user', { ...PERSON, isadmin: true });
      expect([refused.status, refused.response['resource_id']]).toEqual([409, IDS.admin]);
      expect(await sandbox.rows('user')).toHaveLength(4);
    });

    it('403 for a company that it does not manage', async () => {
      expect((await sandbox.send('stranger', 'POST', '/v1/user', PERSON)).status).toBe(403);
      expect(await sandbox.rows('user')).toHaveLength(4);
    });

    it('"the first user created for an account must be an admin"', async () => {
      await sandbox.put('account', {
        partner_id: 1,
        api_key: KEYS.other,
        name: 'Empty',
        contactemail: 'a@example.com',
        timezone: 'UTC',
        user_limit: 1,
        cdate: NOW,
        mdate: NOW,
      });
      const post = async (body: object) =>
        readAnswer(
          await sandbox.service.handle(
            signing({
              pid: 1,
              cid: 4,
              key: KEYS.partner,
              method: 'POST',
              target: '/v1/user',
              body: JSON.stringify(body),
            }),
          ),
        );
      const refused = await post(PERSON);
      expect([refused.status, attributesOf(refused)]).toEqual([400, ['isadmin']]);
      expect(await sandbox.rows('user')).toHaveLength(4);
      const made = await post({ ...PERSON, isadmin: true });
      expect([made.status, made.data['isadmin']]).toEqual([202, true]);
      expect((await post({ ...PERSON, username: 'second' })).status).toBe(202);
    });
  });
});

describe('user PUT: "admin users can ... modify other users"', () => {
  it.each([
    ['active', false],
    ['email', 'changed@example.com'],
    ['firstname', 'Changed'],
    ['lastname', 'Changed'],
    ['msisdn', '447700900123'],
    ['msisdn', null],
    ['username', 'changed'],
  ])('%s becomes %j, and nothing else', async (attribute, value) => {
    const before = (await sandbox.send('admin', 'GET', '/v1/user/2')).data;
    const answer = await sandbox.send('admin', 'PUT', '/v1/user/2', { [attribute]: value });
    expect(answer.status).toBe(200);
    expect(answer.data).toEqual({ ...before, [attribute]: value, mdate: NOW });
    expect((await sandbox.rows('user'))[2]).toMatchObject({ username: 'sub2', mdate: NOW - 86_400 });
  });

  it('a password is accepted and never shown or stored unencrypted', async () => {
    const answer = await sandbox.send('admin', 'PUT', '/v1/user/2', { password: 'secret123' });
    expect([answer.status, answer.data['password'], answer.data['mdate']]).toEqual([200, null, NOW]);
    expect(JSON.stringify(await sandbox.rows('user'))).not.toContain('secret123');
  });

  // Interface, "Limits": "Lock-out: 3 consecutive failed logins". Wire, "a locked user".
  describe('of a locked user', () => {
    beforeEach(() => change('user', IDS.sub, 'locked = 1, failed_logins = 3'));
    const password = 'harbour77';

    it.each(['admin', 'partner'] as const)('a password by the %s unlocks the user', async (as) => {
      const answer = await sandbox.send(as, 'PUT', '/v1/user/2', { password });
      expect([answer.status, answer.data['locked']]).toEqual([200, false]);
      expect((await sandbox.rows('user'))[1]).toMatchObject({ locked: 0, failed_logins: 0 });
      expect((await sandbox.send('sub', 'GET', '/v1/user/2')).status).toBe(200);
    });

    it.each([{ password: null }, { firstname: 'X' }, { active: true }, {}])(
      '%j keeps the lock',
      async (body) => {
        expect((await sandbox.send('admin', 'PUT', '/v1/user/2', body)).data['locked']).toBe(true);
        expect((await sandbox.send('sub', 'GET', '/v1/user/2')).status).toBe(403);
      },
    );

    it('the user themselves cannot', async () => {
      expect((await sandbox.send('sub', 'PUT', '/v1/user/2', { password })).status).toBe(403);
      expect((await sandbox.rows('user'))[1]).toMatchObject({ locked: 1 });
    });
  });

  it.each(['admin', 'partner'] as const)('the %s makes an inactive user active again', async (as) => {
    await change('user', IDS.sub, 'active = 0');
    expect((await sandbox.send('sub', 'GET', '/v1/user/2')).status).toBe(403);
    expect((await sandbox.send(as, 'PUT', '/v1/user/2', { active: true })).data['active']).toBe(true);
    expect((await sandbox.send('sub', 'GET', '/v1/user/2')).status).toBe(200);
  });

  it('an empty change also keeps mdate', async () => {
    const answer = await sandbox.send('admin', 'PUT', '/v1/user/2', {});
    expect([answer.status, answer.data['mdate']]).toEqual([200, NOW - 86_400]);
  });

  it.each<readonly [string, object, readonly string[]]>([
    ['isadmin', { isadmin: true }, ['isadmin']],
    ['locked and logins', { locked: false, logins: 0 }, ['locked', 'logins']],
    ['a weak password', { password: 'weak' }, ['password']],
    ['null for an attribute that is never null', { email: null, firstname: null }, ['email', 'firstname']],
    ['unknown attributes', { colour: 'red' }, ['colour']],
  ])('400 for %s, as admin and as partner', async (_, body, attributes) => {
    const before = await sandbox.rows('user');
    for (const as of ['admin', 'partner'] as const) {
      const refused = await sandbox.send(as, 'PUT', '/v1/user/2', body);
      expect([refused.status, attributesOf(refused)]).toEqual([400, attributes]);
    }
    expect(await sandbox.rows('user')).toEqual(before);
  });

  it("409 with resource_id for a username that another user has, but not for the user's own", async () => {
    const refused = await sandbox.send('admin', 'PUT', '/v1/user/2', { username: 'sub2', firstname: 'X' });
    expect([refused.status, refused.response['resource_id']]).toEqual([409, IDS.sub2]);
    expect((await sandbox.rows('user'))[1]).toMatchObject({ username: 'sub', firstname: 'First' });
    expect((await sandbox.send('admin', 'PUT', '/v1/user/2', { username: 'sub' })).status).toBe(200);
  });

  it('403 with the name enablechangepassword while it is false: "users may change passwords"', async () => {
    await change('account', IDS.company, 'enablechangepassword = 0');
    for (const as of ['admin', 'sub'] as const) {
      const refused = await sandbox.send(as, 'PUT', '/v1/user/2', { password: 'secret123', firstname: 'X' });
      expect([refused.status, refused.response['message']]).toEqual([
        403,
        expect.stringContaining('enablechangepassword'),
      ]);
    }
    expect((await sandbox.rows('user'))[1]).toMatchObject({ firstname: 'First' });
    expect((await sandbox.send('sub', 'PUT', '/v1/user/2', { firstname: 'X' })).status).toBe(200);
  });

  it('404 for an unknown user, or one of another company', async () => {
    for (const id of [99, IDS.otherAdmin])
      expect((await sandbox.send('admin', 'PUT', `/v1/user/${id}`, { firstname: 'X' })).status).toBe(404);
    expect((await sandbox.rows('user'))[3]).toMatchObject({ firstname: 'First' });
  });
});

describe('user PUT: "sub-users can read and modify only their own record"', () => {
  it('changes their own record', async () => {
    const answer = await sandbox.send('sub', 'PUT', '/v1/user/2', { firstname: 'Own' });
    expect([answer.status, answer.data['firstname'], answer.data['currentuser']]).toEqual([200, 'Own', true]);
  });

  it.each([IDS.admin, IDS.sub2])('403 for user %i', async (id) => {
    const before = await sandbox.rows('user');
    expect((await sandbox.send('sub', 'PUT', `/v1/user/${id}`, { firstname: 'X' })).status).toBe(403);
    expect((await sandbox.send('sub', 'PUT', '/v1/user', { id, firstname: 'X' })).status).toBe(403);
    expect(await sandbox.rows('user')).toEqual(before);
  });
});

describe('user DELETE: "delete other users (not themselves)"', () => {
  it('deletes another user as the admin', async () => {
    const answer = await sandbox.send('admin', 'DELETE', '/v1/user/2');
    expect([answer.status, answer.data]).toEqual([200, { id: 2 }]);
    expect((await sandbox.rows('user')).map(({ id }) => id)).toEqual([1, 3, 4]);
    expect((await sandbox.send('sub', 'GET', '/v1/user')).status).toBe(401);
  });

  it('deletes a sub-user as a partner', async () => {
    expect((await sandbox.send('partner', 'DELETE', '/v1/user', { id: 3 })).status).toBe(200);
    expect((await sandbox.rows('user')).map(({ id }) => id)).toEqual([1, 2, 4]);
  });

  it.each<readonly [string, As, string, number]>([
    ['the admin themselves', 'admin', '/v1/user/1', 403],
    ['a sub-user another', 'sub', '/v1/user/3', 403],
    ['a sub-user themselves', 'sub', '/v1/user/2', 403],
    ['an unknown one', 'admin', '/v1/user/99', 404],
    ["another company's", 'admin', '/v1/user/4', 404],
    ['no user', 'admin', '/v1/user', 400],
    ['by username', 'admin', '/v1/user?username=sub', 400],
    ['a partner of another company', 'stranger', '/v1/user/2', 403],
    ['a partner the one admin: "has exactly one admin user"', 'partner', '/v1/user/1', 409],
  ])('rejects %s', async (_, as, target, status) => {
    expect((await sandbox.send(as, 'DELETE', target)).status).toBe(status);
    expect(await sandbox.rows('user')).toHaveLength(4);
  });
});
