import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { useLive } from "@longarm/ui/live.ts";
import { useEffect } from "react";
import type { QueueDeps } from "../queue-deps.ts";
import { placeFor } from "../queues.ts";
import { PlaceNow } from "./place-now.tsx";
import css from "./watch-place.module.css";

type WatchPlaceProps = {
  readonly deps: QueueDeps;
  readonly machineId: string;
  /** How many wait for it. */
  readonly waiting: number;
  /** Opens the sheet to join. */
  readonly onWait: () => void;
};

/** In the bar of who watches: how many wait and the way to the queue; with a place, what is known of it. */
export function WatchPlace({ deps, machineId, waiting, onWait }: WatchPlaceProps) {
  const { t } = useText();
  const { queues } = deps;
  const place = useLive(queues.now, (now) => placeFor(now, machineId));
  const isOpen = useLive(
    queues.now,
    ({ answer }) => answer !== undefined && answer !== "absent" && answer.placesMax > 0,
  );
  useEffect(() => {
    if (queues.now.getState().answer === undefined) void queues.load();
  }, [queues]);
  if (!isOpen) return null;
  return (
    <div className={css["place"]}>
      {place === undefined ? (
        <>
          <b className="num">{t("queue.peopleWait", { count: waiting })}</b>
          <Key kind="brass" onClick={onWait}>
            {t("queue.join")}
          </Key>
        </>
      ) : (
        <PlaceNow {...{ deps, place }} />
      )}
    </div>
  );
}
