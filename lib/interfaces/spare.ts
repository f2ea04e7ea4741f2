/** Of tasks that are about to be deleted, those that are needed yet: they are left for another time. */
export type Spare = (taskIds: readonly string[]) => Promise<readonly string[]>;
