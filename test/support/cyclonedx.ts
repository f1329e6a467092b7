import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';

let compiled: ValidateFunction | undefined;

/** Returns the findings of CycloneDX's own JSON schema of version 1.6 for a bill of materials: none if it is valid. */
export function faultsOfBill(bill: unknown): readonly string[] {
  compiled ??= compileSchema();
  compiled(bill);
  return (compiled.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

function compileSchema(): ValidateFunction {
  const main = createRequire(import.meta.url).resolve('@cyclonedx/cyclonedx-library/package.json');
  const schema = (name: string): object =>
    JSON.parse(readFileSync(join(dirname(main), 'res/schema', `${name}.SNAPSHOT.schema.json`), 'utf8'));
  const ajv = new Ajv({ strict: false, allErrors: true });
  addFormats.default(ajv);
  // Formats of addresses that the package of formats lacks.
  for (const name of ['iri-reference', 'idn-email']) ajv.addFormat(name, true);
  for (const name of ['spdx', 'jsf-0.82'])
    ajv.addSchema(schema(name), `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`);
  return ajv.compile(schema('bom-1.6'));
}
