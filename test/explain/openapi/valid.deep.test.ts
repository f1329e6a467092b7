/** Contract, "Clients and documents": two public validators, which share no code, accept the document. */
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { openApiDocument } from '../../../src/features/explain/openapi/document.ts';
import { formatJson } from '../../../src/service/protocol/json.ts';

const text = formatJson(openApiDocument(), 2);

/** Each change makes the document invalid, so that a validator which accepts everything does not pass. */
const WRONG = [
  ['a path without a slash', '"/v1/folder": {', '"v1/folder": {'],
  ['a parameter without a place', '"in": "header",', '"at": "header",'],
  ['a reference to nothing', '"#/components/schemas/Folder"', '"#/components/schemas/Nothing"'],
  ['responses that are not an object', '"responses": {', '"responses": 3, "others": {'],
] as const;

/** Validates the document with the official JSON Schema of OpenAPI 3.1, and checks every reference. */
async function schemaErrors(document: string): Promise<readonly unknown[]> {
  const { valid, errors } = await new Validator().validate(JSON.parse(document));
  return valid ? [] : [errors];
}

/** Validates the document with Redocly, which has its own types and checks examples against schemas. */
async function redoclyProblems(document: string, rules: Rules): Promise<readonly string[]> {
  const config = await createConfig(rules);
  const problems = await lintFromString({ source: document, absoluteRef: 'openapi.json', config });
  return problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} at ${location[0]?.pointer}`);
}

type Rules = Parameters<typeof createConfig>[0];

/** Checks only structure and references, which takes a tenth of the time. */
const STRUCTURE: Rules = { rules: { struct: 'error', 'no-unresolved-refs': 'error' } };

const STRICT: Rules = {
  extends: ['recommended-strict'],
  rules: {
    'no-invalid-media-type-examples': { severity: 'error', allowAdditionalProperties: true },
    'no-invalid-parameter-examples': { severity: 'error', allowAdditionalProperties: true },
    'no-invalid-schema-examples': { severity: 'error', allowAdditionalProperties: true },
    // A condition names attributes that the schema around it declares.
    'no-required-schema-properties-undefined': 'off',
    // Interface, 1.2: it names no licence.
    'info-license': 'off',
    // The sandbox listens on loopback.
    'no-server-example.com': 'off',
  },
};

describe('the document', () => {
  it('is valid by the schema of OpenAPI 3.1 (@seriousme/openapi-schema-validator)', async () => {
    const validator = new Validator();
    expect(await validator.validate(JSON.parse(text))).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
  });

  it('has no error and no warning by @redocly/openapi-core, its examples included', async () => {
    expect(await redoclyProblems(text, STRICT)).toEqual([]);
  });
});

describe.each(WRONG)('%s', (_, right, wrong) => {
  it('is found by each validator', async () => {
    const spoilt = text.replace(right, wrong);
    expect(spoilt).not.toBe(text);
    expect(await schemaErrors(spoilt)).not.toEqual([]);
    expect(await redoclyProblems(spoilt, STRUCTURE)).not.toEqual([]);
  });
});
