import { DataSource, type DataSourceOptions } from 'typeorm';
import { everyValue } from '../every-value.js';
import { look } from './leaks.js';

/** Looks at every row of a database, whichever process wrote it. */
export async function lookThroughRows(options: DataSourceOptions): Promise<void> {
  const source = await new DataSource(options).initialize();
  try {
    look('store', await everyValue(source));
  } finally {
    await source.destroy();
  }
}
