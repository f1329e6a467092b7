/** Secrets that svc must never show: API keys from environment variables, API keys of profiles, and passwords that the user gives. */
import { createRedactor } from '../output/redact.ts';

export interface SecretRedactor {
  /** Removes every secret known so far from a text. */
  readonly redact: (text: string) => string;
  /** Registers secrets. From then on, `redact` removes these secrets from each text. Ignores undefined and very short texts. */
  readonly hide: (secrets: readonly (string | undefined)[]) => void;
  /** Registers an API key. From then on, `redact` removes this key from each text, even if the key is very short. */
  readonly hideKey: (key: string) => void;
}

/** Minimum length of a text that is redacted. Redacting a word of two letters would make every text unreadable and keep no secret. */
const SHORTEST_SECRET = 4;

export function createSecretRedactor(initialSecrets: readonly (string | undefined)[]): SecretRedactor {
  const secrets = new Set<string>();
  // Building a redactor takes longer than using it, and every line of the journal is redacted several times.
  let redactor: ((text: string) => string) | undefined;
  const add = (secret: string): void => {
    if (secrets.has(secret)) return;
    secrets.add(secret);
    redactor = undefined;
  };
  const hide = (more: readonly (string | undefined)[]): void => {
    for (const each of more) if (each !== undefined && each.length >= SHORTEST_SECRET) add(each);
  };
  hide(initialSecrets);
  return {
    redact: (text) => {
      redactor ??= createRedactor([...secrets]);
      return redactor(text);
    },
    hide,
    hideKey: add,
  };
}
