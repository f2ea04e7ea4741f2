/** Options of `nest g a2a-executor`, as `schema.json` describes them to the Nest CLI. */
export interface A2AExecutorOptions {
  /** Name of the agent; leading segments are directories: `shop/orders`. */
  name: string;
  /** Directory to write to, relative to the source root. */
  path?: string;
  /** Language of the project; only `ts` is supported. */
  language?: string;
  /** Source root of the project, `src` unless told. */
  sourceRoot?: string;
  /** Create no directory for the agent. */
  flat?: boolean;
  /** Generate a spec file. */
  spec?: boolean;
  /** File suffix of the spec file, `spec` unless told. */
  specFileSuffix?: string;
  /** Leave the nearest module alone. */
  skipImport?: boolean;
  /** Format the written files with Prettier. */
  format?: boolean;
}
