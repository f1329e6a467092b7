/** Replaces `${{ env.… }}` and `${{ name }}` after the YAML is parsed, so that values can't add YAML. */
import { similarWords } from '../../../kit/text/words.ts';

export interface Variables {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Values that the command gives. They take the place of those of the file. */
  readonly set: ReadonlyMap<string, string>;
  /** File of `--values`, where a missing value belongs. */
  readonly valuesFile?: string | undefined;
}

export interface TextWithReplacedVariables {
  readonly text: string;
  readonly variables: 'none' | 'some' | 'whole';
  readonly names: readonly string[];
  readonly faults: readonly { readonly offset: number; readonly message: string }[];
}

export const VARIABLE_NAME_PATTERN = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

/** The last alternative matches a variable without its closing brackets. */
const VARIABLE = /\$?\$\{\{([^{}]*)\}\}|\$?\$\{\{/g;

/** A campaign file can't use them, because a plan shows their values to many people. */
const SECRET = /^SVC_.*KEY$/i;

/** @param usedNames receives the names of the variables, as in `env.NAME` */
export function replaceVariables(
  text: string,
  variables: Variables,
  usedNames: Set<string>,
): TextWithReplacedVariables {
  if (!text.includes('${{')) return { text, variables: 'none', names: [], faults: [] };
  const faults: { offset: number; message: string }[] = [];
  const names: string[] = [];
  const replaced = text.replaceAll(VARIABLE, (found: string, name: string | undefined, offset: number) => {
    if (found.startsWith('$$')) return found.slice(1);
    names.push(name?.trim() ?? '');
    const value = name === undefined ? NOT_CLOSED : namedValue(name.trim(), variables, usedNames);
    if ('value' in value) return value.value;
    faults.push({ offset, message: value.fault });
    return '';
  });
  const isWhole = /^\$\{\{[^{}]*\}\}$/.test(text);
  return {
    text: replaced,
    variables: names.length === 0 ? 'none' : isWhole ? 'whole' : 'some',
    names,
    faults,
  };
}

type Value = { readonly value: string } | { readonly fault: string };

const NOT_CLOSED: Value = {
  fault: `\${{ has no }} after it; write $\${{ for the characters themselves`,
};

function namedValue(name: string, { env, set, valuesFile }: Variables, used: Set<string>): Value {
  if (name.startsWith('env.')) return fromEnvironment(name.slice('env.'.length), env, used);
  if (!VARIABLE_NAME_PATTERN.test(name))
    return { fault: `\${{ ${name} }} is not a variable; write \${{ name }} or \${{ env.NAME }}` };
  used.add(name);
  const value = set.get(name);
  if (value !== undefined) return { value };
  const [near] = similarWords(name, [...set.keys()]);
  const place = valuesFile === undefined ? `add --set ${name}=VALUE` : `add it to ${valuesFile}`;
  const instead = near === undefined ? place : `did you mean ${near}?`;
  return { fault: `the variable ${name} has no value; ${instead}` };
}

function fromEnvironment(name: string, env: Variables['env'], used: Set<string>): Value {
  if (!VARIABLE_NAME_PATTERN.test(name)) return { fault: `env.${name} is not a valid environment variable` };
  if (SECRET.test(name)) return { fault: `${name} is an API key, which must not be in a campaign file` };
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  // The author of the file must not choose which environment variables are read. The person who runs svc names them.
  if (value === undefined)
    return {
      fault: `the variable env.${name} has no value; to read it from the environment, add --env ${name}`,
    };
  used.add(`env.${name}`);
  return { value };
}

/** Returns the first use of a variable that has a value, such as `${{ day }}`, and its index. */
export function findVariableUse(
  text: string,
  names: ReadonlySet<string>,
): { readonly use: string; readonly offset: number } | undefined {
  for (const { 0: use, 1: name = '', index: offset } of text.matchAll(VARIABLE))
    if (!use.startsWith('$$') && names.has(name.trim())) return { use, offset };
  return undefined;
}
