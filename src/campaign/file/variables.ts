/** `${{ env.… }}` and `${{ name }}` in texts of the file. They are put in after YAML is read, so they bring none along. */

export interface Variables {
  /** The variables of the environment that `--env NAME` allows, and no others. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** From `--set name=value`. */
  readonly set: ReadonlyMap<string, string>;
}

export interface ReplacedText {
  readonly text: string;
  readonly variables: 'none' | 'some' | 'whole';
  /** `offset` is that of the variable in the text as it was. */
  readonly faults: readonly { readonly offset: number; readonly message: string }[];
}

/** Names that `--set` takes, and after `env.` those of the environment. */
export const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

/** A dollar more stands for the characters themselves; what is not closed is found by the last. */
const VARIABLE = /\$?\$\{\{([^{}]*)\}\}|\$?\$\{\{/g;

/** Keys would be sent as names, and stand in plans that everybody reads. */
const SECRET = /^SVC_.*KEY$/i;

/** @param used gets the names that were found in `set`, and those found in `env` as `env.NAME` */
export function replaceVariables(text: string, variables: Variables, used: Set<string>): ReplacedText {
  if (!text.includes('${{')) return { text, variables: 'none', faults: [] };
  const faults: { offset: number; message: string }[] = [];
  let count = 0;
  const replaced = text.replaceAll(VARIABLE, (found: string, name: string | undefined, offset: number) => {
    if (found.startsWith('$$')) return found.slice(1);
    count += 1;
    const value = name === undefined ? NOT_CLOSED : namedValue(name.trim(), variables, used);
    if ('value' in value) return value.value;
    faults.push({ offset, message: value.fault });
    return '';
  });
  const isWhole = /^\$\{\{[^{}]*\}\}$/.test(text);
  return { text: replaced, variables: count === 0 ? 'none' : isWhole ? 'whole' : 'some', faults };
}

type Value = { readonly value: string } | { readonly fault: string };

const NOT_CLOSED: Value = {
  fault: `\${{ has no }} after it; write $\${{ for the characters themselves`,
};

function namedValue(name: string, { env, set }: Variables, used: Set<string>): Value {
  if (name.startsWith('env.')) return fromEnvironment(name.slice('env.'.length), env, used);
  if (!VARIABLE_NAME.test(name))
    return { fault: `\${{ ${name} }} is no variable; write \${{ name }} or \${{ env.NAME }}` };
  const value = set.get(name);
  if (value === undefined)
    return { fault: `variable ${name} has no value; give it one with --set ${name}=…` };
  used.add(name);
  return { value };
}

function fromEnvironment(name: string, env: Variables['env'], used: Set<string>): Value {
  if (!VARIABLE_NAME.test(name)) return { fault: `env.${name} is no variable of the environment` };
  if (SECRET.test(name)) return { fault: `${name} is a key, which has no place in a campaign` };
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  // Whoever writes the file must not choose what leaves the environment: the person who runs svc names it.
  if (value === undefined) return { fault: `env.${name} has no value; give it one with --env ${name}` };
  used.add(`env.${name}`);
  return { value };
}
