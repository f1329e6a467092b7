/** Checks that JSON has an expected structure (its shape), whose type says which values it accepts. */
import { isObject } from '../text/json-object.ts';

/** Throws a `ShapeError` with the position, such as `steps[3].action`, if the value has another shape. */
export interface ShapeCheck<T = unknown> {
  (value: unknown, path: string): void;
  /** Never set. It tells the compiler the type of the values that pass. */
  readonly type?: T;
}

type Shapes = Readonly<Record<string, ShapeCheck>>;
export type Shaped<S> = S extends ShapeCheck<infer T> ? T : never;
type Members<R extends Shapes, O extends Shapes> = { readonly [K in keyof R]: Shaped<R[K]> } & {
  readonly [K in keyof O]?: Shaped<O[K]>;
};

/** Error for JSON that does not have the expected structure. */
export class ShapeError extends Error {
  override readonly name = 'ShapeError';

  constructor(path: string, what: string) {
    super(path === '' ? what : `${path} ${what}`);
  }
}

/**
 * Returns the value if it has the shape.
 * @throws ShapeError if it has another shape
 */
export function checked<T>(shape: ShapeCheck<T>, value: unknown, path = ''): T {
  shape(value, path);
  return value as T;
}

export function fits<T>(shape: ShapeCheck<T>, value: unknown): value is T {
  try {
    shape(value, '');
    return true;
  } catch (error) {
    if (error instanceof ShapeError) return false;
    throw error;
  }
}

/** Creates a shape from a test. `what` follows "must be" in the error: `a whole number`. */
export const createShape =
  <T>(accepts: (value: unknown) => boolean, what: string): ShapeCheck<T> =>
  (value, path) => {
    if (!accepts(value)) throw new ShapeError(path, `must be ${what}`);
  };

export const text = createShape<string>((value) => typeof value === 'string', 'text');

/** Accepts text that matches the pattern. `what` follows "must be" in the error: `an id in digits`. */
export const matching = (pattern: RegExp, what: string): ShapeCheck<string> =>
  createShape((value) => typeof value === 'string' && pattern.test(value), what);

export const bool = createShape<boolean>((value) => typeof value === 'boolean', 'true or false');

/** Accepts a whole number of 0 or more that a double can represent. */
export const nonNegativeInteger = createShape<number>(
  (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  'a whole number of at least 0',
);

export const scalar = createShape<string | number | boolean | null>(
  (value) => value === null || ['string', 'number', 'boolean'].includes(typeof value),
  'text, a number, true, false or null',
);

/** Returns a check that accepts only these values. */
export const oneOfValues = <const T extends readonly (string | number)[]>(
  ...values: T
): ShapeCheck<T[number]> => createShape((value) => values.some((each) => each === value), values.join(', '));

/** Returns a check that accepts null and each value of this shape. */
export const orNull =
  <T>(shape: ShapeCheck<T>): ShapeCheck<T | null> =>
  (value, path) => {
    if (value !== null) shape(value, path);
  };

/** Returns a check that accepts an array whose values all have this shape. */
export const listOf =
  <T>(shape: ShapeCheck<T>): ShapeCheck<readonly T[]> =>
  (value, path) => {
    if (!Array.isArray(value)) throw new ShapeError(path, 'must be a list');
    for (const [at, each] of value.entries()) shape(each, `${path}[${at}]`);
  };

/** Returns a check that accepts an object whose members may have any names. The value of each member must have this shape. */
export const objectWithAnyMemberNames =
  <T>(shape: ShapeCheck<T>): ShapeCheck<Readonly<Record<string, T>>> =>
  (value, path) => {
    for (const [name, each] of membersOf(value, path)) shape(each, under(path, name));
  };

/** Returns a check that accepts an object that has all members of `required`, may have those of `optional`, and has no others. */
export const object =
  <R extends Shapes, O extends Shapes = Record<never, ShapeCheck>>(
    required: R,
    optional?: O,
  ): ShapeCheck<Members<R, O>> =>
  (value, path) => {
    const members = membersOf(value, path);
    for (const [name, each] of members) {
      const shape = [required, optional].find((shapes) => shapes && Object.hasOwn(shapes, name))?.[name];
      if (!shape) throw new ShapeError(path, `has no member ${JSON.stringify(name.slice(0, 60))}`);
      shape(each, under(path, name));
    }
    for (const name of Object.keys(required))
      if (!members.some(([each]) => each === name)) throw new ShapeError(under(path, name), 'is missing');
  };

/** Returns a check that accepts an object with these members. The object may have other members, which are not checked. */
export const objectWithAtLeast =
  <R extends Shapes>(required: R): ShapeCheck<Members<R, Record<never, ShapeCheck>>> =>
  (value, path) => {
    const members = Object.fromEntries(membersOf(value, path));
    for (const [name, shape] of Object.entries(required)) shape(members[name], under(path, name));
  };

/** Accepts an object of one of several shapes, selected by the value of the member `by`. */
export const objectVariants =
  <S extends Shapes>(by: string, shapes: S): ShapeCheck<Shaped<S[keyof S]>> =>
  (value, path) => {
    const [, kind] = membersOf(value, path).find(([name]) => name === by) ?? [];
    const shape = typeof kind === 'string' && Object.hasOwn(shapes, kind) ? shapes[kind] : undefined;
    if (!shape) throw new ShapeError(under(path, by), `must be ${Object.keys(shapes).join(', ')}`);
    shape(value, path);
  };

/** Accepts an object with at least one of these members. The first one selects the shape. */
export const either =
  <S extends Shapes>(shapes: S): ShapeCheck<Shaped<S[keyof S]>> =>
  (value, path) => {
    const names = Object.keys(shapes);
    const members = membersOf(value, path);
    const name = names.find((each) => members.some(([member]) => member === each));
    const shape = name === undefined ? undefined : shapes[name];
    if (!shape) throw new ShapeError(path, `must have ${names.join(' or ')}`);
    shape(value, path);
  };

function membersOf(value: unknown, path: string): readonly (readonly [string, unknown])[] {
  if (!isObject(value)) throw new ShapeError(path, 'must be an object');
  return Object.entries(value);
}

const under = (path: string, name: string): string => {
  const shown = /^[A-Za-z_][A-Za-z0-9_-]*$/.test(name) ? name : JSON.stringify(name.slice(0, 60));
  return path === '' ? shown : `${path}.${shown}`;
};
