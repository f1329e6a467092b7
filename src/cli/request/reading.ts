/** Result of reading a flag's text. */
import type { Scalar } from '../../schema/field.ts';
import type { Finding } from '../../schema/resource.ts';

export type Read = { readonly value: Scalar } | { readonly finding: Finding };

export type Reading =
  | Read
  /** Value that needs the service: a name, a local time. `meanwhile` is its placeholder in local checks. */
  | {
      readonly meanwhile: Scalar;
      readonly later: (values: Readonly<Record<string, unknown>>) => Promise<Read>;
    };
