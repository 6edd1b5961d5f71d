import type { QueuePlace } from "@longarm/contract/player-queue";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { useCurrency } from "@longarm/ui/money/currency.ts";
import { rangeText, wishText } from "../place-text.ts";
import type { QueueDeps } from "../queue-deps.ts";
import css from "./place-now.module.css";
import { useAct } from "./use-act.ts";
import { Wheel } from "./wheel.tsx";

/** One place as large as it matters: the wheel, how many are before, how long, from what that is known, and the key to leave. */
export function PlaceNow({ deps, place }: { readonly deps: QueueDeps; readonly place: QueuePlace }) {
  const speech = useText();
  const { t } = speech;
  const { busy, act } = useAct(deps);
  const wish = wishText(speech, useCurrency(), place.wish, place.machines[0]?.name ?? "");
  const { state } = place;
  const waits = state === "waiting";
  return (
    <div className={css["now"]}>
      <div className={css["head"]}>
        <Wheel place={place.ahead + 1} big />
        <p>
          <b>{headOf(t, place)}</b>
          {waits && <small>{rangeText(speech, place.wait, true)}</small>}
        </p>
      </div>
      {waits && place.wait !== null && (
        <p className={css["fine"]}>{t("queue.source", { count: place.wait.sittings })}</p>
      )}
      {!waits && <p className={css["fine"]}>{t(`queue.${state}Body`)}</p>}
      <Key
        kind="line"
        busy={busy !== undefined}
        aria-label={t("queue.leaveFor", { wish })}
        onClick={() => void act("leave", () => deps.queues.leave(place.id), { done: t("queue.left", { wish }) })}
      >
        {t("queue.leave")}
      </Key>
    </div>
  );
}

function headOf(t: ReturnType<typeof useText>["t"], { state, ahead }: QueuePlace): string {
  if (state === "called") return t("queue.turn");
  if (state !== "waiting") return t(`queue.state_${state}`);
  return ahead === 0 ? t("queue.next") : t("queue.before", { count: ahead });
}
