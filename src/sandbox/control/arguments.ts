/** Reads what a command of the control plane was given. Every refusal is a 400 that names the argument. */
import { invalid } from '../../protocol/faults.ts';
import { isEmailAddress } from '../../text/address.ts';
import { normaliseMsisdn } from '../../text/msisdn.ts';

export type Arguments = Readonly<Record<string, unknown>>;

const refuse = (attribute: string, reason: string) => invalid([{ attribute, reason }]);

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

export function optional<T>(
  args: Arguments,
  name: string,
  read: (args: Arguments, name: string) => T,
): T | undefined {
  return isGiven(args[name]) ? read(args, name) : undefined;
}

export function id(args: Arguments, name: string): number {
  return number(args, name, { least: 1, most: 999_999_999_999_999 });
}

/** A whole number. */
export function number(
  args: Arguments,
  name: string,
  { least, most }: { readonly least: number; readonly most: number },
): number {
  const value = args[name];
  if (!isGiven(value)) throw refuse(name, 'is required');
  if (Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most) return Number(value);
  throw refuse(name, `must be a whole number from ${least} to ${most}`);
}

export function ids(args: Arguments, name: string): readonly number[] {
  const value = args[name] ?? [];
  if (!Array.isArray(value)) throw refuse(name, 'must be an array of ids');
  return value.map((each: unknown) => id({ [name]: each }, name));
}

/** Not empty, at most 4,000 characters. */
export function text(args: Arguments, name: string): string {
  const value = args[name];
  if (!isGiven(value)) throw refuse(name, 'is required');
  if (typeof value !== 'string' || value === '') throw refuse(name, 'must be text, and not empty');
  if (value.length > 4000) throw refuse(name, 'is longer than 4000 characters');
  // The store ends a text at the one and replaces the other (wire, "text").
  if (/\0|\p{Surrogate}/u.test(value)) throw refuse(name, 'holds U+0000 or half a character');
  return value;
}

export function flag(args: Arguments, name: string): boolean {
  const value = args[name] ?? false;
  if (typeof value !== 'boolean') throw refuse(name, 'must be true or false');
  return value;
}

export function oneOf<T extends string>(args: Arguments, name: string, choices: readonly T[]): T {
  const found = choices.find((choice) => choice === args[name]);
  if (found !== undefined) return found;
  throw refuse(name, `must be one of ${choices.join(', ')}`);
}

/** In lower case. */
export function email(args: Arguments, name: string): string {
  const value = text(args, name).trim();
  if (!isEmailAddress(value)) throw refuse(name, 'is not an e-mail address');
  return value.toLowerCase();
}

/** Bare digits. */
export function msisdn(args: Arguments, name: string): string {
  const value = normaliseMsisdn(text(args, name));
  if (value === undefined) throw refuse(name, 'is not a phone number with its country code');
  return value;
}
