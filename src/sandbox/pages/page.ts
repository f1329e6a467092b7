/** The parts of a page. Each page is one file in this folder, registered in `app.ts`. */

import { type Html, html } from '../../kit/report/html-page.ts';
import { quoteShellWord } from '../../kit/text/words.ts';
import type { ControlOperationName, ControlRequest } from '../../service/protocol/control.ts';
import type { Naming } from '../../service/protocol/naming.ts';
import type { Answer } from '../control/all.ts';
import { RESPONSE_SECURITY_HEADERS } from '../http/wire.ts';
import type { Account } from '../request/call.ts';
import type { CompanyRecords } from './records.ts';

export type { Answer };

/** A request to a page of a company. The page reads and changes data only through this object, with `find` and `change` for example. */
export interface CompanyPageRequest extends CompanyRecords {
  readonly company: Account;
  readonly clock: { readonly mode: 'real' | 'manual'; readonly time: number };
  /** Change counter of the store (`readStoreChangeCounter`) when the page was created. The open page is out of date if it has changed. */
  readonly changes: string;
  readonly unreadMessages: UnreadMessageTracker;
  readonly naming: Naming;
  /** Scheme, host and port of the sandbox, as the browser reaches it. */
  readonly baseUrl: string;
  /** Template tag that shows a command line about this company. */
  readonly command: ReturnType<typeof commandsEndingWith>;
  /** Path and query of this page. */
  readonly here: string;
  /** True if the reader wants to see the command line of each action. */
  readonly showsCommands: boolean;
  /** Purpose of the response, as the browser names it in `Sec-Fetch-Dest`: `document`, `iframe`. */
  readonly destination: string | undefined;
  /** The `:id` of the path. Empty if the path has none. */
  readonly id: string;
  readonly query: URLSearchParams;
  /** Returns the path of another page of this company. The argument is relative, such as `outbox/t2-12`. */
  readonly pathOf: (page: string) => string;
  /** Runs an operation of the control plane in its own transaction, for this company. Throws `ServiceError`. */
  readonly ask: <N extends ControlOperationName>(name: N, args: ControlRequest<N>) => Promise<Answer<N>>;
  /** Performs the action of a link under /t/ in the message with that id. Returns false if the message does not exist. */
  readonly follow: (act: 'unsubscribe' | 'confirm', id: string) => Promise<boolean>;
  readonly form: URLSearchParams;
}

/**
 * Returns a template tag that shows a command line with a copy button: command`task get ${id}`. A value is a word or a list of words, which
 * are quoted for a shell. `end` is added unquoted.
 */
export const commandsEndingWith =
  (end: string) =>
  (texts: TemplateStringsArray, ...values: readonly (string | number | readonly string[])[]): Html => {
    const words = texts.flatMap((text, at) => [
      ...text.split(' ').filter((word) => word !== ''),
      ...[values[at] ?? []].flat(),
    ]);
    const line = ['svc', ...words.map((word) => quoteShellWord(String(word)))].join(' ') + end;
    // A line may break between words, but not after the hyphens of a flag.
    const shown = line
      .split(' ')
      .flatMap((word, at) => [
        at === 0 ? '' : ' ',
        word.length > 30 ? word : html`<span class="word">${word}</span>`,
      ]);
    return html`<span class="command"><code>${shown}</code><button type="button" class="copy" data-copy="${line}" hidden>Copy</button></span>`;
  };

export interface View {
  readonly title: string;
  /** Number of unread rows, for the title of the window. A row is a send (all messages of a task or rule), or a message. */
  readonly unread?: number;
  /** The line under the title. */
  readonly lead?: Html | string;
  /** Links at the right of the title. */
  readonly beside?: Html | null;
  readonly body: Html;
  /** Reaction to changes: `here` reloads the page in place; `top` does so at the top, and otherwise shows that there are new entries. */
  readonly live?: 'here' | 'top';
  /** Paths of the pages that the keys ← and → open. */
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

export interface PageActionResult {
  readonly said: string;
  readonly more?: Html;
  readonly isRefused?: boolean;
  /** True if the result is secret. It is shown only in the response to this form, and never stored, so that a reload loses it. */
  readonly isSecret?: boolean;
  /** Path of the page that shows the result of the form. If undefined, the page with the form shows the result. */
  readonly path?: string;
}

export interface Page {
  /** Path of the page below `/ui/<company>/`: `outbox`, `outbox/:id`. */
  readonly path: string;
  /** Text of the link in the navigation. Without it, people open this page from the page `of`. */
  readonly name?: string;
  readonly of?: string;
  readonly show: (call: CompanyPageRequest) => Promise<View | Response>;
  /** The actions of the forms of the page, by the value of their field `do`. Omitted if the page accepts no POST. */
  readonly acts?: Readonly<Record<string, (call: CompanyPageRequest) => Promise<PageActionResult>>>;
}

/** Data of a delivered message: the result of the operation `outbox show`. The pages that show a message receive this data. */
export type DeliveredMessage = Answer<'outbox show'>;

/** Parts of a message that its views show. Also a message that is not delivered has them. */
export interface ShownMessage
  extends Pick<DeliveredMessage, 'channel' | 'from' | 'to' | 'subject' | 'text' | 'html' | 'message'> {
  /** Path of the page that shows the message. */
  readonly path: string;
  /** False if the message is shown before anybody gets it. */
  readonly isDelivered: boolean;
}

/**
 * Maximum number of marks, each with the time of the newest read message of a send. Everything up to the time of a dropped mark counts as
 * read.
 */
const MAX_MARKS = 20_000;

export interface UnreadMessageTracker {
  /** Reports whether a message or a send (`key`) was delivered since this sandbox started, at `time` (Unix seconds), and not opened. */
  readonly isUnread: (key: string, time: number) => boolean;
  /** Marks a message or a send as read. Messages of the send that are delivered after `time` stay unread. */
  readonly markAsRead: (key: string, time: number) => void;
  readonly markAllAsRead: (time: number) => void;
}

/** Records which messages a person has read. Those delivered before `firstUnreadTime` (Unix seconds) count as read. */
export function createUnreadMessageTracker(firstUnreadTime: number): UnreadMessageTracker {
  const marks = new Map<string, number>();
  let from = firstUnreadTime;
  return {
    isUnread: (key, time) => time >= from && time > (marks.get(key) ?? Number.NEGATIVE_INFINITY),
    markAsRead: (key, time) => {
      const until = Math.max(time, marks.get(key) ?? time);
      marks.delete(key);
      marks.set(key, until);
      for (const [oldest, last] of marks) {
        if (marks.size <= MAX_MARKS) break;
        marks.delete(oldest);
        from = Math.max(from, last + 1);
      }
    },
    markAllAsRead: (time) => {
      marks.clear();
      from = Math.max(from, time + 1);
    },
  };
}

/** Content security policy of all pages. It allows no foreign sources, no inline code and no embedding in other pages. */
const POLICY = [
  "default-src 'none'",
  ...["style-src 'self'", "script-src 'self'", "img-src 'self' data:", "connect-src 'self'"],
  ...["frame-src 'self'", "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"],
].join('; ');

/**
 * Headers of every page. `same-origin` hides its address from other sites. With `no-referrer`, browsers would send `Origin: null` with forms,
 * which `refuseOtherPages` refuses.
 */
export const PAGE_HEADERS = {
  ...RESPONSE_SECURITY_HEADERS,
  'content-security-policy': POLICY,
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
} as const;

/** Headers of the HTML of a message in a frame: it runs no code, loads nothing, and sends no form. */
export const MESSAGE_IFRAME_HTTP_HEADERS = {
  ...RESPONSE_SECURITY_HEADERS,
  'content-security-policy':
    "sandbox allow-same-origin; default-src 'none'; img-src data:; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; frame-ancestors 'self'",
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
} as const;

export const htmlResponse = (
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = PAGE_HEADERS,
): Response =>
  new Response(text, { status, headers: { ...headers, 'content-type': 'text/html; charset=utf-8' } });

/** Sends an e-mail as a file, which the browser saves and never shows. `id`: letters, digits and `-`. */
export const emlResponse = (id: string, octets: string): Response =>
  new Response(octets, {
    headers: {
      ...PAGE_HEADERS,
      'content-type': 'message/rfc822',
      'content-disposition': `attachment; filename="${id.replace(/[^\w-]/g, '')}.eml"`,
    },
  });

export const redirect = (path: string, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(null, { status: 303, headers: { ...PAGE_HEADERS, ...headers, location: path } });
