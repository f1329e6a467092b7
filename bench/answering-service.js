// A service that answers at once, so that it is no bottleneck of what is measured against it: POST /v1/doNotContact gives
// the row it would have made, GET gives pages of rows made up from their numbers. It checks no signature and keeps
// nothing. `startService` runs it in a process of its own; the first argument says how many rows there are.
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const self = fileURLToPath(import.meta.url);
const PATH = '/v1/doNotContact';
const MOST = 200;

export const address = (row) => `person${row}@example${row % 997}.com`;

/** @param rows how many a walk over all of them gives; a POST makes the ones after */
export async function startService(rows) {
  const child = spawn(process.execPath, [self, String(rows)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const port = await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    child.once('exit', (code) => reject(new Error(`the service ended with ${code}`)));
  });
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    company: { id: 1, adminUserId: 1, apiKey: '0'.repeat(32) },
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', resolve);
        child.kill();
      }),
  };
}

if (process.argv[1] === self) serve(Number(process.argv[2]));

function serve(rows) {
  let made = rows;
  const cdate = Math.floor(Date.now() / 1000);
  const rowText = (id, contactdata) => `{"id":${id},"contactdata":${contactdata},"cdate":${cdate}}`;
  const server = createServer((request, response) => {
    const answer = (status, body) => {
      response.writeHead(status, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'x-svc-time': Math.floor(Date.now() / 1000),
      });
      response.end(request.method === 'HEAD' ? undefined : body);
    };
    const { method, url } = request;
    const [path, query = ''] = url.split('?');
    if (method === 'POST' && path === PATH) {
      let body = '';
      request.setEncoding('utf8');
      request.on('data', (text) => {
        body += text;
      });
      request.on('end', () => {
        made += 1;
        const row = rowText(made, JSON.stringify(JSON.parse(body).contactdata));
        answer(202, `{"status":"ok","response":{"count":1,"next":null,"data":${row}}}`);
      });
      return;
    }
    request.resume();
    if (method === 'GET' && path === PATH) answer(200, page(query));
    else answer(404, '{"status":"error","response":{"code":404,"subcode":null,"message":"not found"}}');
  });
  const page = (query) => {
    const asked = new URLSearchParams(query);
    const first = Math.max(1, Number(asked.get('start') ?? 1));
    const count = Math.min(MOST, Number(asked.get('count') ?? MOST), Math.max(0, rows - first + 1));
    let data = '';
    for (let id = first; id < first + count; id += 1)
      data += `${id === first ? '' : ','}${rowText(id, `"${address(id)}"`)}`;
    const next = first + count <= rows ? first + count : null;
    return `{"status":"ok","response":{"count":${count},"next":${next},"data":[${data}]}}`;
  };
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1', () => console.log(server.address().port));
}
