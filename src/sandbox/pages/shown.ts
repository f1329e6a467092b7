import type { ControlResult } from '../../protocol/control.ts';

/** A delivered message, as the pages about it have it. */
export type Shown = ControlResult<'outbox show'>;
