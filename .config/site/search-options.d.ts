import type { Options } from 'minisearch';

declare const options: Options;
export default options;
export function inOurWords(query: string): string;
