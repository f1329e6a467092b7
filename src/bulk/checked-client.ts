import type { Client } from '../client/client.ts';
import type { WriteOptions } from '../client/writes.ts';

/** Returns a client that calls `check` right before each attempt of a write, after all other checks. See `runner-lock.ts`. */
export function checkedClient(client: Client, check: () => void): Client {
  const checked = <T extends WriteOptions>(options: T | undefined) => ({
    ...(options as T),
    beforeAttempt: () => {
      const asking = options?.beforeAttempt?.();
      if (asking !== undefined) return asking.then(check);
      check();
      return undefined;
    },
  });
  return {
    ...client,
    create: (resource, body, options) => client.create(resource, body, checked(options)),
    update: (resource, id, body, options) => client.update(resource, id, body, checked(options)),
  };
}
