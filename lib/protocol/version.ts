import { VersionNotSupportedError } from './errors.js';

/** Header and query parameter that carry the protocol version (spec §3.6). */
export const VERSION_HEADER = 'A2A-Version';

/** The version that this library speaks. */
export const PROTOCOL_VERSION = '1.0';

/** What a request without a version speaks (spec §3.6.2). */
const ASSUMED_VERSION = '0.3';

const VERSION = /^(0|[1-9]\d*)\.(0|[1-9]\d*)(?:\.\d+)?$/;

/**
 * Decides which version a request is served in: its header's, else its query parameter's, else 0.3. Patch numbers
 * are not considered.
 * @returns one of `supported`, as `major.minor`.
 * @throws VersionNotSupportedError for any other version and for what is no version.
 */
export function negotiateVersion(
  header?: string | readonly string[],
  query?: string | readonly string[],
  supported: readonly string[] = [PROTOCOL_VERSION],
): string {
  const requested = single(header) || single(query) || ASSUMED_VERSION;
  if (supported.includes(requested)) return requested;
  const match = VERSION.exec(requested);
  const version = match && `${match[1]}.${match[2]}`;
  if (version && supported.includes(version)) return version;
  const asked = JSON.stringify(requested.slice(0, 32));
  const versions = supported.join(', ');
  throw new VersionNotSupportedError(
    `A2A version ${asked} is not supported. Supported: ${versions}; send it in the ${VERSION_HEADER} header`,
    { metadata: { supportedVersions: versions } },
  );
}

/** Two values are no version, so they stay together and are refused. */
function single(value: string | readonly string[] = ''): string {
  return (typeof value === 'string' ? value : value.join(', ')).trim();
}
