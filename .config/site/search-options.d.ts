import type { Options } from 'minisearch';

declare const options: Options;
export default options;
