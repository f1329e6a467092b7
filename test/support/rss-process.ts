/** Runs `bin/svc.js`, and then prints the peak memory of the process in MB on stderr. */
import { readFileSync } from 'node:fs';
import { main, realContext } from '../../src/main.ts';

process.exitCode = await main(process.argv.slice(2), realContext());
// This is not `maxRSS` of the usage, because a new process begins with the value of its parent.
const [, kilobytes] = /^VmHWM:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
process.stderr.write(`rss ${Math.round(Number(kilobytes) / 1000)}\n`);
