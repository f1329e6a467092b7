interface Publisher {
  readonly homepage: string;
  readonly maintainer: string;
  readonly baseUrl: string;
}

export function publisherOf(
  manifest: { readonly homepage: string; readonly author: string; readonly version: string },
  flags: {
    readonly baseUrl?: string | undefined;
    readonly naming?: Readonly<Record<string, string>> | undefined;
    readonly isTrial: boolean;
  },
): Publisher;
