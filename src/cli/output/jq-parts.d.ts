/** The file and its imports as one CommonJS script (.config/raw-text.js). */
declare module '*?script' {
  const script: string;
  export default script;
}

/** The file, compressed and in base64 (.config/raw-text.js). */
declare module '*?brotli' {
  const packed: string;
  export default packed;
}

/** The part of WebAssembly that `jq-thread.ts` uses. TypeScript has it only together with the types of browsers. */
declare namespace WebAssembly {
  type Imports = Record<string, Record<string, unknown>>;
  class Memory {
    readonly buffer: ArrayBuffer;
  }
  class RuntimeError extends Error {}
  type Module = object;
  interface Instance {
    readonly exports: Readonly<Record<string, unknown>>;
  }
  function instantiate(
    octets: Uint8Array,
    imports: Imports,
  ): Promise<{ readonly instance: Instance; readonly module: Module }>;
}
