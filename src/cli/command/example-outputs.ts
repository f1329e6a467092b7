/** Outputs of the examples in help, from the sandbox's demo company (`npm run generate` writes them). */
import text from './example-outputs.json?text';

export interface ExampleOutput {
  /** Standard output without a terminal. A long output is cut. */
  readonly output?: string;
  /** Standard output on a terminal with 80 columns, if it is short. */
  readonly terminal?: string;
  /** Types of the fields of the result, with `-o json`. */
  readonly fields?: Readonly<Record<string, string>>;
}

const outputs: Readonly<Record<string, ExampleOutput>> = JSON.parse(text);

/** @param path the words of a command, without `svc` */
export const exampleOutputOf = (path: string): ExampleOutput | undefined => outputs[path];
