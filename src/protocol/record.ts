/** The type of a record follows from the declaration of its resource. */
import type { Field, Scalar } from '../schema/field.ts';
import type { Resource } from '../schema/resource.ts';
import type { JsonObject } from './json.ts';

/**
 * A record of a resource, with the attributes of its declaration. A newer service may send further attributes, which stay in the record but
 * not in its type, and a record of a resource that is only known at run time is any object.
 */
export type RecordOf<R extends Resource> = string extends keyof R['fields']
  ? JsonObject
  : {
      readonly [A in keyof R['fields'] & string as R['fields'][A] extends { readonly writeOnly: true }
        ? never
        : A]: ValueOf<A, R['fields'][A]>;
    };

/** Value of an attribute. An id may have more digits than a double holds; no other whole number does. */
type ValueOf<A extends string, F extends Field> =
  | (Field['kind'] extends F['kind']
      ? Scalar
      : F['kind'] extends 'enum'
        ? NonNullable<F['values']>[number]
        : F['kind'] extends 'bool'
          ? boolean
          : F['kind'] extends 'string'
            ? string
            : A extends 'id' | `${string}_id`
              ? number | bigint
              : number)
  | (F extends { readonly nullable: true } ? null : never);
