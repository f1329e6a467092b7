/** Local checks of a message, stored or not sent yet: the declaration's own, and advice that refuses nothing. */
import type { JsonObject } from '../../../protocol/envelope.ts';
import type { Finding, Resource } from '../../../schema/resource.ts';
import type { Input, Verb } from '../../command/command.ts';
import { FindingsError, UsageError } from '../../errors/errors.ts';
import { bodyFlags } from '../../request/attribute-flags.ts';
import { readBody } from '../../request/body.ts';
import { recordOf } from '../../request/references.ts';
import type { Session } from '../../session/session.ts';
import { idPositional } from '../generic/get.ts';

type Values = Readonly<Record<string, unknown>>;

interface Lint {
  readonly example: string;
  readonly about: string;
  /** The attributes that people read. */
  readonly content: readonly string[];
  /** What is wrong beyond what the declaration says. */
  readonly faults: (values: Values) => readonly Finding[];
  /** What it comes to, one row for each thing looked at. */
  readonly rows: (values: Values) => readonly JsonObject[];
}

export function lintVerb(resource: Resource, lint: Lint): Verb {
  return {
    name: 'lint',
    summary: `Check ${resource.singular} on this machine; exit 2 if something is wrong`,
    about: lint.about,
    example: lint.example,
    positionals: [{ ...idPositional(resource), optional: true }],
    flags: bodyFlags(resource, 'PUT'),
    companies: 'reads',
    run: async (session, input) => {
      const values = await contentOf(session, resource, lint.content, input);
      const findings = [...(await findingsIn(session, resource, values)), ...lint.faults(values)];
      if (findings.length > 0) throw new FindingsError(findings, '');
      const columns = ['check', 'result', 'detail'].map((name) => ({ name }));
      return { result: { kind: 'rows', rows: lint.rows(values), columns, empty: 'Nothing to check.' } };
    },
  };
}

/** A stored message, with what the flags say over it. */
async function contentOf(
  session: Session,
  resource: Resource,
  content: readonly string[],
  input: Input,
): Promise<Values> {
  const { body, findings } = await readBody(session, resource, 'PUT', input);
  if (findings.length > 0) throw new FindingsError(findings);
  const [text] = input.positionals;
  if (text === undefined && Object.keys(body).length === 0)
    throw new UsageError('there is nothing to check', { hint: 'give an id, a name, or the parts as flags' });
  const stored = text === undefined ? {} : await recordOf(session, resource, text);
  const known = Object.entries(stored).filter(([name, value]) => content.includes(name) && value !== null);
  return { ...Object.fromEntries(known), ...body };
}

async function findingsIn(session: Session, resource: Resource, values: Values): Promise<readonly Finding[]> {
  const { checkPayload } = await import('../../../schema/validator.ts');
  const { globals, context } = session;
  // The words of the deployment, where there is one to ask for them; a lint needs no credentials.
  const asked = globals.profile ?? context.env['SVC_PROFILE'];
  const words = asked ? (await session.resolved()).naming : undefined;
  return checkPayload(resource, 'PUT', 'company', { ...values }, words).findings;
}
