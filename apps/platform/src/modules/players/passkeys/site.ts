import type { Config } from "../../../config.ts";
import type { RelyingParty } from "../../../webauthn.ts";

/**
 * Where players' passkeys are good: PASSKEY_DOMAIN, or the host of the own origin, and the origins among PUBLIC_URL and ALLOWED_ORIGINS that are of it.
 * `listens`: the port, where no PUBLIC_URL is set.
 */
export function passkeySite(
  { publicUrl, allowedOrigins, passkeyDomain }: Pick<Config, "publicUrl" | "allowedOrigins" | "passkeyDomain">,
  listens: () => number,
): RelyingParty {
  const own = publicUrl ?? `http://localhost:${listens()}`;
  const id = passkeyDomain ?? new URL(own).hostname;
  const others = allowedOrigins.filter((origin) => `.${new URL(origin).hostname}`.endsWith(`.${id}`));
  return { id, origins: [own, ...others] };
}
