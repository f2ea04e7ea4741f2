/** Milliseconds of a clock that all processes of this machine share and that nobody sets. */
export function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
