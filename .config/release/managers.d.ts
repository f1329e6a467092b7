export function managerFiles(about: {
  readonly version: string;
  readonly homepage: string;
  readonly baseUrl: string;
  readonly archives: ReadonlyMap<string, { readonly name: string; readonly sha256: string }>;
}): Map<string, string>;

export function containerFile(
  template: string,
  facts: { readonly version: string; readonly homepage: string; readonly commit: string },
): string;
