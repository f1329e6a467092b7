export function withManList(text: string, pages: Iterable<string>): string;
export function withoutManList(text: string): string;
