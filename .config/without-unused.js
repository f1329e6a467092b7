import { readFileSync } from 'node:fs';

/**
 * Versions whose text the edits below are written for. A test compares them with the installed ones. After an update, read
 * the edited files again, and measure the start (`npm run bench:startup`).
 */
export const EDITED_VERSIONS = {
  '@modelcontextprotocol/sdk': '1.32.2',
  commander: '14.0.3',
  undici: '7.30.2',
};

/** Removes modules that packages load at once and that svc does not use, or not for one call. Each takes milliseconds of every start. */
export function withoutUnused() {
  return {
    name: 'without-unused',
    load(id) {
      const [, edits] = Object.entries(EDITS).find(([end]) => id.endsWith(end)) ?? [];
      return edits?.reduce((code, [from, to]) => replaced(code, from, to, id), readFileSync(id, 'utf8'));
    },
  };
}

// It loads `node:util` with all its colours, and through it standard error, to say what never happens.
const ASSERT = [
  "require('node:assert')",
  "((value, message) => { if (!value) require('node:assert')(value, message) })",
];
const UNDICI = '/node_modules/undici/lib';
const SDK = '/node_modules/@modelcontextprotocol/sdk/dist/esm';

const EDITS = {
  // We have no commands that are programs of their own.
  '/node_modules/commander/lib/command.js': [["require('node:child_process')", 'undefined']],
  // The server of `svc mcp` has schemas of Zod 4 alone, and checks no answers of its client by a JSON Schema.
  [`${SDK}/validation/ajv-provider.js`]: [[/^.*$/s, 'export class AjvJsonSchemaValidator {}']],
  [`${SDK}/server/zod-compat.js`]: [["import * as z3rt from 'zod/v3';", 'const z3rt = {};']],
  [`${SDK}/server/zod-json-schema-compat.js`]: [
    ["import { zodToJsonSchema } from 'zod-to-json-schema';", 'const zodToJsonSchema = undefined;'],
  ],
  [`${UNDICI}/core/connect.js`]: [ASSERT],
  [`${UNDICI}/core/request.js`]: [ASSERT],
  [`${UNDICI}/dispatcher/client-h1.js`]: [ASSERT],
  // No body is an answer of `node:http`.
  [`${UNDICI}/core/util.js`]: [
    ASSERT,
    ["const { IncomingMessage } = require('node:http')", 'let IncomingMessage'],
  ],
  // What Node allows unless it is told otherwise.
  [`${UNDICI}/dispatcher/client.js`]: [
    ASSERT,
    [
      "require('node:http')",
      "(/max-http-header-size/.test([process.env.NODE_OPTIONS, ...process.execArgv]) ? require('node:http') : { maxHeaderSize: 16384 })",
    ],
  ],
  // The client asks for HTTP/1.1 alone (`allowH2: false`).
  [`${UNDICI}/dispatcher/client-h2.js`]: [
    [/^.*$/s, 'module.exports = () => { throw new Error("HTTP/2 is left out of this bundle"); };'],
  ],
};

/** The build fails where a new version of a package is written otherwise. */
function replaced(code, from, to, id) {
  const edited = code.replace(from, () => to);
  if (edited === code) throw new Error(`${id} has no ${from}`);
  return edited;
}
