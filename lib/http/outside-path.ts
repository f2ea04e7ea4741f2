import {
  RequestMethod,
  VERSION_NEUTRAL,
  VersioningType,
  type Type,
  type VersioningOptions,
} from '@nestjs/common';
import { MODULE_PATH } from '@nestjs/common/internal';
import type { ApplicationConfig, ModulesContainer } from '@nestjs/core';
import { joinUrl, trimSlashes } from '../protocol/join-url.js';

/** Where @Controller() leaves its version. */
const VERSION_METADATA = '__version__';

/**
 * The path of a generated controller as the outside sees it, without slashes at the ends: what Nest puts before
 * `path`, which starts with the module's. Of several versions the first counts.
 * @param route path below the agent's, to ask whether the global prefix excludes it.
 */
export function outsidePath(
  config: ApplicationConfig,
  controller: Type | undefined,
  path: string,
  route: string,
): string {
  const prefix = isExcluded(config, joinUrl('', path, route)) ? '' : config.getGlobalPrefix();
  return trimSlashes(joinUrl('', prefix, versionSegment(config.getVersioning(), controller), path));
}

/** The path that RouterModule gave a module: our own use of it, for the path of forRoot(), or the application's. */
export function routerPath({ applicationId }: ModulesContainer, module: Type): string {
  return (Reflect.getMetadata(MODULE_PATH + applicationId, module) as string | undefined) ?? '';
}

function isExcluded(config: ApplicationConfig, route: string): boolean {
  const { exclude = [] } = config.getGlobalPrefixOptions();
  return exclude.some(
    ({ requestMethod, pathRegex }) =>
      (requestMethod === RequestMethod.ALL || requestMethod === RequestMethod.POST) && pathRegex.test(route),
  );
}

function versionSegment(versioning: VersioningOptions | undefined, controller: Type | undefined): string {
  if (versioning?.type !== VersioningType.URI) return '';
  const own =
    controller && (Reflect.getMetadata(VERSION_METADATA, controller) as VersioningOptions['defaultVersion']);
  const version = [own ?? versioning.defaultVersion].flat()[0];
  if (version === undefined || version === VERSION_NEUTRAL) return '';
  return `${versioning.prefix === false ? '' : (versioning.prefix ?? 'v')}${String(version)}`;
}
