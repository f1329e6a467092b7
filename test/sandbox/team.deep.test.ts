/**
 * X9: 50 clients send 10,000 requests a minute, beside sends to a large list. No request fails, and memory and open files stay the same.
 * The test prints the times; `npm run bench:load -- 1800` runs the load for half an hour.
 */
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { builtSvc } from '../support/built-package.ts';
import { depth, tried } from '../support/depth.ts';

const SECONDS = depth('SVC_LOAD_SECONDS', { few: 20, full: 180 });
const RECIPIENTS = depth('SVC_LOAD_RECIPIENTS', { few: 20_000, full: 500_000 });
/** A heap that is collected occasionally is not constant to the octet. In a short run, the caches of the database are still filling. */
const MAX_GROWTH = SECONDS < 120 ? 0.3 : 0.1;
/** Each client keeps a connection open or opens another one. */
const MAX_MORE_FILES = 50;

it(`is stable for ${SECONDS} s of mixed load`, { timeout: (SECONDS + 600) * 1000 }, async () => {
  const words = ['bench/team.js', String(SECONDS), String(RECIPIENTS), '--json'];
  const { stdout } = await execa(process.execPath, words, { env: { SVC_BIN: await builtSvc() } });
  const found = JSON.parse(stdout);
  const { errors, firstErrors, requests, get, memory, files, sent } = found;
  const mb = (octets: number): number => Math.round(octets / 1e6);
  console.log(
    `${requests} requests, ${sent} messages sent, ${errors} errors; a GET p50 ${get.p50} ms, p99 ${get.p99} ms, longest ${get.most} ms; memory ${mb(memory.early)} then ${mb(memory.late)} MB; open files ${files.early} then ${files.late}`,
  );
  expect([errors, firstErrors]).toEqual([0, []]);
  expect(requests).toBe(Math.ceil((SECONDS * 10_000) / 60));
  expect(sent).toBeGreaterThanOrEqual(2 * RECIPIENTS);
  expect(files.late).toBeLessThanOrEqual(files.early + MAX_MORE_FILES);
  expect(memory.late / memory.early).toBeLessThanOrEqual(1 + MAX_GROWTH);
  tried('X9', requests);
});
