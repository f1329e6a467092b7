export type { RecordOf } from '../schema/resource.ts';
