import type { Id } from '../schema/integer.ts';
import type { AnyRecord, Method, Resource, Values } from '../schema/resource.ts';
import type { Client } from './client.ts';
import type { RawRequest } from './connection.ts';
import type { CreateOptions, WriteOptions, Writes } from './writes.ts';

export type WriteMethod = Exclude<Method, 'GET' | 'HEAD'>;

type RawWrite = RawRequest & { readonly method: WriteMethod };

export interface ResourceWrite {
  readonly method: WriteMethod;
  readonly resource: Resource;
  readonly id?: Id | undefined;
  /** For a DELETE, the attributes that select the records to delete. */
  readonly body: Values;
  readonly request?: undefined;
}

export type ClientWrite = ResourceWrite | { readonly resource?: undefined; readonly request: RawWrite };

export interface AnyWrites {
  create(resource: Resource, body: Values, options?: CreateOptions): Promise<AnyRecord>;
  update(resource: Resource, id: Id | undefined, body: Values, options?: WriteOptions): Promise<AnyRecord>;
  remove: Writes['remove'];
  raw(request: RawWrite): ReturnType<Client['raw']>;
}

/** `raw` is replaced only for requests that write. */
export function replaceClientWriteMethods(client: Client, { raw, ...own }: Partial<AnyWrites>): Client {
  const isWrite = (request: RawRequest): request is RawWrite => !['GET', 'HEAD'].includes(request.method);
  return {
    ...client,
    ...(own as Partial<Writes>),
    raw: async (request) => (raw && isWrite(request) ? raw(request) : client.raw(request)),
  };
}

/** `around` decides when to call `send`, which sends the write. */
export const wrapClientWrites = (
  client: Client,
  around: <T>(write: ClientWrite, send: () => Promise<T>) => Promise<T>,
): Client =>
  replaceClientWriteMethods(client, {
    create: (resource, body, options) =>
      around({ method: 'POST', resource, body }, () => client.create(resource, body, options)),
    update: (resource, id, body, options) =>
      around({ method: 'PUT', resource, id, body }, () => client.update(resource, id, body, options)),
    remove: (resource, body) =>
      around({ method: 'DELETE', resource, body }, () => client.remove(resource, body)),
    raw: (request) => around({ request }, () => client.raw(request)),
  });
