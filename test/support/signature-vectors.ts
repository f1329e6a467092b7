/** The vectors that openssl made (test/auth/vectors.sh). */
import { readFileSync } from 'node:fs';
import type { Credentials } from '../../src/service/auth/credentials.ts';

export interface Vector {
  readonly name: string;
  readonly credentials: Credentials;
  readonly method: string;
  readonly path: string;
  readonly date: string;
  readonly nonce: string;
  readonly naming: Readonly<Record<string, string>>;
  readonly canonical: string;
  readonly authorization: string;
}

export const vectors: readonly Vector[] = JSON.parse(
  readFileSync(new URL('../auth/vectors.json', import.meta.url), 'utf8'),
);
