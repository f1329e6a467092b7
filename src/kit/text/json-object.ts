/** Reports whether the value is an object. An array and null are not objects. */
export const isObject = <T = unknown>(value: unknown): value is Readonly<Record<string, T>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const keysOf = <K extends string>(object: Readonly<Record<K, unknown>>): readonly K[] =>
  Object.keys(object) as K[];

/** Returns the object in a JSON text, or undefined if the text holds anything else. */
export function parseJsonObject<T = unknown>(
  text: string,
  parse: (text: string) => unknown = JSON.parse,
): Readonly<Record<string, T>> | undefined {
  try {
    const value = parse(text);
    return isObject<T>(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
