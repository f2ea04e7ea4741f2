/** What the checks counted, and what they found wrong. */
export class Findings {
  readonly counts: Record<string, number> = {};
  readonly violations: { readonly rule: string; readonly task: string | undefined; readonly text: string }[] =
    [];

  count(what: string, by = 1): void {
    this.counts[what] = (this.counts[what] ?? 0) + by;
  }

  /** Counts what is checked, and notes a violation when it does not hold. */
  expect(holds: boolean, rule: string, task: string | undefined, text: string): void {
    if (!holds) this.violations.push({ rule, task, text });
  }
}
