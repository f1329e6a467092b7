/** A campaign finds its records by the mark at the end of a name. */

import type { Client } from '../../client/requests/client.ts';
import { fieldOf, type Resource, type Values } from '../../kit/schema/resource.ts';
import { appendCampaignMark, parseCampaignMark } from '../../service/resources/campaign-mark.ts';
import { UsageError } from '../errors/errors.ts';
import type { Id } from './references.ts';

/** @throws UsageError if the name is too long for the mark */
export async function keepCampaignMarkInNewName(
  client: Pick<Client, 'get'>,
  resource: Resource,
  id: Id,
  body: Values,
): Promise<Values> {
  const { name } = body;
  if (typeof name !== 'string' || !MARKED.has(resource.noun) || parseCampaignMark(name)) return body;
  const found: { readonly name?: unknown } | undefined = await client.get(resource, id);
  const mark = parseCampaignMark(found?.name)?.mark;
  if (!mark) return body;
  const marked = appendCampaignMark(name, mark);
  const [, most] = fieldOf(resource, 'name').octets ?? [];
  const over = most === undefined ? 0 : Buffer.byteLength(marked, 'utf8') - most;
  if (over > 0)
    throw new UsageError(`cannot rename ${resource.noun} ${String(id)}: the name is ${over} bytes too long`, {
      hint: `svc adds the campaign's mark, such as [svc-…], to the name, and this mark takes ${Buffer.byteLength(marked, 'utf8') - Buffer.byteLength(name, 'utf8')} of ${most} bytes; use a shorter name`,
    });
  return { ...body, name: marked };
}

/** A campaign file can contain these resources. */
const MARKED: ReadonlySet<string> = new Set(['folder', 'email', 'sms-message', 'task', 'automation']);
