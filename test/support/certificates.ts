/** Certificates of a private authority, made by openssl in a folder. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Issued {
  readonly cert: string;
  readonly key: string;
}

export interface Authority {
  /** The file of the authority's own certificate. */
  readonly ca: string;
  /** @param names as in `subjectAltName`; @param days below 0 for an expired certificate */
  readonly issue: (file: string, names: string, days?: number) => Issued;
}

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout'];

export function authorityIn(folder: string): Authority {
  const openssl = (...args: readonly string[]): void => {
    execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  };
  openssl('req', '-x509', ...NEW_KEY, 'ca.key', '-out', 'ca.pem', '-days', '2', '-subj', '/CN=Tests');
  return {
    ca: join(folder, 'ca.pem'),
    issue: (file, names, days = 2) => {
      openssl('req', ...NEW_KEY, `${file}.key`, '-out', `${file}.csr`, '-subj', `/CN=${file}`);
      writeFileSync(join(folder, `${file}.ext`), `subjectAltName=${names}\n`);
      const signing = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', `${file}.ext`];
      openssl('x509', '-req', '-in', `${file}.csr`, ...signing, '-days', String(days), '-out', `${file}.pem`);
      return { cert: join(folder, `${file}.pem`), key: join(folder, `${file}.key`) };
    },
  };
}
