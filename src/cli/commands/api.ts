import type { RawRequest } from '../../client/requests/connection.ts';
import { METHODS, type Method } from '../../kit/schema/resource.ts';
import { MAX_BODY_OCTETS } from '../../service/protocol/json.ts';
import { DEFAULT_WIRE_NAMING } from '../../service/protocol/naming.ts';
import { API_PREFIX } from '../../service/protocol/wire.ts';
import type { Input, Verb } from '../command/command.ts';
import { switchFlag, textFlag } from '../command/flag.ts';
import { isClearlyNotSecret } from '../command/safe-to-repeat.ts';
import { UsageError } from '../errors/errors.ts';
import { EXIT, exitCodeForHttpStatus } from '../errors/exit-codes.ts';
import { confirmActionWithAccountShown } from '../request/guards.ts';
import { readText } from '../request/input-text.ts';
import type { Invocation, Profiles, ServiceAccess, Tell } from '../session/ports.ts';

const dataFlag = textFlag('data', {
  describe: "Body: '{…}', @file.json, or - for standard input",
  value: 'json',
});
const paginateFlag = switchFlag('paginate', {
  describe: 'Request all pages, and print their items as one list',
});

export const api: Verb = {
  name: 'api',
  summary: 'Send a signed request to any path, and print the response',
  about: 'Skips the checks that other commands make: for example, it accepts a scheduledtime in the past',
  work: 'changes',
  does: 'sends',
  asks: true,
  section: 'Endpoints',
  example: 'api GET "/v1/folder?sort=name&count=10"',
  positionals: [
    { name: 'method', describe: `${METHODS.join(', ')} (GET if you give only a path)`, choices: METHODS },
    { name: 'path', describe: 'Path under /v1, optionally with a query', optional: true },
  ],
  flags: [dataFlag, paginateFlag],
  companies: (input) => (isReading(methodAndPathIn(input)[0]) ? 'reads' : 'writes'),
  run: async (session, input) => {
    const request = await readRequest(session, input);
    const { method, path } = request;
    if (method === 'DELETE') {
      refuseDeleteWithoutTarget(request);
      await confirmActionWithAccountShown(
        session,
        `DELETE ${path}${request.query ? `?${request.query}` : ''}`,
      );
    }
    if (method !== 'GET' && method !== 'HEAD') await hideSecrets(session, request);
    if (input.get(paginateFlag)) {
      if (method !== 'GET') throw new UsageError('--paginate works only with GET');
      const { readAllPages } = await import('./api-pages.ts');
      return { result: { kind: 'raw', body: readAllPages((page) => send(session, page), request) } };
    }
    const { status, body } = await send(session, request);
    if (status >= 400) await session.info(`the service responded with ${status}`);
    const exit = status < 400 ? EXIT.done : exitCodeForHttpStatus(status);
    return { result: body === '' ? { kind: 'nothing' } : { kind: 'raw', body: withLineEnd(body) }, exit };
  },
};

const isReading = (method = ''): boolean => ['GET', 'HEAD'].includes(method.toUpperCase());

function methodAndPathIn(input: Input): readonly string[] {
  const [first = '', second] = input.positionals;
  if (second !== undefined) return [first, second];
  if (METHODS.some((method) => method === first.toUpperCase()) || !/[/?]/.test(first))
    throw new UsageError('svc api needs a path', { hint: 'write svc api GET /v1/folder' });
  if (input.get(dataFlag) !== undefined)
    throw new UsageError('--data needs a method', {
      hint: `write svc api POST ${isClearlyNotSecret(first) ? first : 'PATH'} --data …`,
    });
  return ['GET', first];
}

async function readRequest(session: Invocation, input: Input): Promise<RawRequest> {
  const [word = '', target = ''] = methodAndPathIn(input);
  const method = METHODS.find((each) => each === word.toUpperCase());
  if (!method) throw new UsageError(`unknown method ${word}`, { hint: `methods: ${METHODS.join(', ')}` });
  const [path = '', ...rest] = target.split('?');
  const query = rest.join('?');
  const body = await readData(session, method, input.get(dataFlag));
  return {
    method,
    path: path.startsWith('/') ? path : `${API_PREFIX}${path}`,
    ...(query === '' ? {} : { query }),
    ...(body === undefined ? {} : { body }),
  };
}

async function readData(
  { context }: Invocation,
  method: Method,
  data: string | undefined,
): Promise<string | undefined> {
  if (data === undefined) return undefined;
  if (method === 'GET' || method === 'HEAD') throw new UsageError(`${method} takes no --data`);
  const source = data === '-' ? '-' : data.startsWith('@') ? data.slice(1) : undefined;
  return source === undefined ? data : readText(context, source, MAX_BODY_OCTETS);
}

async function hideSecrets(session: Tell & Profiles, request: RawRequest): Promise<void> {
  const { secretsInBody } = await import('../../client/journal/raw-request.ts');
  // A dry run needs no credentials. The deployment's names are in its profile.
  const naming = await session.resolved().then(
    (found) => found.naming,
    () => DEFAULT_WIRE_NAMING,
  );
  session.hide(secretsInBody(request, naming));
}

/** Refuses a deletion that has neither an id nor an attribute that names the record to delete (contract, "Safety"). */
function refuseDeleteWithoutTarget({ path, query, body }: RawRequest): void {
  const named = path.split('/').length > 3 || /(^|&)[^=&]+=[^&]+/.test(query ?? '') || namesSomething(body);
  if (!named) throw new UsageError(`DELETE ${path} needs an id`, { hint: 'add an id to the path' });
}

function namesSomething(body: string | undefined): boolean {
  try {
    const value: unknown = JSON.parse(body ?? '{}');
    return Object.values(Object(value)).some((each) => each !== null && each !== '');
  } catch {
    return false;
  }
}

async function send(session: ServiceAccess, request: RawRequest) {
  const client = await session.client();
  try {
    return await client.raw(request);
  } catch (cause) {
    if (cause instanceof RangeError) throw new UsageError(cause.message, { cause });
    throw cause;
  }
}

const withLineEnd = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`);
