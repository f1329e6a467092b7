interface Entry {
  readonly path: string;
  readonly data?: string | Uint8Array | undefined;
  readonly mode?: number;
  readonly link?: string;
}
interface Unpacked {
  readonly path: string;
  readonly mode: number;
  readonly data: Buffer;
}

export function tarOf(entries: readonly Entry[], seconds: number): Buffer;
export function filesOf(tar: Buffer): Unpacked[];
export function readTgz(octets: Uint8Array): Unpacked[];
export function gzipped(octets: string | Uint8Array, level?: number): Buffer;
export function zipOf(entries: readonly Entry[], seconds: number): Buffer;
export function arOf(entries: readonly Entry[], seconds: number): Buffer;
