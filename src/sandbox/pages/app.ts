/** Serves the pages over HTTP: checks access and builds each page. */
import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { generateCookie, getCookie } from 'hono/cookie';
import { type Html, html } from '../../kit/report/html-page.ts';
import { capitalizeFirstLetter, quoteShellWord } from '../../kit/text/words.ts';
import {
  type ControlOperationName,
  type ControlRequest,
  controlOperationNamed,
} from '../../service/protocol/control.ts';
import {
  createInternalError,
  createInvalidRequestError,
  ServiceError,
} from '../../service/protocol/service-errors.ts';
import {
  type ControlContext,
  chooseTransactionScope,
  createControlCall,
  type Operations,
  runOperationForRequest,
} from '../control/operation.ts';
import { readClockMode } from '../engine/clock.ts';
import { SESSION_SECONDS } from '../http/page-sessions.ts';
import { performLinkAction } from '../http/tracking.ts';
import { readBody } from '../http/wire.ts';
import { firstCompanyId } from '../store/accounts.ts';
import { explainStoreError, readStoreChangeCounter } from '../store/open.ts';
import { accountPage } from './account.ts';
import { automationPage, automationsPage } from './automations.ts';
import { clockPage } from './clock.ts';
import { doNotContactPage } from './dnc.ts';
import { PAGE_ASSETS, renderCompanyChooser, renderPlainPage, wholePage } from './layout.ts';
import { subscriberListsPage } from './lists.ts';
import { createPageUpdateStreams } from './live.ts';
import { messagePage } from './message.ts';
import { messagesPage, storedMessagePage } from './messages.ts';
import { outboxPage } from './outbox.ts';
import {
  type Answer,
  type CompanyPageRequest,
  commandsEndingWith,
  createUnreadMessageTracker,
  htmlResponse,
  PAGE_HEADERS,
  type Page,
  type PageActionResult,
  redirect,
  type UnreadMessageTracker,
} from './page.ts';
import { subscriberPage } from './person.ts';
import { createCompanyRecords, type InCompany } from './records.ts';
import { requestPage } from './request.ts';
import { requestsPage } from './requests.ts';
import { subscriberListPage, subscribersPage } from './subscribers.ts';
import { taskPage } from './task.ts';
import { tasksPage } from './tasks.ts';

type App = Hono<{ Bindings: HttpBindings }>;
type Visit = Context<{ Bindings: HttpBindings }>;

const MAX_WAITING_RESULTS = 100;

const COMMANDS_COOKIE_SECONDS = 365 * 86_400;

/** `started`: Unix seconds of the service's clock when the sandbox started. */
export function createPagesApp(sandbox: ControlContext, operations: Operations, started: number): App {
  const app: App = new Hono();
  const marksByCompany = new Map<string, UnreadMessageTracker>();
  const marksOf = (company: string): UnreadMessageTracker => {
    const marks = marksByCompany.get(company) ?? createUnreadMessageTracker(started);
    marksByCompany.set(company, marks);
    return marks;
  };
  const serving: Serving = { sandbox, operations, marksOf };
  const { service } = sandbox;
  const live = createPageUpdateStreams(service.store.db, sandbox.engine.signal);
  const done = new Map<string, PageActionResult>();

  app.get('/ui/assets/:file', (context) => {
    const asset = PAGE_ASSETS.get(context.req.param('file'));
    if (!asset) return htmlResponse(404, '');
    const headers = { ...PAGE_HEADERS, 'cache-control': 'public, max-age=31536000, immutable' };
    return new Response(asset.text, { headers: { ...headers, 'content-type': asset.type } });
  });
  app.get('/open/:secret', (context) => start(sandbox, context));
  // This route comes before the session check, because the cookie is not sent with this path.
  app.get('/', () => redirect('/ui'));
  app.use(async (context, next) => {
    if (!sandbox.sessions.isOpen(sessionOf(sandbox, context))) return refuseWithoutSession(context);
    return next();
  });
  app.get('/ui', async () => {
    const all = await operations['company list'](sandbox, {});
    const [only] = all;
    return all.length === 1 && only
      ? redirect(`/ui/${only.id}/outbox`)
      : htmlResponse(200, renderCompanyChooser(all));
  });
  app.get('/ui/:company{[0-9]{1,15}}', (context) => redirect(`/ui/${context.req.param('company')}/outbox`));
  app.post('/ui/:company{[0-9]{1,15}}/commands', (context) => switchCommands(sandbox, context));
  app.get('/ui/:company{[0-9]{1,15}}/events', (context) =>
    live.open(context, context.req.query('seen') ?? ''),
  );
  for (const page of PAGES) {
    const path = `/ui/:company{[0-9]{1,15}}/${page.path}` as const;
    app.get(path, async (context) => {
      const call = await callOf(serving, context);
      return show(call, page, done.get(call.query.get('done') ?? ''));
    });
    if (page.acts)
      app.post(path, async (context) => {
        const call = await callOf(serving, context);
        const acted = await act(call, page);
        if (acted.isSecret) return show(call, page, acted);
        const key = Buffer.from(service.environment.random(9)).toString('base64url');
        done.set(key, acted);
        for (const each of done.keys()) if (done.size > MAX_WAITING_RESULTS) done.delete(each);
        const [path = '', query] = (acted.path ?? context.req.path).split('?');
        const next = new URLSearchParams(query ?? new URL(context.req.url).search);
        next.set('done', key);
        return redirect(`${path}?${next}`);
      });
  }
  app.notFound((context) => notFoundPage(serving, context));
  app.onError(async (error, context) =>
    error instanceof ServiceError && error.status === 404
      ? notFoundPage(serving, context, error.message)
      : refuse(error, sandbox),
  );
  return app;
}

interface Serving {
  readonly sandbox: ControlContext;
  readonly operations: Operations;
  /** Returns the marks that say which messages of a company were opened on the pages. The argument is the id of the company. */
  readonly marksOf: (company: string) => UnreadMessageTracker;
}

async function show(call: CompanyPageRequest, page: Page, result?: PageActionResult): Promise<Response> {
  const view = await page.show(call);
  return view instanceof Response
    ? view
    : htmlResponse(200, wholePage({ call, page, pages: PAGES }, view, result));
}

/** Runs the action of a page. A refusal is shown on that page. */
async function act(call: CompanyPageRequest, { acts = {} }: Page): Promise<PageActionResult> {
  const name = call.form.get('do') ?? '';
  const perform = Object.hasOwn(acts, name) ? acts[name] : undefined;
  try {
    if (perform) return await perform(call);
    throw createInvalidRequestError([{ attribute: 'do', reason: 'is not an action of this page' }]);
  } catch (error) {
    if (error instanceof ServiceError && error.status < 500)
      return { said: capitalizeFirstLetter(error.message), isRefused: true };
    throw error;
  }
}

async function callOf(
  { sandbox, operations, marksOf }: Serving,
  context: Visit,
  company = context.req.param('company'),
): Promise<CompanyPageRequest> {
  const { service, naming } = sandbox;
  const companyId = Number(company);
  const inCompany: InCompany = (isReading, work) =>
    service.store.transaction(
      async (db) => work(await createControlCall(sandbox, db, companyId)),
      chooseTransactionScope(isReading, companyId),
    );
  const { account, now, mode, first, changes } = await inCompany(true, async (call) => ({
    ...call,
    changes: await readStoreChangeCounter(call.db),
    mode: await readClockMode(call.db),
    first: await firstCompanyId(call.db),
  }));
  // The body was already read when a page of an error is built.
  const body = context.req.method === 'POST' && !context.error ? await readBody(context.env.incoming) : '';
  return {
    ...createCompanyRecords(inCompany),
    company: account,
    clock: { mode, time: now },
    changes,
    unreadMessages: marksOf(String(companyId)),
    naming,
    baseUrl: sandbox.endpoint().baseUrl,
    command: commandsEndingWith(first === companyId ? '' : ` --company ${companyId}`),
    here: hereOf(context),
    showsCommands: getCookie(context, commandsCookieName(sandbox)) === '1',
    destination: context.req.header('sec-fetch-dest'),
    id: context.req.param('id') ?? '',
    query: new URL(context.req.url).searchParams,
    pathOf: (page) => `/ui/${companyId}/${page}`,
    form: new URLSearchParams(body),
    ask: async <N extends ControlOperationName>(name: N, args: ControlRequest<N>) => {
      const { scope, parameters } = controlOperationNamed(name);
      const named = scope === 'company' || 'company' in parameters ? { company: companyId } : {};
      const { data } = await runOperationForRequest(sandbox, operations, name, { ...named, ...args });
      // The result is that of the operation with this name.
      return data as Answer<N>;
    },
    follow: (followed, id) => performLinkAction(service, followed, id),
  };
}

/** Returns the path and query of the page, without the result of an action. */
function hereOf(context: Visit): string {
  const { pathname, searchParams } = new URL(context.req.url);
  searchParams.delete('done');
  return searchParams.size === 0 ? pathname : `${pathname}?${searchParams}`;
}

const commandsCookieName = ({ endpoint }: ControlContext): string => `svc-commands-${endpoint().port}`;

/** Remembers whether this browser shows command lines, and returns to the page. */
async function switchCommands(sandbox: ControlContext, context: Visit): Promise<Response> {
  const form = new URLSearchParams(await readBody(context.env.incoming));
  const back = form.get('back') ?? '';
  const cookie = generateCookie(commandsCookieName(sandbox), form.get('show') === '1' ? '1' : '0', {
    path: '/ui',
    secure: isSecure(sandbox.endpoint().baseUrl),
    maxAge: COMMANDS_COOKIE_SECONDS,
    httpOnly: true,
    sameSite: 'Strict',
  });
  return redirect(/^\/ui\/[0-9]{1,15}\/[\w./:-]*(\?[\w.:%&=+@*~-]*)?$/.test(back) ? back : '/ui', {
    'set-cookie': cookie,
  });
}

/** The name contains the port, because browsers send a cookie to all ports of a host: sandboxes would overwrite each other's. */
const cookieName = ({ endpoint }: ControlContext): string =>
  `${isSecure(endpoint().baseUrl) ? '__Host-' : ''}svc-pages-${endpoint().port}`;

const isSecure = (baseUrl: string): boolean => baseUrl.startsWith('https:');

const sessionOf = (sandbox: ControlContext, context: Visit): string | undefined =>
  getCookie(context, cookieName(sandbox));

function start(sandbox: ControlContext, context: Visit): Response {
  // A HEAD request must not use the link up.
  if (context.req.method !== 'GET') return htmlResponse(405, '');
  const from = context.env.incoming.socket.remoteAddress ?? '';
  const found = sandbox.sessions.redeem(context.req.param('secret') ?? '', from);
  if (found === 'later')
    return plainResponse(
      429,
      'Too many links',
      html`<p>Wait a minute, then run <code>svc sandbox open</code>.</p>`,
      { 'retry-after': '60' },
    );
  if (found === 'refused')
    return plainResponse(
      401,
      'This link was already used, or has expired',
      html`<p>A link works once, within a minute. <code>svc sandbox open</code> creates a new one.</p>`,
    );
  // Browsers send a cookie to every port of its host. The path keeps it from other programs on this machine, unless a link leads to /ui
  // there. `__Host-` needs the path `/`, and a server on another port would need the certificate then.
  const cookie = generateCookie(cookieName(sandbox), found.session, {
    ...(isSecure(sandbox.endpoint().baseUrl) ? { path: '/', secure: true } : { path: '/ui' }),
    maxAge: SESSION_SECONDS,
    httpOnly: true,
    sameSite: 'Strict',
  });
  return redirect(found.path, { 'set-cookie': cookie });
}

/** Refuses a request without a session. Browsers withhold the cookie after a link on another site, so a link leads to the page. */
function refuseWithoutSession(context: Visit): Response {
  const { pathname, search } = new URL(context.req.url);
  const again = context.req.header('sec-fetch-site') === 'cross-site';
  const path = `${pathname}${search}`;
  return plainResponse(
    401,
    'Your browser is not logged in to the sandbox',
    html`<p>Run <code>svc sandbox open${pathname === '/ui' ? '' : ` ${quoteShellWord(path)}`}</code> on the machine of the sandbox. It opens the pages in a browser.</p>${
      again
        ? html`<p>If the pages are open in this browser, <a href="${path}">continue to ${path}</a>.</p>`
        : null
    }`,
  );
}

/** Answers 404, with the navigation if the address names a company of this sandbox. */
async function notFoundPage(
  serving: Serving,
  context: Visit,
  message = 'This page does not exist.',
): Promise<Response> {
  const [, company, path] = /^\/ui\/([0-9]{1,15})(?:\/([a-z]*)|$)/.exec(context.req.path) ?? [];
  const call = await callOf(serving, context, company).catch(() => undefined);
  if (call === undefined)
    return plainResponse(404, 'Not found', html`<p>${message}</p><p><a href="/ui">Go to the outbox</a></p>`);
  const of = PAGES.find((each) => each.path === path)?.of ?? path;
  const page = PAGES.find((each) => each.path === of && each.name !== undefined) ?? outboxPage;
  const view = {
    title: 'Not found',
    body: html`<p>${message}</p><p><a href="${call.pathOf(page.path)}">Go to ${page.name}</a></p>`,
  };
  return htmlResponse(404, wholePage({ call, page: undefined, pages: PAGES }, view));
}

function refuse(error: unknown, { service }: ControlContext): Response {
  if (error instanceof ServiceError && error.status < 500)
    return plainResponse(error.status, 'That request failed', html`<p>${error.message}</p>`);
  const id = Buffer.from(service.environment.random(8)).toString('hex');
  service.environment.report(id, error);
  const { message } =
    error instanceof ServiceError ? error : createInternalError(id, error, explainStoreError(error));
  return plainResponse(500, 'The sandbox failed', html`<p>${message}</p>`);
}

const plainResponse = (
  status: number,
  title: string,
  body: Html,
  headers: Readonly<Record<string, string>> = {},
): Response => htmlResponse(status, renderPlainPage(title, body), { ...PAGE_HEADERS, ...headers });

const PAGES: readonly Page[] = [
  ...[outboxPage, messagePage, messagesPage, storedMessagePage],
  ...[tasksPage, taskPage, automationsPage, automationPage],
  ...[
    subscriberListsPage,
    subscriberListPage,
    subscribersPage,
    subscriberPage,
    doNotContactPage,
    accountPage,
  ],
  ...[requestsPage, requestPage, clockPage],
];
