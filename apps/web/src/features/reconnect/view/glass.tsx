import { useState } from "react";
import css from "./reconnect.module.css";

/** What the machine shows, from the first address that can be had; without any the dialog begins with its lamp. */
export function Glass({ pictures, dim }: { pictures: readonly string[]; dim: boolean }) {
  const [failed, setFailed] = useState(0);
  const picture = pictures[failed];
  if (picture === undefined) return null;
  return (
    <div className={css["glass"]} data-dim={dim || undefined}>
      <img src={picture} alt="" width="640" height="400" decoding="async" onError={() => setFailed(failed + 1)} />
    </div>
  );
}
