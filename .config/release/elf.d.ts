export function withoutSymbols(octets: Buffer): Buffer;
