/** Reads the certificate of a sandbox from its two files. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { createSecureContext, rootCertificates } from 'node:tls';
import { SvcError } from '../../kit/text/svc-error.ts';

/** Paths of PEM files: the certificate with its intermediate certificates, and its key. */
export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

export interface Certificate {
  readonly cert: string;
  readonly key: string;
  /** SHA-256 of the certificate itself, 64 hexadecimal characters. The sandbox's own commands identify the certificate by it. */
  readonly fingerprint: string;
  /** Unix seconds until which the certificate is valid. */
  readonly validUntil: number;
  /** True for a certificate that is not signed by an authority that Node trusts. */
  readonly isPrivate: boolean;
  /** Reports whether the certificate covers this host name or address. */
  readonly isFor: (host: string) => boolean;
}

/** Thrown when the files can't be used; `hint` says what to do. */
export class CertificateError extends SvcError<'usage'> {
  override readonly name = 'CertificateError';

  constructor(message: string, hint: string, cause?: unknown) {
    super('usage', message, { hint, cause });
  }
}

/** Throws `CertificateError` if a file can't be read, the two don't match, or the certificate isn't valid `now` (milliseconds). */
export function readCertificate(files: CertificateFiles, now: number): Certificate {
  const [cert, key] = [textOf(files.cert), textOf(files.key)];
  const chain = chainIn(cert, files.cert);
  const [leaf] = chain;
  if (leaf === undefined)
    throw new CertificateError(
      `${files.cert} holds no certificate`,
      'the file must be in PEM format, with -----BEGIN CERTIFICATE-----',
    );
  checkKey(leaf, key, files);
  const [from, until] = [Date.parse(leaf.validFrom), Date.parse(leaf.validTo)];
  if (now < from || now > until)
    throw new CertificateError(
      `the certificate ${files.cert} is valid from ${leaf.validFrom} to ${leaf.validTo}, not now`,
      'use a valid certificate',
    );
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    throw unusable(files.cert, error);
  }
  return {
    cert,
    key,
    fingerprint: leaf.fingerprint256.replaceAll(':', '').toLowerCase(),
    validUntil: Math.floor(until / 1000),
    isPrivate: !isKnown(chain),
    isFor: (host) => (isIP(host) ? leaf.checkIP(host) : leaf.checkHost(host)) !== undefined,
  };
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw unusable(path, error);
  }
}

const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

function chainIn(text: string, path: string): readonly X509Certificate[] {
  try {
    return (text.match(PEM_CERTIFICATE) ?? []).map((pem) => new X509Certificate(pem));
  } catch (error) {
    throw unusable(path, error);
  }
}

/** Checks that the key can be used and belongs to the certificate. Errors contain no part of the key. */
function checkKey(leaf: X509Certificate, key: string, files: CertificateFiles): void {
  if (/ENCRYPTED/.test(key))
    throw new CertificateError(
      `the key ${files.key} is encrypted`,
      `openssl pkey -in ${files.key} -out KEY writes the key without a passphrase; keep the new file private`,
    );
  let matches: boolean;
  try {
    matches = leaf.checkPrivateKey(createPrivateKey(key));
  } catch (error) {
    throw unusable(files.key, error);
  }
  if (!matches)
    throw new CertificateError(
      `the key ${files.key} does not belong to the certificate ${files.cert}`,
      'use a certificate and a key that belong together',
    );
}

function isKnown(chain: readonly X509Certificate[]): boolean {
  const top = chain.at(-1);
  if (top === undefined) return false;
  return rootCertificates.some((pem) => {
    const root = new X509Certificate(pem);
    return top.fingerprint256 === root.fingerprint256 || top.checkIssued(root);
  });
}

function unusable(path: string, cause: unknown): CertificateError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const why = code !== '' ? code : cause instanceof Error ? cause.message : String(cause);
  return new CertificateError(`cannot use ${path} (${why})`, 'use a readable PEM file', cause);
}
