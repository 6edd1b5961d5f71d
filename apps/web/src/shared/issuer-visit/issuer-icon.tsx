import { Icon } from "@longarm/ui/icon.tsx";
import { useState } from "react";

/** The operator's drawing for an issuer; a person where there is none, or where it cannot be shown. */
export function IssuerIcon({ address }: { readonly address: string | null }) {
  const [failed, setFailed] = useState(false);
  if (address === null || failed) return <Icon name="player" />;
  return <img src={address} alt="" width={22} height={22} onError={() => setFailed(true)} />;
}
