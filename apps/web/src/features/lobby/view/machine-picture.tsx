import type { LobbyMachine } from "@longarm/contract/machine";
import { useState } from "react";
import css from "./machine-card.module.css";

/** The order in which pictures are tried: the machine's own, its brand's, none. */
function pictureOf(
  { image, brand }: LobbyMachine,
  failed: number,
  still: (image: string) => string,
): string | undefined {
  const brandPicture = `/assets/machines/${encodeURIComponent(brand)}.png`;
  const choices = [...(image ? [still(image)] : []), ...(brand === "" ? [] : [brandPicture])];
  return choices[failed];
}

/** What the machine shows: its still, else its brand's picture, else dark glass. */
export function MachinePicture({ machine, still }: { machine: LobbyMachine; still: (image: string) => string }) {
  const [failed, setFailed] = useState(0);
  const [tried, setTried] = useState(machine.image);
  if (tried !== machine.image) {
    // A new address is a new chance.
    setTried(machine.image);
    setFailed(0);
  }
  const source = pictureOf(machine, failed, still);
  if (source === undefined) return <div className={css["noPicture"]} />;
  return (
    <img
      src={source}
      alt=""
      width="640"
      height="400"
      loading="lazy"
      decoding="async"
      onError={() => setFailed(failed + 1)}
    />
  );
}
