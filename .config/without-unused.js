import { readFileSync } from 'node:fs';

/**
 * Versions of the packages that the edits below are made for. A test compares them with the installed versions. After an update,
 * read the edited files again, and measure the start (`npm run bench:startup`).
 */
export const EDITED_VERSIONS = {
  '@modelcontextprotocol/sdk': '1.32.2',
  commander: '14.0.3',
  undici: '7.30.2',
};

/** Returns a plug-in that removes modules which packages load, but svc does not need for a call. Each would slow down every start. */
export function withoutUnused() {
  return {
    name: 'without-unused',
    load(id) {
      const [, edits] = Object.entries(EDITS).find(([end]) => id.endsWith(end)) ?? [];
      return edits?.reduce((code, [from, to]) => replaced(code, from, to, id), readFileSync(id, 'utf8'));
    },
  };
}

// `node:assert` loads `node:util` and standard error, only to print errors that never occur.
const ASSERT = [
  "require('node:assert')",
  "((value, message) => { if (!value) require('node:assert')(value, message) })",
];
const UNDICI = '/node_modules/undici/lib';
const SDK = '/node_modules/@modelcontextprotocol/sdk/dist/esm';

const EDITS = {
  // svc has no commands in separate programs.
  '/node_modules/commander/lib/command.js': [["require('node:child_process')", 'undefined']],
  // The server of `svc mcp` uses only schemas of Zod 4, and checks no response of its client against a JSON Schema.
  [`${SDK}/validation/ajv-provider.js`]: [[/^.*$/s, 'export class AjvJsonSchemaValidator {}']],
  [`${SDK}/server/zod-compat.js`]: [["import * as z3rt from 'zod/v3';", 'const z3rt = {};']],
  [`${SDK}/server/zod-json-schema-compat.js`]: [
    ["import { zodToJsonSchema } from 'zod-to-json-schema';", 'const zodToJsonSchema = undefined;'],
  ],
  [`${UNDICI}/core/connect.js`]: [ASSERT],
  [`${UNDICI}/core/request.js`]: [ASSERT],
  [`${UNDICI}/dispatcher/client-h1.js`]: [ASSERT],
  // svc never passes a response of `node:http` as a body.
  [`${UNDICI}/core/util.js`]: [
    ASSERT,
    ["const { IncomingMessage } = require('node:http')", 'let IncomingMessage'],
  ],
  // 16384 is the default of Node.
  [`${UNDICI}/dispatcher/client.js`]: [
    ASSERT,
    [
      "require('node:http')",
      "(/max-http-header-size/.test([process.env.NODE_OPTIONS, ...process.execArgv]) ? require('node:http') : { maxHeaderSize: 16384 })",
    ],
  ],
  // The client uses only HTTP/1.1 (`allowH2: false`).
  [`${UNDICI}/dispatcher/client-h2.js`]: [
    [/^.*$/s, 'module.exports = () => { throw new Error("HTTP/2 is left out of this bundle"); };'],
  ],
};

/** Returns the edited code. @throws Error if a new version of the package no longer contains the text */
function replaced(code, from, to, id) {
  const edited = code.replace(from, () => to);
  if (edited === code) throw new Error(`${id} has no ${from}`);
  return edited;
}
