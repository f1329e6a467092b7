/**
 * Lists the rows of `npm run torture`: each promise of docs/acceptance.md, the tests that check it and their full numbers. Every row needs
 * a test that ends with `tried('ID', count)` of `test/support/depth.ts`. This file has only data, and torture.js bundles it for Node 20.
 */
export interface Row {
  /** The id of the row in docs/acceptance.md. */
  readonly id: string;
  readonly promise: string;
  readonly files: readonly string[];
  /** A regular expression over the full names of tests. Without it every test of the files runs, and none of them may be skipped. */
  readonly tests?: string;
  /** The numbers of this row, if they differ from those of `SVC_DEPTH=full`. */
  readonly env?: Readonly<Record<string, string>>;
  /** The `.config/vitest.*.config.ts` that runs the files, if it is not `deep`. */
  readonly config?: 'postgres';
  /** Programs that the row needs. The row is left out if one is missing. `postgresql` stands for the server of Debian's package. */
  readonly needs?: readonly string[];
  /** Whether the row must run alone, because it measures time or memory. */
  readonly isAlone?: boolean;
}

const SIGNING_AND_SECRETS: readonly Row[] = [
  {
    id: 'A1',
    promise: 'Each signature follows the interface document exactly.',
    files: ['test/auth/signature.test.ts'],
    needs: ['openssl'],
  },
  {
    id: 'A2',
    promise: 'The sandbox accepts no request twice, even after a kill -9.',
    files: ['test/sandbox/request/verify.test.ts', 'test/sandbox/durable.e2e.test.ts'],
    tests: '^nonces|^A2: ',
  },
  {
    id: 'A3',
    promise: 'No attempt repeats a nonce.',
    files: ['test/client/call.test.ts'],
    tests: 'calls through a bad network',
  },
  {
    id: 'A4',
    promise: 'Signed requests go only to the bound origin.',
    files: ['test/client/transport/undici-transport.test.ts', 'test/profiles/credentials.test.ts'],
    tests: "^a sent request|^a profile's key",
  },
  {
    id: 'A5',
    promise: 'svc reports a wrong clock of this machine, and sends nothing twice.',
    files: ['test/e2e/lagging-clock.test.ts'],
    tests: "offsets of this machine's clock",
    needs: ['faketime'],
  },
  {
    id: 'S1',
    promise: 'svc never prints the key of a profile, and writes it to no other file.',
    files: [
      'test/cli/secret-leaks.test.ts',
      'test/cli/given-secrets.test.ts',
      'test/e2e/secret-leaks.test.ts',
    ],
  },
  {
    id: 'S2',
    promise: 'Files that hold keys are private, whatever the umask.',
    files: ['test/profiles/processes.e2e.test.ts', 'test/files/umask.e2e.test.ts'],
    // Only root can give a file to another user.
    tests:
      '^with umask (?!.*of another user)|^a sandbox under umask|^(atomic-file|private-file|lock|make-folders)$',
  },
  {
    id: 'S3',
    promise: 'No profile is lost if several processes write.',
    files: ['test/profiles/processes.e2e.test.ts'],
    tests: 'keeps all profiles of two processes',
  },
  {
    id: 'S4',
    promise: 'Profiles stay complete, at whichever system call their writer is killed.',
    files: ['test/profiles/processes.e2e.test.ts'],
    tests: 'a writer killed at any',
    needs: ['strace'],
  },
];

const INPUT_AND_OUTPUT: readonly Row[] = [
  {
    id: 'F1',
    promise: 'No command line crashes svc.',
    files: ['test/cli/command/program.test.ts', 'test/e2e/crash.test.ts'],
    tests: 'random command lines',
    // A line takes 1.5 ms of a core, and a process about 150 ms. A million lines and 20,000 processes would take more than an hour.
    env: { SVC_COMMAND_LINES: '250000', SVC_REAL_LINES: '2000' },
  },
  {
    id: 'F2',
    promise: 'No file, no request and no response crashes svc or the sandbox.',
    files: [
      'test/bulk/unquoted-records.test.ts',
      'test/client/final-failures.test.ts',
      'test/protocol/json.test.ts',
      'test/sandbox/fuzz.test.ts',
    ],
    tests: 'files match those|random answers|^any JSON|responds to each of',
    env: { SVC_FUZZED_REQUESTS: '5600' },
  },
  {
    id: 'F3',
    promise: 'No input changes a prototype.',
    files: ['test/cli/commands/sandbox/subscribers.test.ts'],
    tests: 'change no prototype',
    env: { SVC_CSV_HEADERS: '5000' },
  },
  {
    id: 'F4',
    promise: 'No text makes a check hang.',
    files: [
      'test/regular-expressions.test.ts',
      'test/regular-expressions.deep.test.ts',
      'test/text/html-to-text.test.ts',
      'test/cli/commands/campaign/html-words.deep.test.ts',
    ],
  },
  {
    id: 'F5',
    promise: 'No text from the service controls the terminal.',
    files: ['test/text/terminal.test.ts', 'test/cli/output/fuzz.test.ts'],
    tests: 'forbidden code point|^hostile texts',
  },
  {
    id: 'F6',
    promise: 'No spreadsheet runs a cell of svc as a formula.',
    files: ['test/text/csv.test.ts', 'test/cli/output/fuzz.test.ts'],
    tests: 'no active formula|^cells that a spreadsheet',
  },
  {
    id: 'F7',
    promise: 'svc sends no dangerous request without its flag.',
    files: ['test/cli/request/guards.test.ts'],
  },
  {
    id: 'F8',
    promise: 'svc counts the segments of an SMS as other libraries do.',
    files: ['test/text/sms-segments.test.ts'],
  },
];

const KILLED_IMPORTS = { SVC_KILLS: '200', SVC_IMPORTS: '10', SVC_ROWS: '100000' };

const BULK_WORK: readonly Row[] = [
  {
    id: 'I1',
    promise: 'A kill -9 of an import loses no row and sends none twice.',
    files: ['test/e2e/import.deep.test.ts'],
    tests: 'I1: ',
    env: KILLED_IMPORTS,
  },
  {
    id: 'I2',
    promise: 'I1 holds even if the service is slow and loses responses.',
    files: ['test/e2e/import.deep.test.ts'],
    tests: 'I2: ',
    env: KILLED_IMPORTS,
  },
  {
    id: 'I3',
    promise: 'An import survives a kill at each system call that writes.',
    files: ['test/e2e/import-calls.deep.test.ts'],
    tests: 'I3: ',
    needs: ['strace'],
  },
  {
    id: 'I4',
    promise: 'svc sends no row before the mark above it is on disk.',
    files: ['test/e2e/import-calls.deep.test.ts'],
    tests: 'I4: ',
    needs: ['strace'],
  },
  {
    id: 'I5',
    promise: 'A disk error stops an import.',
    files: ['test/bulk/checkpoint.test.ts'],
    tests: 'I5: ',
  },
  {
    id: 'I6',
    promise: 'An import refuses a changed file.',
    files: ['test/bulk/checkpoint.test.ts'],
    tests: 'I6: ',
  },
  {
    id: 'I7',
    promise: 'One runner works on a file at a time.',
    files: ['test/bulk/runner-lock.test.ts'],
    tests: 'I7: ',
  },
  {
    id: 'I8',
    promise: 'A million rows fit into 300 MB, and each is sent once.',
    files: ['test/e2e/large-import.deep.test.ts'],
  },
  {
    id: 'I9',
    promise: 'svc applies a campaign once, at whichever step it is killed.',
    files: ['test/campaign/kills.deep.test.ts', 'test/e2e/bundle.test.ts', 'test/sends/histories.test.ts'],
    tests: '^(?!Y6: |C3: |examples/)',
    needs: ['strace'],
  },
];

const RETRY: readonly Row[] = [
  {
    id: 'Y1',
    promise: 'A POST of task, sms, rule or account is carried out at most once.',
    files: ['test/client/simulation.test.ts'],
  },
  {
    id: 'Y2',
    promise: 'On a real socket, nothing is done twice, and no reported success is false.',
    files: ['test/client/socket-faults.test.ts'],
  },
  {
    id: 'Y3',
    promise: 'The client obeys Retry-After.',
    files: ['test/client/retry.test.ts'],
    tests: 'Y3: ',
  },
  {
    id: 'Y4',
    promise: 'svc does not flood a service that is down.',
    files: ['test/cli/nouns/dnc/import.test.ts'],
    tests: 'Y4: ',
  },
  {
    id: 'Y5',
    promise: 'svc sends nothing early.',
    files: ['test/cli/request/send-time.test.ts'],
    tests: 'Y5: ',
  },
  {
    id: 'Y6',
    promise: 'A CI job can safely run again.',
    files: ['test/cli/nouns/task/duplicate-key.test.ts', 'test/sends/histories.test.ts'],
    tests: 'Y6: ',
  },
];

const SANDBOX: readonly Row[] = [
  {
    id: 'X1',
    promise: 'kill -9 loses no acknowledged write.',
    files: ['test/sandbox/durable.e2e.test.ts'],
    tests: '^X1: ',
    env: { SVC_KILLS: '200' },
  },
  {
    id: 'X2',
    promise: 'A power cut loses no acknowledged write, even if all unsynced data is lost.',
    files: ['test/sandbox/durable.e2e.test.ts'],
    tests: '^X2: ',
    needs: ['strace'],
  },
  {
    id: 'X3',
    promise: 'The sandbox does due work once, and never early.',
    files: ['test/sandbox/model/model.test.ts'],
  },
  {
    id: 'X4',
    promise: 'No web page reaches the sandbox.',
    files: ['test/sandbox/server.test.ts'],
  },
  {
    id: 'X5',
    promise: 'notifyurl calls no other machine.',
    files: ['test/sandbox/http/notifier.test.ts'],
  },
  {
    id: 'X6',
    promise: 'No link leads elsewhere, and no page runs a script.',
    files: ['test/sandbox/http/forged.test.ts'],
  },
  {
    id: 'X7',
    promise: 'Malformed requests do not end the sandbox.',
    files: ['test/sandbox/http/malformed.test.ts'],
    env: { SVC_MALFORMED: '100000' },
  },
  {
    id: 'X8',
    promise: 'All 18 resources behave as the document says.',
    files: ['test/sandbox/model/records.test.ts'],
    env: { SVC_RECORD_RUNS: '20000' },
  },
  {
    id: 'X10',
    promise: 'Outages of PostgreSQL lose no acknowledged write.',
    files: ['test/sandbox/postgres/outages.deep.test.ts'],
    needs: ['postgresql'],
  },
  {
    id: 'X11',
    promise: 'A hostile message does no harm in the pages of the sandbox.',
    files: ['test/sandbox/pages/hostile.e2e.test.ts'],
    needs: ['chromium'],
  },
];

const TESTS: readonly Row[] = [
  {
    id: 'P1',
    promise: 'svc runs on Node 20, 22, 24 and 26.',
    files: ['test/node-versions.deep.test.ts'],
    needs: ['npm'],
  },
  {
    id: 'P2',
    promise: 'The package is small and brings few others.',
    files: ['test/package.e2e.test.ts'],
    tests: 'brings the store of the sandbox',
    needs: ['npm'],
  },
  {
    id: 'Q2',
    promise: 'The tests find seeded defects.',
    files: ['test/seeded-defects.deep.test.ts'],
    needs: ['strace'],
  },
];

const NEW: readonly Row[] = [
  {
    id: 'C1',
    promise: 'svc refuses a plan that differs from its files or the service.',
    files: ['test/campaign/forged-plans.e2e.test.ts'],
  },
  {
    id: 'C2',
    promise: 'An interrupted send leaves no task that fails its limits, or reports the task.',
    files: ['test/e2e/send-signals.test.ts'],
  },
  {
    id: 'C3',
    promise: 'A campaign sends each item once, despite edits, changes by others and races.',
    files: ['test/campaign/runs.test.ts', 'test/sends/histories.test.ts'],
    tests: '^(?!Y6: |I9: )',
  },
  {
    id: 'C4',
    promise: 'A command over many companies writes once in each.',
    files: ['test/cli/companies/resume.test.ts'],
    tests: 'C4: ',
  },
  {
    id: 'C5',
    promise: 'A rehearsal predicts what really happens.',
    files: ['test/rehearse/truth.test.ts', 'test/rehearse/sequences.test.ts'],
  },
  {
    id: 'C6',
    promise: 'An assistant writes nothing without an approval.',
    files: ['test/cli/commands/mcp/sequences.test.ts'],
  },
  {
    id: 'C7',
    promise: 'Processes that send at once stay within a budget.',
    files: ['test/sends/budget.e2e.test.ts'],
  },
  {
    id: 'C8',
    promise: 'svc reads files of released versions, and refuses newer files without changing them.',
    files: ['test/upgrades/upgrades.test.ts'],
  },
  {
    id: 'C9',
    promise: 'A test of a campaign has the verdicts of what really happens.',
    files: ['test/campaign-test/truth.test.ts'],
  },
];

const LOAD: readonly Row[] = [
  {
    id: 'X9',
    promise: 'The sandbox does not leak under the load of a team.',
    files: ['test/sandbox/team.deep.test.ts'],
    isAlone: true,
  },
];

export const ROWS: readonly Row[] = [
  ...SIGNING_AND_SECRETS,
  ...INPUT_AND_OUTPUT,
  ...BULK_WORK,
  ...RETRY,
  ...SANDBOX,
  ...TESTS,
  ...NEW,
  ...LOAD,
];
