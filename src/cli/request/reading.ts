/** What the text of a flag turns out to be. */
import type { Scalar } from '../../schema/field.ts';
import type { Finding } from '../../schema/resource.ts';

export type Read = { readonly value: Scalar } | { readonly finding: Finding };

export type Reading =
  | Read
  /** Only the service can tell: a name, a local time. `meanwhile` stands for it in local checks. */
  | {
      readonly meanwhile: Scalar;
      readonly later: (values: Readonly<Record<string, unknown>>) => Promise<Read>;
    };
