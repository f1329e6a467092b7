/** What must never be shown: keys of the environment, keys of profiles, passwords that were given. */
import { createRedactor } from '../output/redact.ts';

export interface Secrets {
  /** Takes every secret that has been seen so far out of a text. */
  readonly redact: (text: string) => string;
  /** From now on these are secrets too. */
  readonly hide: (secrets: readonly (string | undefined)[]) => void;
  /** A key that is one however short it is. */
  readonly hideKey: (key: string) => void;
}

/** Redacting a word of two letters would make every text unreadable and keep no secret. */
const SHORTEST_SECRET = 4;

export function createSecrets(first: readonly (string | undefined)[]): Secrets {
  const secrets: string[] = [];
  const hide = (more: readonly (string | undefined)[]): void => {
    for (const each of more) if (each !== undefined && each.length >= SHORTEST_SECRET) secrets.push(each);
  };
  hide(first);
  return {
    redact: (text) => createRedactor(secrets)(text),
    hide,
    hideKey: (key) => {
      secrets.push(key);
    },
  };
}
