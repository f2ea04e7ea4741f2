import pg from 'pg';

/** A PostgreSQL database of our own. */
export class ChaosDatabase {
  readonly name = `nest_a2a_chaos_${process.pid}`;
  readonly #admin: pg.Pool;

  constructor(private readonly adminUrl: string) {
    this.#admin = new pg.Pool({ connectionString: adminUrl, max: 1 });
    // The pool replaces a connection that broke.
    this.#admin.on('error', () => {});
  }

  get url(): string {
    const url = new URL(this.adminUrl);
    url.pathname = `/${this.name}`;
    return url.href;
  }

  async create(): Promise<void> {
    await this.#admin.query(`DROP DATABASE IF EXISTS ${this.name} WITH (FORCE)`);
    await this.#admin.query(`CREATE DATABASE ${this.name}`);
  }

  /** Ends every connection of the database, and answers how many there were. */
  async cut(): Promise<number> {
    const { rowCount } = await this.#admin.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1',
      [this.name],
    );
    return rowCount ?? 0;
  }

  async drop(): Promise<void> {
    await this.#admin.query(`DROP DATABASE IF EXISTS ${this.name} WITH (FORCE)`);
    await this.#admin.end();
  }
}
