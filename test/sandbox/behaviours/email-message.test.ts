import { beforeEach, describe, expect, it } from 'vitest';
import { EMAIL, putEmail, putList, restrictSub, setAccount } from '../../support/messages.ts';
import { createTestSandbox, IDS, NOW, type TestSandbox } from '../../support/sandbox.ts';

let sandbox: TestSandbox;
beforeEach(async () => {
  sandbox = await createTestSandbox();
});

const BASE = 'http://127.0.0.1:4010';
const post = (more: object = {}) => sandbox.send('admin', 'POST', '/v1/emailMessage', { ...EMAIL, ...more });
const put = (id: unknown, body: object) => sandbox.send('admin', 'PUT', `/v1/emailMessage/${id}`, body);

describe('emailMessage POST', () => {
  it('creates one that can be edited, owned by the user of the request', async () => {
    const made = await sandbox.send('sub', 'POST', '/v1/emailMessage', EMAIL);
    expect([made.status, made.data]).toEqual([
      202,
      {
        id: 1,
        customoptin: false,
        defaultoptin: false,
        editable: true,
        editor: 1,
        ...EMAIL,
        galinkdata: false,
        friendlink: false,
        tracktextlinks: null,
        used: false,
        cdate: NOW,
        mdate: NOW,
      },
    ]);
    expect(await sandbox.rows('email_message')).toMatchObject([{ user_id: IDS.sub }]);
  });

  it.each([
    [1, true],
    [2, false],
    [3, false],
    [4, true],
  ])(
    'a message with editor %i has editable %s (Classic Editor and Campaign Designer are not)',
    async (editor, editable) => {
      expect((await post({ editor })).data).toMatchObject({ editor, editable });
    },
  );

  it('"fromemail must match a pre-configured sender address of the account"', async () => {
    await sandbox.put('sender_address', { account_id: IDS.company, email: 'news@example.com' });
    await sandbox.put('sender_address', { account_id: IDS.other, email: 'other@example.com' });
    expect((await post({ fromemail: 'News@example.com' })).status).toBe(202);
    const refused = await post({ fromemail: 'other@example.com' });
    expect(refused.status).toBe(400);
    expect(refused.response['additional_information']).toMatchObject([{ attribute: 'fromemail' }]);
    expect(await sandbox.rows('email_message')).toHaveLength(1);
  });

  it.each([
    ['no fromemail key', { fromemail: undefined }, 'fromemail'],
    ['no fromname', { fromname: undefined }, 'fromname'],
    ['no html', { html: undefined }, 'html'],
    ['no name', { name: undefined }, 'name'],
    ['no replyemail', { replyemail: undefined }, 'replyemail'],
    ['no subject', { subject: undefined }, 'subject'],
    ['no text', { text: undefined }, 'text'],
    ['html outside Windows-1252', { html: '<p>日本</p>' }, 'html'],
    ['text outside Windows-1252', { text: 'ł' }, 'text'],
    ['a subject outside Windows-1252', { subject: '🎉' }, 'subject'],
    ['a text line of 1001 octets with CR LF', { text: `${'x'.repeat(999)}\r\n` }, 'text'],
    ['U+0081 in the HTML, which Windows-1252 leaves open', { html: '<p>\u0081</p>' }, 'html'],
    ['U+009D in the subject, which Windows-1252 leaves open', { subject: '\u009d' }, 'subject'],
    ['a last line of 999 octets, which gets a CR LF', { text: `One\r\n${'x'.repeat(999)}` }, 'text'],
    [
      'customoptin without a svc_link',
      { customoptin: true, text: '<svc_name value="optin" alt="">' },
      'html',
    ],
    [
      'customoptin without a svc_name',
      { customoptin: true, html: '<svc_link value="%svc_optin%" name="opt-in">Yes</svc_link>' },
      'text',
    ],
    ['an invalid editor', { editor: 5 }, 'editor'],
    ['a read-only attribute', { defaultoptin: true }, 'defaultoptin'],
    ['a replyemail that is not an address', { replyemail: 'office' }, 'replyemail'],
  ])('rejects %s with 400 and creates nothing', async (_, more, attribute) => {
    const refused = await post(more);
    expect([refused.status, refused.response['subcode']]).toEqual([400, null]);
    expect(refused.response['additional_information']).toMatchObject([{ attribute }]);
    expect(await sandbox.rows('email_message')).toEqual([]);
  });

  it.each(['Łukasz', '日本', '🎉 Harbour'])(
    'accepts %s as fromname: only html, text and subject are converted to Windows-1252',
    async (fromname) => {
      const made = await post({ fromname });
      expect([made.status, made.data['fromname']]).toEqual([202, fromname]);
      const changed = await sandbox.send('admin', 'PUT', '/v1/emailMessage/1', { fromname: `${fromname} 2` });
      expect([changed.status, changed.data['fromname']]).toEqual([200, `${fromname} 2`]);
    },
  );

  // Interface, "Content rules": "a text line, including CR LF, must not exceed 1000 octets". Wire, "text lines": a tracking URI counts as
  // the address that it tracks.
  describe('a line of the text with a tracked link', () => {
    const URI = 'http://127.0.0.1:4010/t/c/';
    /** Returns a line of this many octets, CR LF included, with a link of 17 or of 300 octets. */
    const line = (octets: number, link = 'http://e.example/') =>
      `${link} ${'x'.repeat(octets - link.length - 3)}\r\n`;
    const long = `http://e.example/${'y'.repeat(283)}`;
    const put = (id: unknown, body: object) =>
      sandbox.send('admin', 'PUT', `/v1/emailMessage/${String(id)}`, body);

    it('may have 1000 octets before its link is tracked, and what GET returns can be sent back', async () => {
      const made = await post({ text: line(1000), tracktextlinks: true });
      expect(made.status).toBe(202);
      const text = String(made.data['text']);
      expect([text.startsWith(URI), Buffer.byteLength(text) > 1000]).toEqual([true, true]);
      const rows = await sandbox.rows('email_message_link');
      for (const body of [
        { text },
        { text, tracktextlinks: true },
        { name: 'X', text, html: made.data['html'] },
      ]) {
        const again = await put(made.data['id'], body);
        expect([again.status, again.data['text']]).toEqual([200, text]);
      }
      expect(await sandbox.rows('email_message_link')).toEqual(rows);
      const copied = await post({ text, tracktextlinks: true });
      expect([copied.status, Buffer.byteLength(String(copied.data['text']))]).toEqual([
        202,
        Buffer.byteLength(text),
      ]);
      expect((await put(made.data['id'], { text, tracktextlinks: false })).data['text']).toBe(line(1000));
    });

    it.each([
      ['1001 octets', line(1001)],
      ['a link that is longer than its tracking URI', line(1001, long)],
    ])('is refused with %s, also as its tracking URI', async (_, text) => {
      expect((await post({ text, tracktextlinks: true })).status).toBe(400);
      const link = text.split(' ')[0] ?? '';
      const made = await post({ text: `${link} Hi\r\n`, tracktextlinks: true });
      const rewritten = String(made.data['text']).split(' ')[0] ?? '';
      const refused = await put(made.data['id'], { text: text.replace(link, rewritten) });
      expect([refused.status, refused.response['additional_information']]).toMatchObject([
        400,
        [{ attribute: 'text', reason: expect.stringContaining('has 1001 bytes in line 1') }],
      ]);
      expect((await sandbox.rows('email_message'))[0]).toMatchObject({ name: EMAIL.name });
    });
  });

  it('accepts a last line of 998 octets', async () => {
    expect((await post({ text: 'x'.repeat(998) })).status).toBe(202);
  });

  it('reports in a sentence where a line is too long', async () => {
    expect((await post({ text: 'x'.repeat(999) })).response['message']).toBe(
      'text has 1001 bytes in line 1, its line end included; the limit is 1000',
    );
  });

  it('accepts a custom opt-in with both elements, and does not change them', async () => {
    const html = '<svc_link value="%svc_optin%" name="opt-in">Yes</svc_link>';
    const text = '<svc_name value="optin" alt="">';
    expect((await post({ customoptin: true, html, text })).data).toMatchObject({
      customoptin: true,
      html,
      text,
    });
  });

  // Interface, "Content rules": "`html` must contain a `svc_link` element … enclosing link text".
  const LINK = '<svc_link value="%svc_optin%" name="opt-in">Yes</svc_link>';
  const NAME = '<svc_name value="optin" alt="">';
  it.each([
    ['a comment', `<!-- ${LINK} -->`],
    ['<style>', `<style>${LINK}</style>`],
    ['<script>', `<script>${LINK}</script>`],
    ['<title>', `<title>${LINK}</title>`],
    ['<textarea>', `<textarea>${LINK}</textarea>`],
    ['the value of an attribute', `<p title='${LINK}'>a</p>`],
    ['an element that another link closes', '<svc_link value="%svc_optin%" name="opt-in"><a href="/x">a</a>'],
    ['an element without text', LINK.replace('Yes', ' &nbsp; <b></b>')],
    ['an element whose only text is hidden', LINK.replace('Yes', '<!-- Yes --><style>Yes</style>')],
    ['an element around a picture without a text', LINK.replace('Yes', '<img src="/x.png" alt="">')],
  ])('rejects a custom opt-in that has its link only in %s, with POST and PUT', async (_, html) => {
    const refused = await post({ customoptin: true, html, text: NAME });
    expect([refused.status, refused.response['additional_information']]).toMatchObject([
      400,
      [{ attribute: 'html', reason: expect.stringContaining('has no opt-in link, which customoptin needs') }],
    ]);
    expect(await sandbox.rows('email_message')).toEqual([]);
    const id = Number((await post({ customoptin: true, html: LINK, text: NAME })).data['id']);
    for (const body of [{ html }, { html, name: 'X', customoptin: true }])
      expect((await sandbox.send('admin', 'PUT', `/v1/emailMessage/${id}`, body)).status).toBe(400);
    const plain = Number((await post({ html, text: NAME })).data['id']);
    const marked = await sandbox.send('admin', 'PUT', `/v1/emailMessage/${plain}`, { customoptin: true });
    expect(marked.status).toBe(400);
    expect((await sandbox.rows('email_message')).map((each) => [each['html'], each['customoptin']])).toEqual([
      [LINK, 1],
      [html, 0],
    ]);
  });

  it.each([
    ['beside a comment', `<!-- ${LINK} -->${LINK}`],
    ['with a > in an attribute', LINK.replace(' value', ' title="1 > 0" value')],
    ['in capitals', LINK.replaceAll('svc_link', 'SVC_LINK')],
    ['around an element with text', LINK.replace('Yes', '<b>Yes</b>')],
    ['around a picture with a text', LINK.replace('Yes', '<img src="/x.png" alt="Yes">')],
    ['in a table', `<table><tr><td>${LINK}</td></tr></table>`],
  ])('accepts a custom opt-in with its link %s', async (_, html) => {
    const made = await post({ customoptin: true, html, text: NAME });
    expect([made.status, made.data['html']]).toEqual([202, html]);
  });

  it.each([['html'], ['text'], ['subject']])(
    '400 subcode 11 for a dynamic content syntax error in %s',
    async (part) => {
      const refused = await post({ [part]: 'Dear {% if email %}you' });
      expect(refused.status).toBe(400);
      expect(refused.response).toMatchObject({
        subcode: 11,
        additional_information: [
          { attribute: part, reason: 'at line 1, column 6: {% if %} has no {% endif %}' },
        ],
      });
      expect(await sandbox.rows('email_message')).toEqual([]);
    },
  );

  it('403 naming the feature while enableemail is false', async () => {
    await setAccount(sandbox, { enableemail: 0 });
    const refused = await post();
    expect([refused.status, refused.response['message']]).toEqual([
      403,
      expect.stringContaining('enableemail'),
    ]);
    expect(await sandbox.rows('email_message')).toEqual([]);
  });
});

describe('links: "rewritten to tracking URIs on POST/PUT and GET returns the rewritten version"', () => {
  const HTML = '<a href="https://a.example/?x=1&amp;y=2">a</a><area href=\'http://b.example\'>';
  const links = async () => (await sandbox.send('admin', 'GET', '/v1/emailMessageLink')).list;

  it('creates a row for each and returns tracking URIs', async () => {
    const made = await post({ html: HTML });
    expect(made.data['html']).toBe(`<a href="${BASE}/t/c/1">a</a><area href="${BASE}/t/c/2">`);
    const got = await sandbox.send('admin', 'GET', `/v1/emailMessage/${made.data['id']}`);
    expect(got.data['html']).toBe(made.data['html']);
    const common = { message_id: 1, name: null, task_id: 0, type: 'html', cdate: NOW };
    expect(await links()).toEqual([
      { id: 1, target: 'https://a.example/?x=1&y=2', ...common },
      { id: 2, target: 'http://b.example', ...common },
    ]);
  });

  it.each([
    ['mail addresses', '<a href="mailto:a@example.com">a</a>'],
    ['anchors', '<a href="#top" name="x">a</a>'],
    ['relative addresses', '<a href="/x">a</a>'],
    ['elements of the service', '<svc_link value="%svc_optin%" name="opt-in">a</svc_link>'],
    ['a target that is all personalisation', '<a href="{{ field.Site }}">a</a>'],
  ])('does not change %s', async (_, html) => {
    expect((await post({ html })).data['html']).toBe(html);
    expect(await sandbox.rows('email_message_link')).toEqual([]);
  });

  it('creates one row for each target, and names only personalised links', async () => {
    await post({
      html: `<a href="https://a.example" name="plain">1</a><a href="https://a.example">2</a>
        <a href="https://a.example/?c={{ field.City }}" name="city">3</a>`,
    });
    expect(await links()).toMatchObject([
      { target: 'https://a.example', name: null },
      { target: 'https://a.example/?c={{ field.City }}', name: 'city' },
    ]);
  });

  it('tracks the text only with tracktextlinks, which is always returned as null', async () => {
    const text = 'See https://a.example.';
    expect((await post({ text })).data).toMatchObject({ text, tracktextlinks: null });
    expect(await links()).toEqual([]);
    const tracked = await post({ text, tracktextlinks: true });
    expect(tracked.data).toMatchObject({ text: `See ${BASE}/t/c/1.`, tracktextlinks: null });
    expect(await links()).toMatchObject([{ type: 'text', target: 'https://a.example' }]);
  });

  it('follows a later change of tracktextlinks', async () => {
    const { id } = (await post({ text: 'See https://a.example.' })).data;
    expect((await put(id, { tracktextlinks: true })).data['text']).toBe(`See ${BASE}/t/c/1.`);
    expect((await put(id, { name: 'Other' })).data['text']).toBe(`See ${BASE}/t/c/1.`);
    expect((await put(id, { tracktextlinks: null })).data['text']).toBe('See https://a.example.');
    expect(await links()).toEqual([]);
  });

  it('keeps the ids of unchanged links, given as tracking URIs, targets or with another port', async () => {
    const { id, html } = (await post({ html: HTML })).data;
    const moved = String(html).replaceAll(':4010', ':5555');
    expect((await put(id, { html: `${moved}<a href="http://c.example">c</a>` })).data['html']).toBe(
      `${html}<a href="${BASE}/t/c/3">c</a>`,
    );
    await put(id, { html: '<a href="http://b.example">b</a>' });
    expect(await links()).toMatchObject([{ id: 2, target: 'http://b.example' }]);
  });

  it('uses the target of a tracking URI of another message', async () => {
    const { html } = (await post({ html: '<a href="http://b.example">b</a>' })).data;
    const copy = await post({ html });
    expect(copy.data['html']).toBe(`<a href="${BASE}/t/c/2">b</a>`);
    expect(await links()).toMatchObject([
      { message_id: 1, target: 'http://b.example' },
      { message_id: 2, target: 'http://b.example' },
    ]);
  });

  it('emailMessageLink has no POST, PUT or DELETE', async () => {
    await post({ html: HTML });
    for (const method of ['POST', 'PUT', 'DELETE'] as const) {
      const target = method === 'POST' ? '/v1/emailMessageLink' : '/v1/emailMessageLink/1';
      expect((await sandbox.send('admin', method, target)).status).toBe(405);
    }
    expect(await links()).toHaveLength(2);
  });

  it('emailMessageLink is found by id, message_id, task_id and type', async () => {
    await post({ html: '<a href="http://b.example">b</a>' });
    for (const query of ['id=1', 'message_id=1', 'task_id=0', 'type=html']) {
      expect((await sandbox.send('admin', 'HEAD', `/v1/emailMessageLink?${query}`)).status).toBe(200);
      expect((await sandbox.send('other', 'HEAD', `/v1/emailMessageLink?${query}`)).status).toBe(404);
    }
    expect((await sandbox.send('admin', 'GET', '/v1/emailMessageLink?target=x')).status).toBe(400);
  });
});

describe('emailMessage PUT', () => {
  it('changes only attributes that were sent', async () => {
    const id = await putEmail(sandbox);
    await sandbox.at(60);
    const changed = await put(id, { subject: 'Bye' });
    expect([changed.status, changed.data]).toMatchObject([
      200,
      { id, subject: 'Bye', html: '<p>Hello</p>', text: 'Hello', mdate: NOW + 60, cdate: NOW },
    ]);
  });

  it.each([
    ['editable 0: a task or a rule uses it', { editable: 0, used: 1 }],
    ['made by the Classic Editor', { editable: 0, editor: 2 }],
  ])('423 subcode 10, "Message $id is locked", %s', async (_, row) => {
    const id = await putEmail(sandbox, row);
    const refused = await put(id, { subject: 'Bye' });
    expect([refused.status, refused.response]).toMatchObject([
      423,
      { subcode: 10, message: `Message ${id} is locked` },
    ]);
    expect(await sandbox.rows('email_message')).toMatchObject([{ subject: 'Hello', mdate: NOW }]);
  });

  it.each([
    ['a syntax error', { html: '{{ colour }}' }, { code: 400, subcode: 11 }],
    ['a sender that is not set up', { fromemail: 'x@example.com' }, { code: 400, subcode: null }],
    ['customoptin without its elements', { customoptin: true }, { code: 400 }],
    ['a read-only attribute', { used: true }, { code: 400 }],
  ])('rejects %s and changes nothing', async (_, body, expected) => {
    const id = await putEmail(sandbox);
    const refused = await put(id, { name: 'Other', ...body });
    expect(refused.response).toMatchObject(expected);
    expect(await sandbox.rows('email_message')).toMatchObject([{ name: 'Message', html: '<p>Hello</p>' }]);
  });

  it('403 while enableemail is false; 404 for an unknown message', async () => {
    const id = await putEmail(sandbox);
    expect((await put(99, { name: 'Other' })).status).toBe(404);
    await setAccount(sandbox, { enableemail: 0 });
    expect((await put(id, { name: 'Other' })).status).toBe(403);
    expect(await sandbox.rows('email_message')).toMatchObject([{ name: 'Message' }]);
  });
});

describe('emailMessage GET and HEAD', () => {
  it('filters by customoptin, editable, name and used', async () => {
    await putEmail(sandbox, { name: 'A', customoptin: 1, editable: 0, used: 1 });
    await putEmail(sandbox, { name: 'B' });
    for (const query of ['customoptin=true', 'editable=false', 'name=A', 'used=true']) {
      expect((await sandbox.send('admin', 'GET', `/v1/emailMessage?${query}`)).list).toMatchObject([
        { name: 'A' },
      ]);
      expect((await sandbox.send('admin', 'HEAD', `/v1/emailMessage?${query}`)).status).toBe(200);
    }
    expect((await sandbox.send('admin', 'GET', '/v1/emailMessage?subject=Hello')).status).toBe(400);
  });

  it('shows a user who may not view all messages only their own, with their links', async () => {
    await restrictSub(sandbox);
    const html = '<a href="http://b.example">b</a>';
    await post({ html });
    const own = await sandbox.send('sub', 'POST', '/v1/emailMessage', { ...EMAIL, html });
    expect((await sandbox.send('sub', 'GET', '/v1/emailMessage')).list.map(({ id }) => id)).toEqual([
      own.data['id'],
    ]);
    expect((await sandbox.send('sub', 'GET', '/v1/emailMessageLink')).list).toMatchObject([
      { message_id: own.data['id'] },
    ]);
    expect((await sandbox.send('sub', 'PUT', '/v1/emailMessage/1', { name: 'X' })).status).toBe(404);
  });
});

describe('emailMessage DELETE: "soft delete as for smsMessage"', () => {
  it('hides it, even if a task is scheduled with it, and cancels no task', async () => {
    const list = await putList(sandbox);
    const { id } = (await post()).data;
    await sandbox.send('admin', 'POST', '/v1/task', {
      channel: 'email',
      message_id: id,
      name: 'T',
      scheduledtime: NOW + 600,
      list_id: list,
      search_id: null,
    });
    const removed = await sandbox.send('admin', 'DELETE', `/v1/emailMessage/${id}`);
    expect([removed.status, removed.data]).toEqual([200, { id }]);
    expect((await sandbox.send('admin', 'GET', `/v1/emailMessage/${id}`)).status).toBe(404);
    expect(await sandbox.rows('email_message')).toMatchObject([{ deleted: 1, html: '<p>Hello</p>' }]);
    expect(await sandbox.rows('task')).toMatchObject([{ cancelled: 0, due: NOW + 600 }]);
  });

  it('404 for another company', async () => {
    const id = await putEmail(sandbox);
    expect((await sandbox.send('other', 'DELETE', `/v1/emailMessage/${id}`)).status).toBe(404);
    expect(await sandbox.rows('email_message')).toMatchObject([{ deleted: 0 }]);
  });
});
