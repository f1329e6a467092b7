interface Named {
  readonly name: string;
  readonly sha256: string;
}
interface Facts {
  readonly version: string;
  readonly commit: string;
  readonly date: Date;
  readonly targets: readonly string[];
  readonly files: readonly Named[];
}
interface Package {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly integrity?: string;
}

export function billOfMaterials(
  facts: Facts & { readonly packages: readonly Package[] },
): Record<string, unknown>;
export function provenance(
  facts: Facts & { readonly isModified: boolean; readonly builder: string; readonly source: string },
): Record<string, unknown>;
