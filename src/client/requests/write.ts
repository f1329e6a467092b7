/** A write is one value, which passes through a list of stages to the service. */

import type { Id } from '../../kit/schema/integer.ts';
import type { AnyRecord, Method, RecordOf, Resource, Values } from '../../kit/schema/resource.ts';
import type { WireResponse } from '../../service/protocol/wire.ts';
import type { RawRequest } from './connection.ts';
import type { StateBefore } from './recovery/find-created.ts';

export type WriteMethod = Exclude<Method, 'GET' | 'HEAD'>;

export interface WriteOptions {
  /** Called before every attempt. An error that it throws ends the call, and nothing more is sent. */
  readonly beforeAttempt?: (() => void | Promise<void>) | undefined;
}

export interface CreateOptions extends WriteOptions {
  /**
   * `give-up`: the client throws `unknown` at once. `look` (default): the client looks for the record, and throws `unknown` if the look-ups
   * do not show the outcome; see `create-once.ts`. For resources that are declared `note-first` (messages, sms, task and rules), `look`
   * also sends a GET before the POST, to learn the highest id of the existing records.
   */
  readonly ifOutcomeUnknown?: 'look' | 'give-up' | undefined;
  /** If omitted, the client reads this state itself, if necessary. */
  readonly stateBefore?: StateBefore | undefined;
}

export interface WriteMethods {
  create<R extends Resource>(resource: R, body: Values, options?: CreateOptions): Promise<RecordOf<R>>;
  /**
   * Without an id, attributes of the body identify the record. If the body cancels a task and the outcome is unknown, the method reads the
   * task to learn whether it is cancelled.
   * @throws ClientError `refused` with status 409 if the task was completed before it could be cancelled
   */
  update<R extends Resource>(
    resource: R,
    id: Id | undefined,
    body: Values,
    options?: WriteOptions,
  ): Promise<RecordOf<R>>;
  /** `by` holds the id, or attributes that the interface's DELETE takes. */
  remove(resource: Resource, by: Values): Promise<readonly Id[]>;
}

export interface LookUps {
  /**
   * Callers store the state before they send the POST. Sends one GET for the highest existing id if new records are recognized by their ids
   * (`inDoubt` is `note-first`).
   */
  stateBeforePost(resource: Resource, body: Values): Promise<StateBefore>;
  /** Call it for a POST that a journal lists without a response. */
  findCreated<R extends Resource>(
    resource: R,
    body: Values,
    stateBefore: StateBefore,
  ): Promise<readonly RecordOf<R>[]>;
}

export interface ResourceWrite {
  readonly method: WriteMethod;
  readonly resource: Resource;
  readonly id?: Id | undefined;
  /** For a DELETE, the attributes that select the records to delete. */
  readonly body: Values;
  readonly options?: CreateOptions | undefined;
  readonly request?: undefined;
}

/** A request of `svc api`, with the deployment's own names. */
export interface RawWrite {
  readonly resource?: undefined;
  readonly request: RawRequest & { readonly method: WriteMethod };
}

export type Write = ResourceWrite | RawWrite;

export interface Written {
  /** Set for a POST or PUT of a resource. */
  readonly record?: AnyRecord;
  /** Ids of the deleted records. */
  readonly deleted?: readonly Id[];
  /** Set for a raw request. */
  readonly response?: WireResponse;
  /** The response was lost, and a look-up found the record. */
  readonly recovered?: boolean;
}

/** Throws a `ClientError` if the write fails, and a `RangeError` for input that must not be sent. */
export type Send = (write: Write) => Promise<Written>;

/** Decides whether and when to call `next`, which sends the write. */
export type Stage = (next: Send) => Send;

interface Writer extends WriteMethods {
  readonly send: Send;
  readonly raw: (request: RawRequest) => Promise<WireResponse>;
}

/** The writes of the returned client pass these stages, from the first to the last, before those of `client`. */
export function withStages<C extends Writer>(client: C, stages: readonly Stage[]): C {
  const send = stages.reduceRight<Send>((next, stage) => stage(next), client.send);
  const raw = (request: RawRequest): Promise<WireResponse> =>
    isRawWrite(request) ? sendRaw(send, request) : client.raw(request);
  return { ...client, ...writeMethodsThrough(send), raw, send };
}

async function sendRaw(send: Send, request: RawWrite['request']): Promise<WireResponse> {
  const { response } = await send({ request });
  if (response === undefined) throw new TypeError('a stage returned no response to a raw request');
  return response;
}

const isRawWrite = (request: RawRequest): request is RawWrite['request'] =>
  request.method !== 'GET' && request.method !== 'HEAD';

/** @throws TypeError if the write has no record: a DELETE, or a raw request */
export function writtenRecord({ record }: Written): AnyRecord {
  if (record === undefined) throw new TypeError('this write returns no record');
  return record;
}

export function writeMethodsThrough(send: Send): WriteMethods {
  const methods = {
    create: async (resource: Resource, body: Values, options?: CreateOptions) =>
      writtenRecord(await send({ method: 'POST', resource, body, options })),
    update: async (resource: Resource, id: Id | undefined, body: Values, options?: CreateOptions) =>
      writtenRecord(await send({ method: 'PUT', resource, id, body, options })),
    remove: async (resource: Resource, body: Values) =>
      (await send({ method: 'DELETE', resource, body })).deleted ?? [],
  };
  return methods as WriteMethods;
}
