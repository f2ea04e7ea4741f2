import type { SecurityScheme } from '../../../protocol/model.js';

/** Where an authorization server is asked, as a card or its metadata say it. */
export interface NamedEndpoints {
  readonly tokenUrl: string;
  /** Where tokens are refreshed, if elsewhere. */
  readonly refreshUrl?: string | undefined;
  readonly deviceAuthorizationUrl?: string | undefined;
}

/** The endpoints of the scheme's flow, whichever it is; undefined when it names none. */
export function cardEndpoints({ oauth2SecurityScheme }: SecurityScheme): NamedEndpoints | undefined {
  const { clientCredentials, deviceCode, authorizationCode, password } = oauth2SecurityScheme?.flows ?? {};
  const { tokenUrl, refreshUrl } = deviceCode ?? clientCredentials ?? authorizationCode ?? password ?? {};
  if (!tokenUrl) return undefined;
  // Protocol Buffers cannot tell an empty text from none.
  return {
    tokenUrl,
    refreshUrl: refreshUrl || undefined,
    deviceAuthorizationUrl: deviceCode?.deviceAuthorizationUrl || undefined,
  };
}

/** Where the scheme says that metadata are. */
export function cardMetadataUrl(scheme: SecurityScheme): string | undefined {
  return (
    scheme.oauth2SecurityScheme?.oauth2MetadataUrl || scheme.openIdConnectSecurityScheme?.openIdConnectUrl
  );
}
