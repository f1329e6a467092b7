/** Acceptance, M11: one message with 50,000 links took 41 s in one transaction, and all other requests waited. */
import { expect, it } from 'vitest';
import { HTML_SLICE_UTF16_UNITS } from '../../../src/kit/text/html-tokens.ts';
import { ownTime } from '../../support/own-time.ts';
import { createTestSandbox, readAnswer, signed } from '../../support/sandbox.ts';

const FEW = Number(process.env['SVC_LINKS'] ?? 2_500);
/** Four times as many links may take ten times as long on a busy machine. Work that grows with the square takes sixteen times as long. */
const GROWTH = 10;
const SWIFT_MS = 1_500;

const message = { fromemail: null, fromname: 'F', name: 'N', replyemail: 'a@example.com', subject: 'S' };
const times = (count: number, part: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => part(at)).join('');

/** Parts of a message that contain `count` links. */
const SHAPES: readonly (readonly [string, (count: number) => Readonly<Record<string, unknown>>])[] = [
  ['links', (count) => ({ html: times(count, (at) => `<a href="https://e.example/${at}">x</a>`), text: '' })],
  [
    'addresses in the text',
    (count) => ({ html: '', text: times(count, (at) => `https://e.example/${at}\n`), tracktextlinks: true }),
  ],
  [
    'tracking addresses',
    (count) => ({ html: times(count, (at) => `<a href="http://127.0.0.1:4010/t/c/${at}">x</a>`), text: '' }),
  ],
  [
    'attributes of one link',
    (count) => ({ html: `<a ${times(count, (at) => `a${at}=1 `)}href="http://x">`, text: '' }),
  ],
  ['tags that never end', (count) => ({ html: '<a href="http://x'.repeat(count), text: '' })],
  ['comments that never end', (count) => ({ html: '<!--<script '.repeat(count), text: '' })],
  ['personalisation', (count) => ({ html: '{{ email }}{% if email %}x{% endif %}'.repeat(count), text: '' })],
  [
    'opt-in elements',
    (count) => ({ html: '<svc_link value="%svc_optin%">x</svc_link>'.repeat(count), text: '' }),
  ],
  [
    'opt-in elements that are not closed',
    (count) => ({ html: '<svc_link value="%svc_optin%" name="opt-in">'.repeat(count), text: '' }),
  ],
  ['lines', (count) => ({ html: '', text: 'x\n'.repeat(count) })],
];

it.each(SHAPES)('the work for %s grows with the number of links, not with its square', async (_, shape) => {
  const spent: number[] = [];
  for (const count of [FEW, 4 * FEW]) {
    const sandbox = await createTestSandbox();
    const began = ownTime();
    const made = await sandbox.send('admin', 'POST', '/v1/emailMessage', { ...message, ...shape(count) });
    expect(made.status).toBe(202);
    const { id, html, text } = made.data;
    const path = `/v1/emailMessage/${id}`;
    expect((await sandbox.send('admin', 'PUT', path, { html, text })).status).toBe(200);
    expect((await sandbox.send('admin', 'PUT', path, { html: '', text: '' })).status).toBe(200);
    spent.push(ownTime() - began);
    expect(await sandbox.rows('email_message_link')).toEqual([]);
    await sandbox.service.store.close();
  }
  const [few = 0, many = 0] = spent;
  expect(many).toBeLessThan(Math.max(SWIFT_MS, few * GROWTH));
});

// Hostile HTML of an opt-in message, which the declaration scans and the sandbox parses.
it.each([
  ['elements that are not closed', '<svc_link value="%svc_optin%" name="opt-in">'],
  ['tags that never end', '<svc_link "'],
  ['elements without text', '<svc_link value="%svc_optin%" name="opt-in"></svc_link>'],
])('the opt-in link is looked for in time that grows with the number of %s', async (_, part) => {
  const sandbox = await createTestSandbox();
  const spent: number[] = [];
  for (const count of [10 * FEW, 40 * FEW]) {
    const began = ownTime();
    const refused = await sandbox.send('admin', 'POST', '/v1/emailMessage', {
      ...message,
      customoptin: true,
      html: part.repeat(count),
      text: '<svc_name value="optin" alt="">',
    });
    expect(refused.status).toBe(400);
    spent.push(ownTime() - began);
  }
  const [few = 0, many = 0] = spent;
  expect(many).toBeLessThan(Math.max(SWIFT_MS, few * GROWTH));
});

it('accepts 10,000 links, but one more is 400 and creates nothing', async () => {
  const sandbox = await createTestSandbox();
  const links = (count: number): string => times(count, (at) => `<a href="http://e.example/${at}">x</a>`);
  const post = (html: string) =>
    sandbox.send('admin', 'POST', '/v1/emailMessage', { ...message, html, text: '' });
  const refused = await post(links(10_001));
  expect([refused.status, refused.response['additional_information']]).toEqual([
    400,
    [{ attribute: 'html', reason: 'has more than 10000 links' }],
  ]);
  expect(await sandbox.rows('email_message')).toEqual([]);
  expect((await post(links(10_000))).status).toBe(202);
});

it(`${4 * FEW} links keep their ids, and their order, when PUT sends the same content again`, async () => {
  const sandbox = await createTestSandbox();
  const html = times(4 * FEW, (at) => `<a href="https://e.example/${at}">x</a>`);
  const request = signed('admin', 'POST', '/v1/emailMessage', { ...message, html, text: '' });
  const made = readAnswer(await sandbox.service.handle(request));
  const rows = await sandbox.rows('email_message_link');
  expect(rows.map(({ target }) => target)).toEqual(
    Array.from({ length: 4 * FEW }, (_, at) => `https://e.example/${at}`),
  );
  for (const again of [html, made.data['html']]) {
    const put = await sandbox.send('admin', 'PUT', `/v1/emailMessage/${made.data['id']}`, { html: again });
    expect([put.status, put.data['html'] === made.data['html']]).toEqual([200, true]);
    expect(await sandbox.rows('email_message_link')).toEqual(rows);
  }
});

// Attack M11. The links are found before the transaction, a slice at a time, and a message with too many links is refused.
it.each([
  [10_000, 202],
  [50_000, 400],
])('requests get their turn while %i links are read and written', async (count, status) => {
  const sandbox = await createTestSandbox();
  const html = times(count, (at) => `<a href="https://e.example/${at}">x</a>`);
  let isWritten = false;
  const writing = sandbox
    .send('admin', 'POST', '/v1/emailMessage', { ...message, html, text: '' })
    .finally(() => {
      isWritten = true;
    });
  let [longest, reads] = [0, 0];
  while (!isWritten) {
    const began = ownTime();
    expect((await sandbox.send('admin', 'GET', '/v1/user')).status).toBe(200);
    longest = Math.max(longest, ownTime() - began);
    reads += 1;
  }
  console.log(
    `${count} links: the longest of ${reads} GETs beside it waited for ${Math.round(longest)} ms of work (aim: 200)`,
  );
  expect((await writing).status).toBe(status);
  // Reading stops after the slice with the first excess link.
  const slices = Math.floor(Math.min(html.length, 10_001 * 37) / HTML_SLICE_UTF16_UNITS);
  expect(reads).toBeGreaterThanOrEqual(slices / 2);
});

it('ids of links that are written together follow the existing ones', async () => {
  const sandbox = await createTestSandbox();
  const post = async (count: number): Promise<readonly number[]> => {
    const html = times(count, (at) => `<a href="https://e.example/${at}">x</a>`);
    const made = await sandbox.send('admin', 'POST', '/v1/emailMessage', { ...message, html, text: '' });
    const rows = await sandbox.rows('email_message_link');
    return rows.filter(({ message_id }) => message_id === made.data['id']).map(({ id }) => Number(id));
  };
  const ids = [...(await post(3)), ...(await post(1_500)), ...(await post(2))];
  expect(ids).toEqual(ids.map((_, at) => (ids[0] ?? 0) + at));
});
