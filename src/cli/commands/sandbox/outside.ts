/** What a rehearsal may reach beside this machine: nothing, unless a host is named. */
import { isLoopback } from '../../../protocol/origin.ts';
import { type Arguments, type Flag, textOf, textsOf } from '../../command/command.ts';
import { UsageError } from '../../errors/errors.ts';

export const OUTSIDE_FLAGS: readonly Flag[] = [
  {
    name: 'smtp',
    value: 'host:port',
    describe: 'SMTP server that gets every delivered e-mail too; on this machine',
    group: 'Options',
  },
  {
    name: 'allow-smtp',
    value: 'host',
    repeatable: true,
    describe: 'Let --smtp be this host, which may mail people',
    group: 'Options',
  },
  {
    name: 'allow-notify',
    value: 'host',
    repeatable: true,
    describe: 'Let a notifyurl be called on this host, beside this machine',
    group: 'Options',
  },
];

export interface Outside {
  readonly smtp?: { readonly host: string; readonly port: number };
  /** Host names in lower case. */
  readonly allowNotify: readonly string[];
}

export function readOutside(input: Arguments): Outside {
  const allowNotify = textsOf(input, 'allow-notify').map((text) => hostOf('allow-notify', text));
  const given = textOf(input, 'smtp');
  if (given === undefined) return { allowNotify };
  const [, name, digits] = /^(\[[0-9a-f:.]+\]|[^:\s]+):([0-9]{1,5})$/i.exec(given) ?? [];
  const port = Number(digits);
  if (name === undefined || port < 1 || port > 65_535)
    throw new UsageError(`--smtp: ${given} is not a host and a port`, { hint: 'write 127.0.0.1:1025' });
  const host = hostOf('smtp', name);
  const allowed = textsOf(input, 'allow-smtp').map((text) => hostOf('allow-smtp', text));
  if (!isLoopback(host) && !allowed.includes(host))
    throw new UsageError(`--smtp: ${host} is not this machine, and may mail people`, {
      hint: `--allow-smtp ${host} allows it`,
    });
  return { smtp: { host, port }, allowNotify };
}

/** The same flags again, for a process of its own. */
export const outsideArguments = (input: Arguments): readonly string[] =>
  OUTSIDE_FLAGS.flatMap(({ name }) => textsOf(input, name).flatMap((text) => [`--${name}`, text]));

/** As URLs have it: lower case, no brackets. */
function hostOf(flag: string, text: string): string {
  const bare = /^\[(.*)\]$/.exec(text)?.[1] ?? text;
  const host = bare.includes(':') ? `[${bare}]` : bare;
  if (!/[\s/?#@\\]/.test(host) && URL.canParse(`http://${host}`)) {
    const { hostname, port } = new URL(`http://${host}`);
    if (port === '') return hostname.replace(/^\[(.*)\]$/, '$1');
  }
  throw new UsageError(`--${flag}: ${text} is not a host`);
}
