/** Checks the shape of JSON from outside. The check is strict: it refuses unknown members too. */

/**
 * Throws a `Misshapen` if the value has another shape.
 * @param path position of the value: `steps[3].action`
 */
export type Shape = (value: unknown, path: string) => void;

export class Misshapen extends Error {
  override readonly name = 'Misshapen';

  constructor(path: string, what: string) {
    super(path === '' ? what : `${path} ${what}`);
  }
}

export const text: Shape = (value, path) => {
  if (typeof value !== 'string') throw new Misshapen(path, 'must be text');
};

export const matching =
  (pattern: RegExp, what: string): Shape =>
  (value, path) => {
    if (typeof value !== 'string' || !pattern.test(value)) throw new Misshapen(path, `must be ${what}`);
  };

export const flag: Shape = (value, path) => {
  if (typeof value !== 'boolean') throw new Misshapen(path, 'must be true or false');
};

/** Checks for a whole number of 0 or more that a double can represent. */
export const count: Shape = (value, path) => {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw new Misshapen(path, 'must be a whole number of at least 0');
};

/** Checks for text, a number, true, false or null. */
export const scalar: Shape = (value, path) => {
  if (value !== null && !['string', 'number', 'boolean'].includes(typeof value))
    throw new Misshapen(path, 'must be text, a number, true, false or null');
};

export const only =
  (...values: readonly (string | number)[]): Shape =>
  (value, path) => {
    if (!values.some((each) => each === value)) throw new Misshapen(path, `must be ${values.join(', ')}`);
  };

export const orNull =
  (shape: Shape): Shape =>
  (value, path) => {
    if (value !== null) shape(value, path);
  };

export const list =
  (shape: Shape): Shape =>
  (value, path) => {
    if (!Array.isArray(value)) throw new Misshapen(path, 'must be a list');
    for (const [at, each] of value.entries()) shape(each, `${path}[${at}]`);
  };

/** Checks for an object with members of any names. */
export const mapping =
  (shape: Shape): Shape =>
  (value, path) => {
    for (const [name, each] of membersOf(value, path)) shape(each, under(path, name));
  };

/** Checks for an object with these members and no others. */
export const object =
  (required: Readonly<Record<string, Shape>>, optional: Readonly<Record<string, Shape>> = {}): Shape =>
  (value, path) => {
    const members = membersOf(value, path);
    for (const [name, each] of members) {
      const shape = [required, optional].find((shapes) => Object.hasOwn(shapes, name))?.[name];
      if (!shape) throw new Misshapen(path, `has no member ${JSON.stringify(name.slice(0, 60))}`);
      shape(each, under(path, name));
    }
    for (const name of Object.keys(required))
      if (!members.some(([each]) => each === name)) throw new Misshapen(under(path, name), 'is missing');
  };

/** Checks for an object of one of several shapes, selected by one of its members. */
export const variants =
  (by: string, shapes: Readonly<Record<string, Shape>>): Shape =>
  (value, path) => {
    const [, kind] = membersOf(value, path).find(([name]) => name === by) ?? [];
    const shape = typeof kind === 'string' && Object.hasOwn(shapes, kind) ? shapes[kind] : undefined;
    if (!shape) throw new Misshapen(under(path, by), `must be ${Object.keys(shapes).join(', ')}`);
    shape(value, path);
  };

/** Checks for an object whose shape is that of the first of these members that it has. */
export const either =
  (shapes: Readonly<Record<string, Shape>>): Shape =>
  (value, path) => {
    const names = Object.keys(shapes);
    const members = membersOf(value, path);
    const name = names.find((each) => members.some(([member]) => member === each));
    const shape = name === undefined ? undefined : shapes[name];
    if (!shape) throw new Misshapen(path, `must have ${names.join(' or ')}`);
    shape(value, path);
  };

function membersOf(value: unknown, path: string): readonly (readonly [string, unknown])[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Misshapen(path, 'must be an object');
  return Object.entries(value);
}

const under = (path: string, name: string): string => {
  const shown = /^[A-Za-z_][A-Za-z0-9_-]*$/.test(name) ? name : JSON.stringify(name.slice(0, 60));
  return path === '' ? shown : `${path}.${shown}`;
};
