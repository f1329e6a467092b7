type Segment = readonly [column: number, ...rest: readonly number[]];

export function inAscii(code: string): string;
export function segmentsInAscii(line: string, segments: readonly Segment[]): readonly Segment[];
