import { Module, type DynamicModule } from '@nestjs/common';
import {
  ConfigurableModuleClass,
  type ASYNC_OPTIONS_TYPE,
  type OPTIONS_TYPE,
} from './typeorm.module-definition.js';

/**
 * Keeps tasks, webhooks and logs in the application's database: PostgreSQL, MySQL, MariaDB or SQLite. A2AModule uses what it brings, unless its
 * options name other stores.
 *
 * @publicApi
 * @example
 * @Module({
 *   imports: [TypeOrmModule.forRoot({ type: 'postgres', url }), A2ATypeOrmModule.forRoot(), A2AModule.forRoot()],
 * })
 * export class AppModule {}
 */
@Module({})
export class A2ATypeOrmModule extends ConfigurableModuleClass {
  /** Once, in the root module. */
  static override forRoot(options: typeof OPTIONS_TYPE = {}): DynamicModule {
    return super.forRoot(options);
  }

  /** The same with options that are made by a factory, a class or an existing provider; `tablePrefix` and `dataSource` are given beside it. */
  static override forRootAsync(options: typeof ASYNC_OPTIONS_TYPE): DynamicModule {
    return super.forRootAsync(options);
  }
}
