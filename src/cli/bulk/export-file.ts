/** The file is written atomically. */

import { resolve } from 'node:path';
import { groupThousands } from '../../kit/text/words.ts';
import type { Outcome } from '../command/command.ts';
import { render } from '../output/render.ts';
import type { Rows } from '../output/result.ts';
import type { OutputStream } from '../outside/context.ts';
import { openNewFile } from '../request/new-file.ts';
import type { Changes, Clocks, Invocation, Tell } from '../session/ports.ts';

export async function exportToFile(
  session: Invocation & Tell & Clocks & Changes,
  result: Rows,
  file: string,
  force: boolean,
): Promise<Outcome> {
  const { context, globals } = session;
  session.beforeChange(`write ${file}`);
  const written = await openNewFile(session, { path: resolve(context.cwd, file), name: file, force });
  let count = 0;
  const counted = async function* () {
    for await (const row of result.rows) {
      count += 1;
      yield row;
    }
  };
  const out: OutputStream = { isTTY: false, columns: undefined, write: written.write };
  const { fields, query, header, csvRaw, quiet } = globals;
  try {
    const rendering = {
      fields,
      query,
      header,
      csvRaw,
      quiet,
      format: await session.format(),
      colour: false,
      zone: session.displayZone,
      width: undefined,
    };
    await render({ ...result, rows: counted() }, rendering, out, context.stderr);
    await written.commit();
  } catch (error) {
    await written.abort();
    throw error;
  }
  await session.info(`wrote ${groupThousands(count)} ${count === 1 ? 'entry' : 'entries'} to ${file}`);
  return { result: { kind: 'nothing' } };
}
