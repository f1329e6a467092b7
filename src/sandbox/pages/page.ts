/** What a page is made of: each is one file here, registered in `list.ts`. */

import type { ControlRequest, ControlResult, OperationName } from '../../protocol/control.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { Naming } from '../../protocol/naming.ts';
import type { ServedResource } from '../../resources/companions/catalogue.ts';
import type { Html } from '../../text/html-page.ts';
import type { Account } from '../request/call.ts';

/** One visit: who it is about, and how to ask. Whatever a page shows or does goes through `ask`, `find` and `change`. */
export interface PageCall {
  readonly company: Account;
  readonly clock: { readonly mode: 'real' | 'manual'; readonly time: number };
  /** How much was written until now: a page that knows of less is not up to date. */
  readonly changes: string;
  readonly naming: Naming;
  /** Scheme, host and port. */
  readonly baseUrl: string;
  /** `svc sandbox … --data …` is written where the folder is not the usual one: what stands behind every command. */
  readonly commandEnd: string;
  /** What the answer is for, as the browser says: `document`, `iframe`. */
  readonly destination: string | undefined;
  /** What the path names: `:id`. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Path and query of this page. */
  readonly here: string;
  /** The path of another page of this company: `outbox/t2-12`. */
  readonly pathOf: (page: string) => string;
  /** One operation of the control plane, in a transaction of its own; of this company where it is of one. @throws ServiceError */
  readonly ask: <N extends OperationName>(name: N, args: ControlRequest<N>) => Promise<ControlResult<N>>;
  /** Records of the service as the company's admin sees them, by neutral names; none is an empty list. @throws ServiceError */
  readonly find: (
    resource: ServedResource['name'],
    query?: Readonly<Record<string, string | number>>,
  ) => Promise<readonly JsonObject[]>;
  /** Changes a record as `PUT /v1/<resource>/<id>` does. @throws ServiceError */
  readonly change: (resource: ServedResource['name'], id: number, values: JsonObject) => Promise<JsonObject>;
  /** Makes a record as `POST /v1/<resource>` does. @throws ServiceError */
  readonly create: (resource: ServedResource['name'], values: JsonObject) => Promise<JsonObject>;
  /** Deletes a record as `DELETE /v1/<resource>/<id>` does. @throws ServiceError */
  readonly remove: (resource: ServedResource['name'], id: number) => Promise<void>;
  /** What a recipient does by a link of the message with that id, as its page under /t/ does it; false where there is none. */
  readonly follow: (act: 'unsubscribe' | 'confirm', id: string) => Promise<boolean>;
  /** The body as a form, of a POST. */
  readonly form: URLSearchParams;
}

export interface View {
  /** Of the window and of the page: what is seen, not where one is. */
  readonly title: string;
  /** Under the title. */
  readonly lead?: Html | string;
  readonly body: Html;
  /**
   * What happens when the sandbox did something meanwhile: `here` shows the page anew in its place, `top` does where the
   * reader is at its beginning and otherwise says that there is more.
   */
  readonly live?: 'here' | 'top';
  /** Where ← and → lead. */
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

/** What an action came to: the page is shown again with it. */
export interface Acted {
  /** A sentence. */
  readonly said: string;
  readonly more?: Html;
  readonly isRefused?: boolean;
  /** Shown in the answer to this form alone, and kept nowhere: a page that is loaded anew does not have it. */
  readonly isSecret?: boolean;
  /** Where to show it; the page itself unless given. */
  readonly path?: string;
}

export interface Page {
  /** Below `/ui/<company>/`: `outbox`, `outbox/:id`. */
  readonly path: string;
  /** Its name in the navigation; left out: it is reached from the page that `of` names. */
  readonly name?: string;
  readonly of?: string;
  readonly show: (call: PageCall) => Promise<View | Response>;
  /** What its forms do: a POST to its own path. */
  readonly act?: (call: PageCall) => Promise<Acted>;
}
