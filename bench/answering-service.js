// Starts a service that responds immediately, so that it does not limit a measurement. POST /v1/doNotContact returns the row that it would
// create. GET returns pages of rows, which the service computes from their numbers. The service checks no signature and stores nothing.
// `startService` runs it in a separate process, whose first argument is the number of rows.
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const self = fileURLToPath(import.meta.url);
const PATH = '/v1/doNotContact';
const LIMIT = 200;

export const address = (row) => `person${row}@example${row % 997}.com`;

/** Starts the service. @param rows the number of rows that GET returns. A POST returns a row with a higher id */
export async function startService(rows) {
  const child = spawn(process.execPath, [self, String(rows)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const port = await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    child.once('exit', (code) => reject(new Error(`the service exited with ${code}`)));
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
  let lastId = rows;
  const cdate = Math.floor(Date.now() / 1000);
  const rowText = (id, contactdata) => `{"id":${id},"contactdata":${contactdata},"cdate":${cdate}}`;
  const server = createServer((request, response) => {
    const respond = (status, body) => {
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
        lastId += 1;
        const row = rowText(lastId, JSON.stringify(JSON.parse(body).contactdata));
        respond(202, `{"status":"ok","response":{"count":1,"next":null,"data":${row}}}`);
      });
      return;
    }
    request.resume();
    if (method === 'GET' && path === PATH) respond(200, page(query));
    else respond(404, '{"status":"error","response":{"code":404,"subcode":null,"message":"not found"}}');
  });
  const page = (query) => {
    const parameters = new URLSearchParams(query);
    const first = Math.max(1, Number(parameters.get('start') ?? 1));
    const count = Math.min(LIMIT, Number(parameters.get('count') ?? LIMIT), Math.max(0, rows - first + 1));
    let data = '';
    for (let id = first; id < first + count; id += 1)
      data += `${id === first ? '' : ','}${rowText(id, `"${address(id)}"`)}`;
    const next = first + count <= rows ? first + count : null;
    return `{"status":"ok","response":{"count":${count},"next":${next},"data":[${data}]}}`;
  };
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1', () => console.log(server.address().port));
}
