/** A valid call for each method of each resource, in a sandbox with everything (`everything.ts`). */
import type { Client } from '../../src/client/requests/client.ts';
import type { Method, Values } from '../../src/kit/schema/resource.ts';
import { type CatalogueResource, catalogue } from '../../src/service/resources/catalogue.ts';
import { REPEATABLE, UNIQUE } from './post-bodies.ts';
import { IDS } from './sandbox.ts';

/** One call of a client in a sandbox with everything (`everything.ts`). */
export interface Call {
  readonly resource: CatalogueResource;
  readonly method: Method;
  readonly run: (client: Client) => Promise<unknown>;
  /** The body of a POST or PUT. */
  readonly body?: Values;
  /** The record that a PUT or DELETE names. */
  readonly id?: string | number;
  readonly isPartner?: boolean;
}

/** The attribute that a PUT changes. */
const CHANGES: Readonly<Record<string, Values>> = {
  user: { firstname: 'Eve' },
  smsDestination: { keyword: 'FRESH' },
  subscriberProfileData: { value: 'red' },
  accountFeatures: { enableanalyse: true },
};
const POSTS: readonly (readonly [string, Values])[] = [
  ...REPEATABLE,
  ...UNIQUE,
  ['account', { name: 'New', contactemail: 'new@example.com' }],
];
/** Resources with one record for each company. */
export const SINGLE = ['account', 'accountFeatures'];

function callsOf(resource: CatalogueResource): readonly Call[] {
  const { name, methods } = resource;
  const isSingle = SINGLE.includes(name);
  const id = name === 'subscriberProfileData' ? '1_1' : name === 'user' ? IDS.sub2 : 1;
  const filters = name === 'subscriberProfileData' ? { subscriber_id: 1 } : {};
  const calls: Call[] = [];
  const add = (method: Method, run: Call['run'], more: Partial<Call> = {}): void => {
    calls.push({ resource, method, run, ...more });
  };
  if (methods.get && isSingle) add('GET', (client) => client.single(resource));
  if (methods.get && !isSingle) {
    add('GET', (client) => client.find(resource, filters));
    add('GET', (client) => client.get(resource, id), { id });
  }
  if (methods.head) add('HEAD', (client) => client.exists(resource, isSingle ? {} : { id }));
  for (const [of, body] of POSTS)
    if (of === name)
      add('POST', (client) => client.create(resource, body), { body, isPartner: name === 'account' });
  if (methods.put) {
    const body = CHANGES[name] ?? { name: 'Fresh' };
    const isPartner = methods.put.only === 'partner';
    add('PUT', (client) => client.update(resource, id, body), { body, id, isPartner });
  }
  if (methods.delete) add('DELETE', (client) => client.remove(resource, { id }), { id });
  return calls;
}

/** Calls of every method of every resource. */
export const CALLS = catalogue.flatMap(callsOf);
