/** Which account a write goes to, in words: in every question, and on a terminal before a write that asks nothing. */
import type { Client } from '../../client/client.ts';
import type { Resolved } from '../../profiles/credentials.ts';
import type { JsonObject } from '../../protocol/envelope.ts';
import { bounded } from '../../text/bounded.ts';

export interface Whose {
  /** `Harbour Coffee (company 100, profile prod)`. What a question has said is not announced again. */
  readonly words: () => Promise<string>;
  /** Once, and where a person looks: `on company 100 (Harbour Coffee), profile prod`. Elsewhere nothing is asked. */
  readonly announce: () => Promise<void>;
}

interface Outside {
  /** Whether stderr is a terminal. */
  readonly isWatched: boolean;
  readonly resolved: () => Promise<Pick<Resolved, 'credentials' | 'profile'>>;
  /** The account's record. */
  readonly account: () => Promise<JsonObject>;
  readonly info: (line: string) => Promise<void>;
}

const LONGEST_NAME = 40;

export function createWhose({ isWatched, resolved, account, info }: Outside): Whose {
  let isSaid = false;
  /** What it is called; never in the way of what is to be done. */
  const nameOf = async (): Promise<string | undefined> => {
    try {
      const { name } = await account();
      return typeof name === 'string' && name.trim() !== '' ? bounded(name, LONGEST_NAME) : undefined;
    } catch {
      return undefined;
    }
  };
  const partsOf = async () => {
    const { credentials, profile } = await resolved();
    const { kind, companyId } = credentials;
    const from = profile === undefined ? 'from the environment' : `profile ${profile.name}`;
    if (companyId !== undefined) return { id: `company ${companyId}`, name: await nameOf(), from };
    return { id: kind === 'partner' ? `partner ${credentials.partnerId}` : kind, name: undefined, from };
  };
  return {
    words: async () => {
      isSaid = true;
      const { id, name, from } = await partsOf();
      return name === undefined ? `${id} (${from})` : `${name} (${id}, ${from})`;
    },
    announce: async () => {
      if (isSaid || !isWatched) return;
      isSaid = true;
      const { id, name, from } = await partsOf();
      await info(`on ${id}${name === undefined ? '' : ` (${name})`}, ${from}`);
    },
  };
}

/** The same client, but that its first write is announced. */
export function announcing(client: Client, announce: Whose['announce']): Client {
  return {
    ...client,
    create: async (...given) => {
      await announce();
      return client.create(...given);
    },
    update: async (...given) => {
      await announce();
      return client.update(...given);
    },
    remove: async (...given) => {
      await announce();
      return client.remove(...given);
    },
    raw: async (request) => {
      if (request.method !== 'GET' && request.method !== 'HEAD') await announce();
      return client.raw(request);
    },
  };
}
