/** What `bin/svc.js` does, and then the most memory that the process had, in MB on stderr. */
import { main, realContext } from '../../src/main.ts';

process.exitCode = await main(process.argv.slice(2), realContext());
process.stderr.write(`rss ${Math.round(process.resourceUsage().maxRSS / 1000)}\n`);
