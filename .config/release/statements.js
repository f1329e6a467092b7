/** Makes the statements of a release: its contents (CycloneDX), and how it was made (in-toto, SLSA). */
import { createHash } from 'node:crypto';
import { NODE, TARGETS } from './parts.js';

/** Returns a CycloneDX 1.6 bill of materials. @param packages npm packages in the bundle, each `{ name, version, license, integrity }` */
export function billOfMaterials({ version, commit, date, packages, targets, files }) {
  const components = [
    ...packages.map(({ name, version: its, license, integrity }) => ({
      type: 'library',
      'bom-ref': `pkg:npm/${purl(name)}@${its}`,
      name,
      version: its,
      scope: 'required',
      ...(license === undefined ? {} : { licenses: [licenseOf(license)] }),
      ...(integrity === undefined ? {} : { hashes: [hashOf(integrity)] }),
      purl: `pkg:npm/${purl(name)}@${its}`,
    })),
    ...targets.map((target) => {
      const { package: name, integrity } = TARGETS[target];
      return {
        type: 'application',
        'bom-ref': `pkg:npm/${name}@${NODE}`,
        name,
        version: NODE,
        description: `Node.js in the executable for ${target}`,
        scope: 'required',
        licenses: [licenseOf('MIT')],
        hashes: [hashOf(integrity)],
        purl: `pkg:npm/${name}@${NODE}`,
      };
    }),
  ].sort((a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1));
  const self = `pkg:generic/svc@${version}`;
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify([commit, components, files]))}`,
    version: 1,
    metadata: {
      timestamp: timestamp(date),
      component: {
        type: 'application',
        'bom-ref': self,
        name: 'svc',
        version,
        licenses: [licenseOf('MIT')],
        purl: self,
        properties: [{ name: 'svc:commit', value: commit }],
        components: files.map(({ name, sha256 }) => ({
          type: 'file',
          'bom-ref': `file:${name}`,
          name,
          version,
          hashes: [{ alg: 'SHA-256', content: sha256 }],
        })),
      },
    },
    components,
    dependencies: [
      { ref: self, dependsOn: components.map((each) => each['bom-ref']) },
      ...components.map((each) => ({ ref: each['bom-ref'] })),
    ],
  };
}

/** Returns an in-toto statement with SLSA provenance 1.0. @param files each `{ name, sha256 }` */
export function provenance({ version, commit, isModified, date, targets, files, builder, source }) {
  const revision = { uri: `git+${source}`, digest: { gitCommit: commit } };
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: files.map(({ name, sha256 }) => ({ name, digest: { sha256 } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: `${source}/blob/main/.config/release/release.js`,
        externalParameters: { version, targets, source: revision },
        internalParameters: { sourceDateEpoch: date.getTime() / 1000, isModified },
        resolvedDependencies: [
          revision,
          ...targets.map((target) => {
            const { package: name, integrity } = TARGETS[target];
            const { alg, content } = hashOf(integrity);
            return {
              uri: `pkg:npm/${name}@${NODE}`,
              digest: { [alg.replace('-', '').toLowerCase()]: content },
            };
          }),
        ],
      },
      // This has no time and no run number, because these differ between two builds of the same commit.
      runDetails: { builder: { id: builder }, metadata: { invocationId: `${source}/commit/${commit}` } },
    },
  };
}

const timestamp = (date) => date.toISOString().replace('.000Z', 'Z');

const purl = (name) => name.replace('@', '%40');

const licenseOf = (id) => (/[ ()]/.test(id) ? { expression: id } : { license: { id } });

/** Converts a hash from package-lock.json, which has the form `sha512-` and base64. */
function hashOf(integrity) {
  const [algorithm, text] = integrity.split('-');
  return {
    alg: algorithm.toUpperCase().replace('SHA', 'SHA-'),
    content: Buffer.from(text, 'base64').toString('hex'),
  };
}

/** Returns a UUID of version 8 (RFC 9562) that depends only on the text. */
function uuidOf(text) {
  const octets = createHash('sha256').update(text).digest().subarray(0, 16);
  octets[6] = (octets[6] & 0x0f) | 0x80;
  octets[8] = (octets[8] & 0x3f) | 0x80;
  const hex = octets.toString('hex');
  return [8, 12, 16, 20].reduceRight((whole, at) => `${whole.slice(0, at)}-${whole.slice(at)}`, hex);
}
