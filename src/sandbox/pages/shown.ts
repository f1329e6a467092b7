import type { ControlResult } from '../../protocol/control.ts';

/** A delivered message, as its pages receive it. */
export type Shown = ControlResult<'outbox show'>;
