/** What `bin/svc.js` does, for a test to bundle and run as a process of its own. */
import { main, realContext } from '../../src/main.ts';

process.exitCode = await main(process.argv.slice(2), realContext());
